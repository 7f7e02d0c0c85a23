package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// bless shows what pinning the listings would change, asks where a person can answer, and writes.
func (c *Command) bless(ctx context.Context, f initFlags, p *plan, all []found) (int, error) {
	next, texts, err := c.renew(f, p, all)
	if err != nil {
		return 0, err
	}
	review := verify.ReviewLocks(p.old.Lock, next, p.old.Contracts(), texts)
	again := slices.ContainsFunc(review.Servers, func(s verify.ServerReview) bool { return s.Kind != contract.Added })
	if again {
		if err := report.ReviewText(c.Stdout, review, c.textOptions(c.Stdout)); err != nil {
			return 0, problemf("", "%v", err)
		}
		if !f.yes && isTerminal(c.Stdin) && !c.ask(ctx, "Pin this?") {
			fmt.Fprintf(c.Stderr, "contractpin init: nothing is written\n")
			return verify.ExitDrift, nil
		}
	}
	if samePins(p.old.Lock, next) {
		next = nil
	}
	if err := c.save(p.old, next, texts, f.noContracts); err != nil {
		return 0, err
	}
	if next == nil {
		fmt.Fprintf(c.Stdout, "nothing changed: %s stays as it is\n", f.lock)
		return verify.ExitMatch, nil
	}
	for _, l := range all {
		if s := next.Servers[l.server.Name]; s != nil && l.answer.Listing != nil {
			fmt.Fprintf(c.Stdout, "pinned %s: %s, %s\n", visible.Name(s.Name), count(len(s.Tools), "tool"), s.Digest)
		}
	}
	fmt.Fprintf(c.Stdout, "wrote %s\n", c.written(f))
	return verify.ExitMatch, nil
}

func (c *Command) written(f initFlags) string {
	if f.noContracts {
		return f.lock
	}
	return f.lock + " and " + lock.ContractsPath(f.lock) + ": commit both"
}

// renew makes the lock and the contracts that pin the listings.
func (c *Command) renew(f initFlags, p *plan, all []found) (*lock.Lock, *lock.Contracts, error) {
	next := &lock.Lock{GeneratedAt: time.Now().UTC().Truncate(time.Second), Servers: maps.Clone(p.old.Lock.Servers)}
	texts, _ := lock.LoadContracts(lock.ContractsPath(f.lock), p.old.Lock) // a copy of our own
	if texts == nil {
		texts = &lock.Contracts{}
	}
	for _, l := range all {
		if l.answer.Listing == nil {
			continue
		}
		s := *l.server
		s.Tools = l.answer.Listing.Pins()
		if len(f.tools) > 0 {
			var err error
			if s.Tools, err = someTools(f.tools, p.old.Lock.Servers[s.Name].Tools, s.Tools); err != nil {
				return nil, nil, err
			}
		}
		s.Digest = s.Tools.Digest()
		next.Servers[s.Name] = &s
		if f.noContracts {
			texts.Set(s.Name, nil)
		} else {
			texts.Set(s.Name, c.readable(&s, l.answer.Listing, p.old.Contracts()))
		}
	}
	return next, texts, nil
}

// someTools takes the named tools from the live pins and the others from the locked ones.
func someTools(names []string, locked, live contract.Pins) (contract.Pins, error) {
	out := maps.Clone(locked)
	for _, n := range names {
		pin, isLive := live[n]
		_, isLocked := locked[n]
		switch {
		case isLive:
			out[n] = pin
		case isLocked:
			delete(out, n)
		default:
			known := slices.Sorted(maps.Keys(live))
			return nil, problemf("", "--tool %s: neither the server nor the lock has it; the server has %s", visible.Name(n), run.Enumerate(known))
		}
	}
	return out, nil
}

// readable are the contracts that a server's pins stand for, where they are known and hold no secret.
func (c *Command) readable(s *lock.Server, live *contract.Listing, old *lock.Contracts) []contract.Tool {
	tools := make([]contract.Tool, 0, len(s.Tools))
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		t := live.Tool(name)
		switch {
		case t == nil || t.Pin.Digest != s.Tools[name].Digest:
			if t = old.Tool(s.Name, name); t != nil {
				tools = append(tools, *t)
			}
		case contract.Sum(t.Contract) != t.Pin.Digest:
			c.warn(fmt.Sprintf("%s: the contract of tool %s holds a secret that it was given; its text is kept out of the contracts file, and its pin will fit no other secret",
				visible.Name(s.Name), visible.Name(name)))
		default:
			tools = append(tools, *t)
		}
	}
	return tools
}

// samePins tells whether two locks pin the same, so that a renewal leaves the file alone.
func samePins(old, next *lock.Lock) bool {
	return maps.EqualFunc(old.Servers, next.Servers, func(a, b *lock.Server) bool {
		return a == b || len(lock.LaunchChanges(a, b)) == 0 && a.Digest == b.Digest && maps.Equal(a.Tools, b.Tools)
	})
}

// save writes the contracts file, then the lock (unless nil). A crash in between shows nothing false: contracts that are
// not what the lock pins are ignored.
func (c *Command) save(old *run.Pinned, next *lock.Lock, texts *lock.Contracts, noContracts bool) error {
	if err := unchanged(old); err != nil {
		return err
	}
	path := lock.ContractsPath(old.Path)
	before, err := os.ReadFile(path)
	exists := !errors.Is(err, fs.ErrNotExist)
	if data := texts.Encode(); (exists || !noContracts) && !bytes.Equal(before, data) {
		if err := lock.Write(path, data); err != nil {
			return problemf("", "%v", err)
		}
	}
	if next == nil {
		return nil
	}
	if err := lock.Write(old.Path, next.Encode()); err != nil {
		return problemf("", "%v", err)
	}
	return nil
}

// unchanged makes sure that nobody else wrote the lock since it was read.
func unchanged(old *run.Pinned) error {
	now, err := os.ReadFile(old.Path)
	if errors.Is(err, fs.ErrNotExist) && old.Lock.Digest.IsZero() || err == nil && contract.Sum(now) == old.Lock.Digest {
		return nil
	}
	return problemf("run it again", "%s was changed by another program meanwhile; nothing is written", old.Path)
}

// ask puts a question to the person at the terminal. No answer is no.
func (c *Command) ask(ctx context.Context, question string) bool {
	fmt.Fprintf(c.Stderr, "\n%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(c.Stdin).ReadString('\n')
		answer <- line
	}()
	select {
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true
		}
	case <-ctx.Done():
		fmt.Fprintln(c.Stderr)
	}
	return false
}
