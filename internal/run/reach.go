package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
	"github.com/contractpin/verify/internal/verify"
)

// Reach makes the servers of the lock at path reachable. A nil matches (init) waits out every settle time. Answers hold
// no secret: where a contract did, its bytes no longer fit its digest.
func Reach(path string, headers Headers, o Options) verify.Reach {
	if o.Secrets == nil {
		o.Secrets = &Secrets{}
	}
	for _, h := range headers {
		for _, values := range h {
			for _, v := range values {
				o.Secrets.Add(v)
			}
		}
	}
	for _, name := range o.PassEnv {
		if v, ok := o.lookupEnv(name); ok {
			o.Secrets.Add(v)
		}
	}
	dir := filepath.Dir(path)
	env := o // whose Lookup stays what it is
	o.Lookup = InWorkspace(path, env.lookupEnv)
	return func(ctx context.Context, s *lock.Server, matches func(*contract.Listing) bool) (a verify.Answer) {
		defer func() {
			if p := recover(); p != nil { // one server must not hide another, whatever it made us do
				a = internalError(p)
			}
		}()
		if o.Block != nil {
			if f := o.Block(s); f != nil {
				return verify.Answer{Status: verify.Blocked, Failure: f}
			}
		}
		o.addReferences(s)
		m := o.options(dir, headers[s.Name])
		m.Matches = matches
		listed, err := mcp.List(ctx, s, m)
		if err != nil {
			a = failure(ctx, err)
		} else {
			a = answer(listed, o.Secrets)
		}
		o.Secrets.redactAll(a.Warnings)
		o.Secrets.redactFailure(a.Failure)
		return a
	}
}

func answer(l *mcp.Listed, secrets *Secrets) verify.Answer {
	return verify.Answer{
		Listing:  secrets.RedactListing(l.Listing),
		Warnings: append(l.Warnings, rounded(l.Listing.Rounded)...),
		Timing:   timing(l.Timing),
	}
}

// rounded words the warnings about numbers, the first ten of them.
func rounded(places []contract.Place) []string {
	const most = 10
	var out []string
	for i, p := range places {
		if i == most {
			return append(out, fmt.Sprintf("%d more numbers are pinned rounded", len(places)-most))
		}
		out = append(out, verify.RoundedWarning(p))
	}
	return out
}

func failure(ctx context.Context, err error) verify.Answer {
	var e *mcp.Error
	if !errors.As(err, &e) {
		return verify.Answer{Status: verify.Unreachable, Failure: &verify.Failure{Code: "internal", Message: err.Error()}}
	}
	a := verify.Answer{
		Status:   verify.Status(e.Kind),
		Failure:  &verify.Failure{Code: e.Code, Message: e.Message, Hint: e.Hint, Stderr: e.Stderr},
		Warnings: e.Warnings,
		Timing:   timing(e.Timing),
	}
	if ctx.Err() != nil && e.Kind == mcp.Unreachable {
		a.Failure = &verify.Failure{Code: "interrupted", Message: "interrupted before it had listed its tools", Stderr: e.Stderr}
	}
	return a
}

func internalError(p any) verify.Answer {
	return verify.Answer{Status: verify.Unreachable, Failure: &verify.Failure{
		Code:    "internal",
		Message: fmt.Sprintf("contractpin itself broke while checking this server: %v", p),
		Hint:    "please report it at https://github.com/contractpin/verify/issues with the lines below",
		Stderr:  string(debug.Stack()),
	}}
}

func timing(t mcp.Timing) *verify.Timing {
	ms := func(d time.Duration) int64 { return d.Milliseconds() }
	return &verify.Timing{StartMS: ms(t.Start), HandshakeMS: ms(t.Handshake), ListingMS: ms(t.Listing), DigestingMS: ms(t.Digesting)}
}
