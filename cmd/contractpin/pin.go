package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// found is what listing a server twice came to.
type found struct {
	server   *lock.Server
	answer   verify.Answer     // of the last listing
	unstable []contract.Change // of the last listing against the first
	depends  []run.Dependence  // of a server that is started
}

// list lists every target in two launches (two sessions over http), one after the other, and several targets at once. It
// waits out the settle time of each listing: a list that is pinned half would be worse than none.
func list(ctx context.Context, p *plan, o run.Options, done func(string, verify.Answer)) []found {
	reach := run.Reach(p.old.Path, p.headers, o)
	out := make([]found, len(p.targets))
	var g errgroup.Group
	g.SetLimit(max(4, 2*runtime.NumCPU()))
	var one sync.Mutex
	for i, s := range p.targets {
		g.Go(func() error {
			out[i] = listTwice(ctx, s, reach)
			if first := out[i].answer.Listing; first != nil {
				if len(out[i].unstable) > 0 {
					first = nil
				}
				// That it cannot be listed elsewhere is no news: many servers need the folder that they were given.
				out[i].depends, _ = run.Depends(ctx, p.old.Path, s, first, o)
			}
			one.Lock()
			defer one.Unlock()
			done(s.Name, out[i].answer)
			return nil
		})
	}
	g.Wait()
	return out
}

func listTwice(ctx context.Context, s *lock.Server, reach verify.Reach) found {
	first := reach(ctx, s, nil)
	if first.Listing == nil || s.Transport == lock.File {
		return found{server: s, answer: first}
	}
	second := reach(ctx, s, nil)
	if second.Listing == nil {
		return found{server: s, answer: second}
	}
	changes, _ := contract.Compare(first.Listing.Pins(), second.Listing.Pins())
	return found{server: s, answer: second, unstable: changes}
}

// judge says what is wrong with the listings, and whether they can be pinned.
func (c *Command) judge(all []found, partial bool) bool {
	listed := 0
	for _, f := range all {
		name := visible.Name(f.server.Name)
		for _, w := range f.answer.Warnings {
			c.warn(name + ": " + w)
		}
		if f.answer.Listing == nil {
			c.explainFailure(name, f.answer)
			continue
		}
		listed++
		c.warnUnstable(name, f.unstable)
		c.warn(depends(name, f.depends)...)
	}
	if listed < len(all) && !(partial && listed > 0) {
		fmt.Fprintf(c.Stderr, "contractpin init: nothing is written\n")
		return false
	}
	return true
}

func (c *Command) explainFailure(name string, a verify.Answer) {
	fmt.Fprintf(c.Stderr, "contractpin init: %s is %s: %s\n", name, a.Status, visible.Line(a.Failure.Message, 0))
	if a.Failure.Hint != "" {
		fmt.Fprintf(c.Stderr, "hint: %s\n", visible.Line(a.Failure.Hint, 0))
	}
	if a.Failure.Stderr == "" {
		return
	}
	fmt.Fprintf(c.Stderr, "the last lines that it wrote to stderr:\n")
	lines := strings.Split(strings.TrimSpace(a.Failure.Stderr), "\n")
	for _, l := range lines[max(0, len(lines)-10):] {
		fmt.Fprintf(c.Stderr, "  | %s\n", visible.Line(l, 200))
	}
}

// warnUnstable names what differs between two listings of one server, the first ten tools.
func (c *Command) warnUnstable(name string, changes []contract.Change) {
	const most = 10
	for i, ch := range changes {
		if i == most {
			c.warn(fmt.Sprintf("%s: %d more tools differ", name, len(changes)-most))
			break
		}
		tool := visible.Name(ch.Tool)
		switch ch.Kind {
		case contract.Added:
			c.warn(fmt.Sprintf("%s is unstable: tool %s was listed the second time only", name, tool))
		case contract.Removed:
			c.warn(fmt.Sprintf("%s is unstable: tool %s was listed the first time only", name, tool))
		default:
			var fields []string
			for _, f := range ch.Fields {
				fields = append(fields, f.Field)
			}
			c.warn(fmt.Sprintf("%s is unstable: tool %s differs in %s between two listings", name, tool, strings.Join(fields, " and ")))
		}
	}
	if len(changes) > 0 {
		c.warn(name + ": a contract that is not the same twice cannot be pinned; expect verify to report drift")
	}
}

// depends words what a contract depends on, the first ten parts of it.
func depends(name string, all []run.Dependence) []string {
	const most = 10
	var out []string
	for i, d := range all {
		if i == most {
			return append(out, fmt.Sprintf("%s: %d more parts depend on such things", name, len(all)-most))
		}
		out = append(out, name+": "+d.String())
	}
	return out
}
