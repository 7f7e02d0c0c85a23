package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// progress tells a person how far the listing of several servers is: a line for each as it finishes, and on a terminal a
// bar below them that is gone at the end.
type progress struct {
	w       io.Writer
	bar     bool
	width   int // columns
	lines   bool
	total   int
	mu      sync.Mutex
	waiting []string
}

func (c *Command) progress(servers []*lock.Server) *progress {
	p := &progress{w: c.Stderr, bar: isTerminal(c.Stderr), width: cmp.Or(c.textOptions(c.Stderr).Width, 80)}
	for _, s := range servers {
		p.waiting = append(p.waiting, visible.Name(s.Name))
	}
	p.total = len(p.waiting)
	p.lines = p.total > 1
	p.draw()
	return p
}

// finished takes note of a server's last listing.
func (p *progress) finished(name string, a verify.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name = visible.Name(name)
	p.waiting = slices.DeleteFunc(p.waiting, func(n string) bool { return n == name })
	p.clear()
	switch {
	case !p.lines:
	case a.Listing != nil:
		fmt.Fprintf(p.w, "%s: %s\n", name, count(len(a.Listing.Tools), "tool"))
	default:
		fmt.Fprintf(p.w, "%s: %s\n", name, a.Status)
	}
	p.draw()
}

func (p *progress) draw() {
	if !p.bar || len(p.waiting) == 0 {
		return
	}
	const cells = 20
	done := p.total - len(p.waiting)
	full := cells * done / p.total
	line := fmt.Sprintf("[%s%s] %d of %d, waiting for %s", strings.Repeat("#", full), strings.Repeat("-", cells-full),
		done, p.total, strings.Join(p.waiting, ", "))
	fmt.Fprintf(p.w, "\r%s", visible.Line(line, p.width-4)) // what wraps could not be cleared
}

func (p *progress) clear() {
	if p.bar {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
