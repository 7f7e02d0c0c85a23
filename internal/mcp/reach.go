package mcp

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
)

// reach is one call of List for a server that is started or connected to.
type reach struct {
	server  *lock.Server
	o       *Options
	dial    dial
	dialSSE dial // the older HTTP transport, where there is one

	at       step
	timing   Timing
	warnings []string
	stderr   string // of the process that failed last
}

func (r *reach) warn(w string) {
	if w != "" && !slices.Contains(r.warnings, w) {
		r.warnings = append(r.warnings, w)
	}
}

func (r *reach) list(ctx context.Context) (*Listed, error) {
	release, err := r.prepare()
	if err != nil {
		return nil, err
	}
	defer release()
	listing, version, err := r.once(ctx)
	if errors.Is(err, errSessionLost) {
		// Cursors do not outlive a session, so everything starts over, once.
		listing, version, err = r.once(ctx)
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, errOutputEnded) {
		err = cause // it was we who closed the output: what ends first when time is up is a race
	}
	if err != nil {
		return nil, err
	}
	return &Listed{
		Listing: listing, Warnings: r.warnings, Timing: r.timing, Protocol: version, Command: slices.Clone(r.server.Command),
	}, nil
}

// prepare sets up how the server is dialled. release undoes what outlives a single wire.
func (r *reach) prepare() (release func(), err error) {
	if r.server.Transport == lock.HTTP {
		return r.prepareHTTP()
	}
	l, err := r.o.prepare(r.server)
	if err != nil {
		return nil, err
	}
	for _, w := range l.warnings {
		r.warn(w)
	}
	r.dial = func(ctx context.Context) (wire, error) {
		p, err := startProcess(ctx, l.command(), r.o)
		if err != nil {
			return nil, err
		}
		return newStdioWire(p, r.o.Message), nil
	}
	return l.release, nil
}

// once reaches the server, lists and ends it.
func (r *reach) once(ctx context.Context) (*contract.Listing, string, error) {
	s, err := r.open(ctx)
	if err != nil {
		return nil, "", err
	}
	r.at = stepListing
	stop := context.AfterFunc(ctx, func() { s.abort(context.Cause(ctx)) })
	listing, err := r.settle(ctx, s)
	stop()
	if s.echoesStrings() {
		r.warn("the server answers calls with their numbers as strings")
	}
	err = r.end(s.wire, err)
	s.client.Close() // after the wire is gone it has nothing to wait for
	return listing, s.version, err
}

// end shuts a wire down and completes the error that led there, if any, by what can only be known now.
func (r *reach) end(w wire, err error) error {
	began := time.Now()
	w.shutdown()
	r.timing.Shutdown += time.Since(began)
	stdio, ok := w.(*stdioWire)
	if !ok {
		return err
	}
	r.warn(stdio.noise.warning())
	if err == nil {
		return nil
	}
	r.stderr = stdio.p.tail.String()
	if how := stdio.p.exit(); how != "" && errors.Is(err, errOutputEnded) {
		return &Error{Kind: Unreachable, Code: CodeExit, Message: how}
	}
	return err
}

// report words the error that List returns.
func (r *reach) report(err error) *Error {
	e := *explain(err, r.at, r.o.Limits)
	e.Timing, e.Warnings, e.Stderr = r.timing, r.warnings, r.stderr
	if e.Code == CodeTimeout && r.server.Transport == lock.HTTP {
		e.Hint = "raise --timeout if the server is slow to wake up"
	}
	return &e
}
