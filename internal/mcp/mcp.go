// Package mcp reaches a pinned server and returns its raw listing (SPEC §6.1). It is the only package that knows go-sdk.
package mcp

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
)

// Limits bound what a server can make us do. The zero value of each means its default.
type Limits struct {
	Timeout  time.Duration // one server, start to last page; 60 s
	Message  int64         // bytes of one JSON-RPC message, HTTP body or SSE event; 64 MiB
	Listing  int64         // bytes of all pages together; 256 MiB
	Pages    int           // 10,000
	Tools    int           // 100,000
	Stderr   int           // bytes of stderr kept, from its end; 8 KiB
	Shutdown time.Duration // from end of input to SIGTERM to SIGKILL, in all; 2 s
}

// Options say how to reach a server.
type Options struct {
	Limits
	Protocol string                           // "auto" (default), "legacy" or "modern" (SPEC §6, both eras)
	Dir      string                           // the lock's folder
	Headers  http.Header                      // sent to this http server and to no other origin
	Lookup   func(name string) (string, bool) // resolves ${NAME}; nil: os.LookupEnv
	PassEnv  []string                         // names of our variables that a stdio server may see beside the allow-list
	Version  string                           // of contractpin, for the client name
	// Matches says whether a listing is the pinned one, so that a match costs no settle time. Nil: always settle (init).
	Matches func(*contract.Listing) bool
	// Prepare changes a command before it is started (the sandbox does) and returns what ends everything it left behind,
	// which is called once the command has been waited for, or could not be started. The command leads a process group
	// of its own by then; Prepare may make that a session. Dir is a new empty folder below os.TempDir (mode 0700) where a
	// package runner would otherwise obey the project's files. An *Error that Prepare returns is List's.
	Prepare func(ctx context.Context, cmd *exec.Cmd) (cleanup func(), err error)
	// CheckFile resolves and vets the path of a file server before it is opened; nil: no restriction.
	CheckFile func(path string) (string, error)
}

// Listed is what a server listed.
type Listed struct {
	Listing  *contract.Listing
	Warnings []string
	Timing   Timing
	Protocol string   // the protocol version spoken; "" for a file
	Command  []string // as started, ${NAME} not expanded
}

// Timing says where the time went.
type Timing struct{ Start, Handshake, Listing, Digesting, Shutdown time.Duration }

// Kinds of failure, in the words of the report.
const (
	Unreachable = "unreachable" // we could not list
	Malformed   = "malformed"   // we listed something that is no valid listing
	Blocked     = "blocked"     // we refused to launch
)

// Error says why a server could not be checked.
type Error struct {
	Kind     string // Unreachable, Malformed or Blocked
	Code     string // kebab-case, stable: timeout, exit, command-not-found, http-status, redirect, env-unset …
	Message  string // one line; may hold a server's text: escape before showing
	Hint     string // what to do, or ""
	Stderr   string // tail of the server's stderr, raw
	Timing   Timing
	Warnings []string
}

func (e *Error) Error() string { return e.Message }

// List reaches the server and lists its tools to the end. Every error is an *Error. Whatever it started has ended when
// it returns. A server that is listed while ctx ends is Unreachable with CodeInterrupted.
func List(ctx context.Context, s *lock.Server, o Options) (*Listed, error) {
	o.Limits = o.Limits.withDefaults()
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	if s.Transport == lock.File {
		l, err := listFile(s, &o)
		if err != nil {
			return nil, explain(err, stepListing, o.Limits)
		}
		return l, nil
	}
	inTime, stop := context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
	defer stop()
	r := &reach{server: s, o: &o}
	l, err := r.list(inTime)
	if err != nil {
		if ctx.Err() != nil {
			err = errInterrupted
		}
		return nil, r.report(err)
	}
	return l, nil
}

func (l Limits) withDefaults() Limits {
	l.Timeout = cmp.Or(l.Timeout, 60*time.Second)
	l.Message = cmp.Or(l.Message, 64<<20)
	l.Listing = cmp.Or(l.Listing, 256<<20)
	l.Pages = cmp.Or(l.Pages, 10_000)
	l.Tools = cmp.Or(l.Tools, 100_000)
	l.Stderr = cmp.Or(l.Stderr, 8<<10)
	l.Shutdown = cmp.Or(l.Shutdown, 2*time.Second)
	return l
}
