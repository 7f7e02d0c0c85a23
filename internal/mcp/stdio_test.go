package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
)

// stdioServer pins the test binary, playing a scenario.
func stdioServer(t *testing.T, s scenario) *lock.Server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return &lock.Server{
		Name: "s", Transport: lock.Stdio, Command: []string{exe},
		Env: map[string]string{serverEnv: strings.ReplaceAll(string(text), "${", "$${")},
	}
}

func names(l *mcp.Listed) string {
	var out []string
	for _, t := range l.Listing.Tools {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}

// anything takes every listing for the pinned one.
func anything(*contract.Listing) bool { return true }

func mustList(t *testing.T, s *lock.Server, o mcp.Options) *mcp.Listed {
	t.Helper()
	l, err := mcp.List(t.Context(), s, o)
	if err != nil {
		var e *mcp.Error
		errors.As(err, &e)
		t.Fatalf("%s %s: %s; stderr %q, warnings %q", e.Kind, e.Code, e.Message, e.Stderr, e.Warnings)
	}
	return l
}

func mustFail(t *testing.T, s *lock.Server, o mcp.Options, kind, code string) *mcp.Error {
	t.Helper()
	l, err := mcp.List(t.Context(), s, o)
	if err == nil {
		t.Fatalf("listed %s, want %s %s", names(l), kind, code)
	}
	var e *mcp.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no *mcp.Error: %v", err, err)
	}
	if e.Kind != kind || e.Code != code {
		t.Fatalf("%s %s (%s), want %s %s", e.Kind, e.Code, e.Message, kind, code)
	}
	return e
}

func TestList_stdioJoinsPagesInBothEras(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]scenario{"2025-06-18": {}, "2026-07-28": {Modern: true}, "2024-11-05": {Odd: true}} {
		l := mustList(t, stdioServer(t, s), mcp.Options{Matches: anything})
		if names(l) != "alpha beta gamma" || l.Protocol != want {
			t.Errorf("%q over %s, want three tools over %s", names(l), l.Protocol, want)
		}
	}
}

func TestList_protocolChoosesTheEra(t *testing.T) {
	t.Parallel()
	e := mustFail(t, stdioServer(t, scenario{Modern: true}), mcp.Options{Protocol: "legacy"}, mcp.Unreachable, mcp.CodeRPCError)
	if !strings.Contains(e.Message, "initialize was answered with error -32602") {
		t.Error(e.Message)
	}
	mustFail(t, stdioServer(t, scenario{}), mcp.Options{Protocol: "modern"}, mcp.Unreachable, mcp.CodeRPCError)
}

func TestList_stdioSkipsNoiseAndWarnsOnce(t *testing.T) {
	t.Parallel()
	noise := []string{"Server 1.0 \x1b[31mready", "", `{"level":30,"msg":"hi"}`, "[1,2]", "{", "nul\x00l"}
	l := mustList(t, stdioServer(t, scenario{Before: noise}), mcp.Options{Matches: anything})
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], `skipped 15 lines`) ||
		!strings.Contains(l.Warnings[0], `"Server 1.0 \u{001B}[31mready"`) {
		t.Errorf("%q", l.Warnings)
	}
}

func TestList_answersPingAndRefusesOtherRequests(t *testing.T) {
	t.Parallel()
	mustList(t, stdioServer(t, scenario{
		Ask:    []string{"ping", "roots/list", "sampling/createMessage"},
		Expect: []string{`"result":{}`, `"code":-32601`, `"code":-32601`},
	}), mcp.Options{Matches: anything})
}

func TestList_idsEchoedAsStringsAreUnderstood(t *testing.T) {
	t.Parallel()
	l := mustList(t, stdioServer(t, scenario{StringIDs: true}), mcp.Options{Matches: anything})
	if names(l) != "alpha beta gamma" || len(l.Warnings) != 1 {
		t.Errorf("%q %q", names(l), l.Warnings)
	}
}

