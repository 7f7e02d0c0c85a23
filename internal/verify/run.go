package verify

import (
	"cmp"
	"context"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
)

// Answer is what reaching one server came to: a listing, or the reason why there is none.
type Answer struct {
	Listing  *contract.Listing // nil when Status is set
	Status   Status            // Unreachable, Malformed or Blocked; "" with a listing
	Failure  *Failure
	Warnings []string
	Timing   *Timing
}

// Reach lists one server. matches tells whether a listing is the pinned one. It must return when ctx is done.
type Reach func(ctx context.Context, s *lock.Server, matches func(*contract.Listing) bool) Answer

// Options of a run.
type Options struct {
	Names       []string     // the selected servers, all known to the lock; nil: all
	AllowNew    bool         // an added tool is no failure
	Concurrency int          // servers at once; zero: twice the CPUs, at least four
	Texts       Texts        // the locked texts, where known; asked only for what differs. Nil: none
	Done        func(Server) // called as each server finishes, one at a time
}

// Texts returns the locked contract of a tool, or nil where it is not known. It may be called by several servers at once.
type Texts func(server, tool string) *contract.Tool

// Run checks every selected server and never lets one hide another. It ends when ctx does: servers unfinished by then
// are unreachable with reason "interrupted".
func Run(ctx context.Context, l *lock.Lock, reach Reach, o Options) *Report {
	names := o.Names
	if names == nil {
		names = l.Names()
	}
	servers := make([]Server, len(names))
	finished := make(chan int)
	go func() {
		defer close(finished)
		var g errgroup.Group
		g.SetLimit(cmp.Or(o.Concurrency, max(4, 2*runtime.NumCPU())))
		for i, name := range names {
			g.Go(func() error {
				servers[i] = check(ctx, l.Servers[name], reach, o)
				finished <- i
				return nil
			})
		}
		g.Wait()
	}()
	for i := range finished {
		if o.Done != nil {
			o.Done(servers[i])
		}
	}
	r := &Report{LockDigest: l.Digest, Servers: servers}
	r.Finish()
	return r
}

func check(ctx context.Context, s *lock.Server, reach Reach, o Options) Server {
	began := time.Now()
	out := Server{
		Name: s.Name, Transport: s.Transport, Line: s.Line,
		Locked: Side{Digest: s.Digest, ToolCount: len(s.Tools)},
	}
	var a Answer
	if ctx.Err() != nil {
		a = Answer{Status: Unreachable, Failure: &Failure{Code: "interrupted", Message: "interrupted before it was started"}}
	} else {
		a = reach(ctx, s, func(l *contract.Listing) bool { return l.Digest == s.Digest })
	}
	out.Warnings, out.Timing = a.Warnings, a.Timing
	if a.Listing == nil {
		out.Status, out.Reason = a.Status, a.Failure
	} else {
		compare(&out, s, a.Listing, o)
	}
	out.DurationMS = time.Since(began).Milliseconds()
	return out
}

func compare(out *Server, s *lock.Server, live *contract.Listing, o Options) {
	out.Live = &Side{Digest: live.Digest, ToolCount: len(live.Tools)}
	out.Status = Match
	if live.Digest == s.Digest { // the digest covers every name and tool digest
		out.Counts.Unchanged = len(live.Tools)
		return
	}
	changes, unchanged := contract.Compare(s.Tools, live.Pins())
	out.Counts.Unchanged = unchanged
	pinned := func(name string) bool { _, ok := s.Tools[name]; return ok }
	for _, c := range changes {
		var old *contract.Tool
		if o.Texts != nil {
			old = o.Texts(s.Name, c.Tool)
		}
		ch := describe(c, old, live.Tool(c.Tool), pinned)
		ch.Line = cmp.Or(s.ToolLines[c.Tool], s.Line)
		ch.Allowed = o.AllowNew && c.Kind == contract.Added
		out.Counts.add(c.Kind)
		if !ch.Allowed {
			out.Status = Drift
		}
		out.Changes = append(out.Changes, ch)
	}
}

// describe adds to a change what a person can read. old is nil where the locked text is not known.
func describe(c contract.Change, old, live *contract.Tool, pinned func(string) bool) Change {
	ch := Change{
		Tool: c.Tool, Kind: c.Kind, Locked: c.Locked, Live: c.Live, Fields: make([]FieldChange, 0, len(c.Fields)),
	}
	switch c.FieldsUnknown {
	case "absent":
		ch.Note = "the lock has no field digests for this tool, so every live field is listed"
	case "edited":
		ch.Note = "the lock's field digests agree with the live ones although the tool digest does not: they were edited, so every live field is listed"
	}
	known := (old != nil || c.Kind == contract.Added) && (live != nil || c.Kind == contract.Removed)
	details := map[string][]contract.Detail{}
	for _, f := range c.Fields {
		ds := contract.Describe(fieldOf(old, f.Field), fieldOf(live, f.Field), known)
		if len(ds) > 0 {
			details[f.Field] = ds
		}
		ch.Fields = append(ch.Fields, FieldChange{Field: f.Field, Kind: f.Kind, Locked: f.Locked, Live: f.Live, Details: ds})
	}
	if c.Kind != contract.Removed {
		ch.Labels = contract.Labels(c.Tool, c.Kind, details, pinned)
	}
	return ch
}

func fieldOf(t *contract.Tool, name string) []byte {
	if t == nil {
		return nil
	}
	return t.Field(name)
}

// RoundedWarning words SPEC §3.6's warning about one number.
func RoundedWarning(p contract.Place) string {
	return "tool " + strconv.QuoteToASCII(p.Tool) + ": " + p.Pointer + " holds " + p.Literal +
		", which a double cannot hold: it is pinned rounded, and a neighbouring value would have the same digest"
}
