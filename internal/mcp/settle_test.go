package mcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/mcp"
)

var early = []page{{Tools: []string{"alpha"}}}

// isComplete takes the three tools for the pinned listing.
func isComplete(l *contract.Listing) bool { return len(l.Tools) == 3 }

func TestList_lateToolsAreWaitedFor(t *testing.T) {
	t.Parallel()
	for name, matches := range map[string]func(*contract.Listing) bool{"init": nil, "verify": isComplete} {
		t.Run("stdio "+name, func(t *testing.T) {
			t.Parallel()
			s := stdioServer(t, scenario{ListChanged: true, First: early, Changes: 1})
			if l := mustList(t, s, mcp.Options{Matches: matches}); names(l) != "alpha beta gamma" {
				t.Error(names(l))
			}
		})
		t.Run("http "+name, func(t *testing.T) { // nobody tells us, so we look again
			t.Parallel()
			s := serve(t, &faultyHTTP{scenario: scenario{ListChanged: true, First: early}})
			if l := mustList(t, s, mcp.Options{Matches: matches}); names(l) != "alpha beta gamma" {
				t.Error(names(l))
			}
		})
	}
}

func TestList_matchCostsNoWait(t *testing.T) {
	t.Parallel()
	h := &faultyHTTP{scenario: scenario{ListChanged: true}}
	mustList(t, serve(t, h), mcp.Options{Matches: isComplete})
	if h.requests["tools/list"] != 2 { // after a wait it would be listed again
		t.Errorf("%v, want each page once", h.requests)
	}
}

func TestList_withoutListChangedNothingIsWaitedFor(t *testing.T) {
	t.Parallel()
	h := &faultyHTTP{scenario: scenario{First: early}}
	if l := mustList(t, serve(t, h), mcp.Options{}); names(l) != "alpha" || h.requests["tools/list"] != 1 {
		t.Errorf("%s, %v", names(l), h.requests)
	}
}

func TestList_changesWithoutEndAreCutOff(t *testing.T) {
	t.Parallel()
	s := stdioServer(t, scenario{ListChanged: true, Changes: 1000})
	l := mustList(t, s, mcp.Options{})
	if names(l) != "alpha beta gamma" {
		t.Error(names(l))
	}
	if warned := strings.Join(l.Warnings, ""); !strings.Contains(warned, "keeps announcing changes") {
		t.Errorf("%q", l.Warnings)
	}
}

func TestList_timeEndingDuringTheWaitKeepsTheListing(t *testing.T) {
	t.Parallel()
	s := serve(t, &faultyHTTP{scenario: scenario{ListChanged: true}})
	l := mustList(t, s, mcp.Options{Limits: mcp.Limits{Timeout: 900 * time.Millisecond}})
	if names(l) != "alpha beta gamma" {
		t.Error(names(l))
	}
}
