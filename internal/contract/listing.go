package contract

import (
	"slices"
	"sort"
	"strings"

	"github.com/contractpin/verify/internal/visible"
)

// Listing is what tools/list returned, all pages joined: tools sorted by name (as Go strings compare).
type Listing struct {
	Tools   []Tool
	Digest  Digest
	Rounded []Place // integer literals that a double cannot hold, pinned rounded (SPEC §3.6); at most 100 a page
}

// Place is a spot inside a tool's contract.
type Place struct {
	Tool    string
	Pointer string // JSON Pointer into the contract object
	Literal string // as served, at most 64 bytes
}

// Pins maps the listing's tools to their pins.
func (l *Listing) Pins() Pins {
	p := make(Pins, len(l.Tools))
	for i := range l.Tools {
		p[l.Tools[i].Name] = l.Tools[i].Pin
	}
	return p
}

// Tool returns the tool of that name; nil where there is none.
func (l *Listing) Tool(name string) *Tool {
	i, ok := slices.BinarySearchFunc(l.Tools, name, func(t Tool, name string) int { return strings.Compare(t.Name, name) })
	if !ok {
		return nil
	}
	return &l.Tools[i]
}

// Join makes a listing of all pages. Two tools of one name are *Malformed with Code "duplicate-tool".
func Join(pages []*Page) (*Listing, error) {
	all := &Page{}
	for _, p := range pages {
		all.Tools = append(all.Tools, p.Tools...)
		all.Rounded = append(all.Rounded, p.Rounded...)
	}
	return all.join()
}

// byName sorts tools where they are: a function of two of them would copy both for every comparison.
type byName []Tool

func (t byName) Len() int           { return len(t) }
func (t byName) Less(i, j int) bool { return t[i].Name < t[j].Name }
func (t byName) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// join makes a listing of the page, whose slices it takes.
func (p *Page) join() (*Listing, error) {
	l := &Listing{Tools: p.Tools, Rounded: p.Rounded}
	sort.Sort(byName(l.Tools))
	digests := make([]namedDigest, len(l.Tools))
	for i := range l.Tools {
		name := l.Tools[i].Name
		if i > 0 && name == digests[i-1].name {
			return nil, &Malformed{CodeDuplicateTool, `two tools are named "` + visible.Name(name[:min(len(name), 200)]) + `"`}
		}
		digests[i] = namedDigest{name, l.Tools[i].Pin.Digest}
	}
	l.Digest = serverDigest(digests)
	slices.SortStableFunc(l.Rounded, func(a, b Place) int { return strings.Compare(a.Tool, b.Tool) })
	return l, nil
}
