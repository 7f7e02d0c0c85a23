// Package run is what the command and the action have in common: it loads a lock, selects servers, makes them reachable
// and verifies them (SPEC §6). It turns the failures of package mcp into findings, and keeps secrets out of all of them.
package run

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"time"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
	"github.com/contractpin/verify/internal/verify"
)

// Options of a run, as the command's flags and the action's inputs give them.
type Options struct {
	Servers     []string      // names as given; empty: all that the lock pins
	Shard       *verify.Shard // nil: all of the selected servers
	Headers     []string      // "Name: value", or "SERVER=Name: value"
	AllowNew    bool
	Configs     []Config                         // client configurations that the lock is held against
	PinAll      bool                             // what they name must be pinned, and launched as they say
	Concurrency int                              // servers at once; zero: the default of verify.Options
	Timeout     time.Duration                    // one server, start to last page; zero: the default of mcp.Limits
	Protocol    string                           // "auto" (or ""), "legacy" or "modern"
	PassEnv     []string                         // names of our variables that servers may see, and that ${NAME} may stand for
	Version     string                           // of contractpin
	Lookup      func(name string) (string, bool) // our environment; nil: os.LookupEnv

	// Prepare and CheckFile are handed to mcp.Options. Block returns why a server must not be launched, or nil.
	Prepare   func(ctx context.Context, cmd *exec.Cmd) (cleanup func(), err error)
	CheckFile func(path string) (string, error)
	Block     func(s *lock.Server) *verify.Failure

	Done    func(verify.Server) // called as each server finishes, one at a time
	Secrets *Secrets            // receives what must not be shown; nil: the run's own
}

// Verify checks the selected servers against the lock. Whatever goes wrong is in the report: an option that makes no
// sense is its Error with code "bad-arguments". Nothing in the report holds a secret.
func Verify(ctx context.Context, p *Pinned, o Options) *verify.Report {
	if o.Secrets == nil {
		o.Secrets = &Secrets{}
	}
	selected, err := Select(p.Lock, o.Servers)
	if err != nil {
		return p.failed(o, err)
	}
	headers, warnings, err := ParseHeaders(o.Headers, selected, p.Lock.Servers)
	if err != nil {
		return p.failed(o, err)
	}
	for _, s := range selected { // all at once: what hides them is made anew after each that comes later
		o.addReferences(s)
	}
	names := inShard(selected, o.Shard)
	r := verify.Run(ctx, p.Lock, Reach(p.Path, headers, o), verify.Options{
		Names: names, AllowNew: o.AllowNew, Concurrency: o.Concurrency, Texts: p.Tool, Done: o.Done,
	})
	r.Lock, r.Version, r.Shard = p.Path, o.Version, o.Shard
	if r.Coverage = coverage(p.Lock, o.Configs, o.PinAll); r.Coverage != nil {
		r.Finish()
	}
	r.Warnings = append(r.Warnings, p.AllWarnings()...)
	r.Warnings = append(r.Warnings, warnings...)
	if len(p.Lock.Servers) == 0 {
		r.Warnings = append(r.Warnings, p.Path+" pins no server, so nothing was checked")
	}
	o.Secrets.redactReport(r)
	return r
}

// Failed is the report of a run that could not begin.
func Failed(path string, o Options, f *verify.Failure) *verify.Report {
	r := &verify.Report{Lock: path, Version: o.Version, Shard: o.Shard, Error: f}
	r.Finish()
	return r
}

func (p *Pinned) failed(o Options, err error) *verify.Report {
	r := Failed(p.Path, o, &verify.Failure{Code: BadArguments, Message: err.Error()})
	r.LockDigest = p.Lock.Digest
	return r
}

// Codes of a report's Error.
const (
	InvalidLock  = "invalid-lock"
	BadArguments = "bad-arguments"
)

func (o *Options) lookupEnv(name string) (string, bool) {
	if o.Lookup != nil {
		return o.Lookup(name)
	}
	return os.LookupEnv(name)
}

// options are mcp's for one server.
func (o *Options) options(dir string, headers http.Header) mcp.Options {
	return mcp.Options{
		Limits:    mcp.Limits{Timeout: o.Timeout},
		Protocol:  o.Protocol,
		Dir:       dir,
		Headers:   headers,
		Lookup:    o.lookupEnv,
		PassEnv:   o.PassEnv,
		Version:   o.Version,
		Prepare:   o.Prepare,
		CheckFile: o.CheckFile,
	}
}
