package mcp_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
)

// Each of these servers sends without end. Without its limit the test would end for lack of memory, or never.

func TestList_endlessLineEndsAtTheLimit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs cat and /dev/zero")
	}
	s := &lock.Server{Name: "s", Transport: lock.Stdio, Command: []string{"cat", "/dev/zero"}}
	e := mustFail(t, s, mcp.Options{Limits: mcp.Limits{Message: 1 << 20}}, mcp.Unreachable, mcp.CodeTooLarge)
	if !strings.Contains(e.Message, "1 MiB") {
		t.Error(e.Message)
	}
}

func TestList_endlessStderrIsKeptToItsEnd(t *testing.T) {
	t.Parallel()
	s := stdioServer(t, scenario{Fault: fault{"handshake", "stderr flood"}, Pages: []page{{Error: -32603}}})
	e := mustFail(t, s, mcp.Options{Limits: mcp.Limits{Stderr: 100}}, mcp.Unreachable, mcp.CodeRPCError)
	if e.Stderr != strings.Repeat("e", 99)+"\n" {
		t.Errorf("%d bytes: %q", len(e.Stderr), e.Stderr)
	}
}

func TestList_endlessBodiesEndAtTheLimit(t *testing.T) {
	t.Parallel()
	block := bytes.Repeat([]byte("x"), 64<<10)
	for _, c := range []struct{ contentType, head, block string }{
		{"application/json", `{"jsonrpc":"2.0","pad":"`, string(block)},
		{"text/event-stream", "data: ", string(block)},                                // one line
		{"text/event-stream", "data: x\n", "data: x\n"},                               // one event
		{"text/event-stream", ": x\n", ": x\n"},                                       // comments
		{"text/event-stream", "", "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n"}, // notifications
		{"text/html", "<html>", string(block)},
	} {
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", c.contentType)
			io.WriteString(w, c.head)
			for {
				if _, err := io.WriteString(w, strings.Repeat(c.block, max(1, len(block)/len(c.block)))); err != nil {
					return
				}
			}
		}))
		e := mustFail(t, s, mcp.Options{Limits: mcp.Limits{Message: 1 << 20, Listing: 4 << 20}}, mcp.Unreachable, mcp.CodeTooLarge)
		if !strings.Contains(e.Message, "limit") {
			t.Error(e.Message)
		}
	}
}

func TestList_fileBeyondTheLimitIsNotRead(t *testing.T) {
	t.Parallel()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil { // takes no room
		t.Skip(err)
	}
	s := &lock.Server{Name: "s", Transport: lock.File, Path: f.Name()}
	mustFail(t, s, mcp.Options{Limits: mcp.Limits{Listing: 1 << 20}}, mcp.Malformed, mcp.CodeTooLarge)
}