func TestList_exitStatusAndLastStderrLineAreTold(t *testing.T) {
	t.Parallel()
	one := 1
	s := stdioServer(t, scenario{Exit: &one, Stderr: []string{"starting", "fatal: FAKE_TOKEN is not set"}})
	e := mustFail(t, s, mcp.Options{}, mcp.Unreachable, mcp.CodeExit)
	if e.Message != "exit status 1: fatal: FAKE_TOKEN is not set" || e.Stderr != "starting\nfatal: FAKE_TOKEN is not set\n" {
		t.Errorf("%q, stderr %q", e.Message, e.Stderr)
	}
}

func TestList_lastStderrLineIsOneThatTells(t *testing.T) {
	t.Parallel()
	one := 1
	for want, stderr := range map[string][]string{
		"Error: KEY is required": {"/srv/x.js:3", "throw new Error()", "", "Error: KEY is required", "    at Module._compile (node:x:1:2)", "", "Node.js v22.1.0", ""},
		"npm error 404  Not Found - GET https://registry.example/x": {
			"npm error code E404", "npm error 404  Not Found - GET https://registry.example/x",
			"npm error A complete log of this run can be found in: /root/.npm/_logs/2026-debug-0.log",
		},
		"ModuleNotFoundError: No module named 'x'": {"Traceback (most recent call last):", `  File "x.py", line 1`, "ModuleNotFoundError: No module named 'x'"},
		"windows": {"windows\r"},
	} {
		e := mustFail(t, stdioServer(t, scenario{Exit: &one, Stderr: stderr}), mcp.Options{}, mcp.Unreachable, mcp.CodeExit)
		if got := strings.TrimPrefix(e.Message, "exit status 1: "); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestList_unknownVersionIsNamed(t *testing.T) {
	t.Parallel()
	for _, s := range []scenario{{Version: "1.0"}, {Version: "2031-01-01", Modern: true}} {
		e := mustFail(t, stdioServer(t, s), mcp.Options{}, mcp.Unreachable, map[bool]string{false: mcp.CodeProtocol, true: mcp.CodeRPCError}[s.Modern])
		if !strings.Contains(e.Message, `"`+s.Version+`"`) {
			t.Error(e.Message)
		}
	}
}

func TestList_commandNotFoundNamesItAndHints(t *testing.T) {
	t.Parallel()
	s := &lock.Server{Name: "s", Transport: lock.Stdio, Command: []string{"no-such-runtime-xyz", "-y"}}
	e := mustFail(t, s, mcp.Options{}, mcp.Unreachable, mcp.CodeCommandNotFound)
	if e.Message != "command not found: no-such-runtime-xyz" || !strings.Contains(e.Hint, "container image") {
		t.Errorf("%q, hint %q", e.Message, e.Hint)
	}
}

func TestList_interruptEndsAWrapperWhoseChildIgnoresIt(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	pids := filepath.Join(t.TempDir(), "pids")
	for _, step := range steps[:4] {
		s := stdioServer(t, scenario{Fault: fault{step, "hang"}, PIDs: pids})
		s.Command = []string{"sh", "-c", `"$0"; exit $?`, s.Command[0]}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for ctx.Err() == nil && len(readPIDs(pids)) == 0 {
				time.Sleep(10 * time.Millisecond)
			}
			cancel()
		}()
		_, err := mcp.List(ctx, s, mcp.Options{Limits: mcp.Limits{Shutdown: time.Second}})
		cancel()
		var e *mcp.Error
		if !errors.As(err, &e) || e.Code != mcp.CodeInterrupted || e.Kind != mcp.Unreachable {
			t.Errorf("%s: %v", step, err)
		}
		for _, pid := range readPIDs(pids) {
			if isRunning(pid) {
				t.Errorf("%s: process %d is left", step, pid)
			}
		}
		_ = os.Remove(pids)
	}
}
