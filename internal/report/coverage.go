package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// uncovered words the number of gaps that fail a run.
func uncovered(n int) string {
	return fmt.Sprint(n) + as(n, " entry of a client's configuration is", " entries of client configurations are") + " not pinned as required"
}

// place is where a gap stands, escaped.
func place(g *verify.Gap) string {
	if g.Line > 0 {
		return name(g.Config) + ":" + fmt.Sprint(g.Line)
	}
	return name(g.Config)
}

const maxTextGaps = 20

// coverage lists what the lock does not cover of client configurations.
func (t *texter) coverage(gaps []verify.Gap) {
	if len(gaps) == 0 {
		return
	}
	t.line("")
	t.line("What clients start, held against the lock:")
	list := byRequired(gaps)
	for i := range list {
		if i == maxTextGaps {
			t.line("  … and " + count(len(list)-i, "more") + ": --format json shows all")
			return
		}
		g := &list[i]
		sign := t.paint(yellow, "!")
		if g.Required {
			sign = t.paint(red, "✗")
		}
		t.wrap("", sign+" "+place(g)+"  "+visible.Line(g.Message, 500))
	}
}

// coverage is the same as a list, below the table of servers.
func (w *writer) coverage() *section {
	list := byRequired(w.report.Coverage)
	if len(list) == 0 {
		return nil
	}
	return &section{
		open: "**What clients start**, held against the lock:\n\n",
		rows: lazy{n: len(list), what: "finding", make: func(i int) string {
			g, icon := &list[i], "⚠️"
			if g.Required {
				icon = "❌"
			}
			return "- " + icon + " " + code(place(g)) + " " + lineCode(g.Message, 500) + "\n"
		}},
	}
}

// byRequired puts what fails the run before the rest.
func byRequired(gaps []verify.Gap) []verify.Gap {
	out := slices.Clone(gaps)
	slices.SortStableFunc(out, func(a, b verify.Gap) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return out
}

var gapKinds = []verify.GapKind{verify.NotPinned, verify.Differs, verify.Unversioned, verify.NotComparable, verify.Unreadable}

func checkCoverage(gaps []verify.Gap) error {
	for i := range gaps {
		g := &gaps[i]
		switch {
		case !slices.Contains(gapKinds, g.Kind):
			return fmt.Errorf("kind %s", quoted(string(g.Kind)))
		case g.Required && !g.Kind.CanFail():
			return fmt.Errorf("%s, but required all the same", g.Kind)
		case g.Line < 0 || g.Config == "" || g.Message == "":
			return errors.New("a negative line, or no config or message")
		case i > 0 && verify.CompareGaps(gaps[i-1], *g) >= 0:
			return fmt.Errorf("the gap of server %s is not in its place", quoted(g.Server))
		}
	}
	return nil
}
