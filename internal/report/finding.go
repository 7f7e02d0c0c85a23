package report

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// A finding is one thing to read: the same change of the same field on one tool or on many, or a tool that was added or
// removed.
type finding struct {
	kind      string // contract.Drifted, Added or Removed: of the tools
	field     string // "" for added and removed tools
	fieldKind string // contract.Changed, Added or Removed: of the field
	details   []contract.Detail
	tools     []*verify.Change // sorted by name, never empty
	shared    bool             // on enough tools to be told apart from what changed on few
	labels    []string         // what the finding does, in contract's words
	folded    int              // further findings of unknown old values told with this one
	renamed   *verify.Change   // of an added or removed tool: the one it may have been, or become
}

// shareFrom is the number of tools from which on a detail is told once for all of them, even where the tools differ in
// other things too.
const shareFrom = 3

// findings is what changed on one server, the most telling first.
type findings struct {
	list []finding
	// common counts the drifted tools that differ only in shared findings; own those that have changes of their own.
	common, own int
	renamed     int // removed tools that may have been renamed
}

// atom tells one detail of one field apart from others: two tools have the same atom when the same happened to both.
type atom struct {
	field, kind, detail, pointer, old, new string
	digests                                [2]contract.Digest // set where the old or the new value is not known
}

func atomOf(f *verify.FieldChange, d *contract.Detail) atom {
	a := atom{field: f.Field, kind: f.Kind, detail: d.Kind, pointer: d.Pointer, old: d.Old, new: d.New}
	switch d.Kind {
	case contract.DetailServed, contract.DetailPinned, contract.DetailMore, "":
		a.digests = [2]contract.Digest{f.Locked, f.Live}
	}
	return a
}

// collect groups a server's changes into findings.
func collect(changes []verify.Change) findings {
	var out findings
	g := newGrouper()
	for i := range changes {
		g.count(i, &changes[i])
	}
	partner := renames(changes)
	for i := range changes {
		c := &changes[i]
		switch {
		case c.Kind != contract.Drifted:
			out.list = append(out.list, finding{kind: c.Kind, tools: []*verify.Change{c}, labels: c.Labels, renamed: partner[i]})
			if c.Kind == contract.Removed && partner[i] != nil {
				out.renamed++
			}
		case g.own(i, c):
			out.own++
		default:
			out.common++
		}
	}
	out.list = append(out.list, g.findings(changes)...)
	slices.SortStableFunc(out.list, func(a, b finding) int {
		if d := a.weight() - b.weight(); d != 0 {
			return d
		}
		if d := len(b.tools) - len(a.tools); d != 0 {
			return d
		}
		return strings.Compare(a.tools[0].Tool, b.tools[0].Tool)
	})
	return out
}

// presence words that a tool is new or gone; "" for one that is still there. strong marks words, show escapes a name.
func (f *finding) presence(strong, show func(string) string) string {
	switch {
	case f.kind == contract.Removed && f.renamed != nil:
		return strong("removed") + ", maybe renamed to " + show(f.renamed.Tool)
	case f.kind == contract.Removed:
		return strong("removed")
	case f.kind != contract.Added:
		return ""
	}
	s := strong("new tool")
	if f.tools[0].Allowed {
		s = "new tool, allowed"
	}
	if f.renamed != nil {
		s += ", maybe " + show(f.renamed.Tool) + " renamed"
	}
	return s
}

// weight orders findings: what reviewers must not miss comes first, what looks like an upgrade last.
func (f *finding) weight() int {
	for i, l := range alarming {
		if slices.Contains(f.labels, l) {
			return i
		}
	}
	switch {
	case f.kind == contract.Removed:
		return 90
	case f.kind == contract.Added:
		return 20
	case slices.Contains(f.labels, contract.LabelSDK):
		return 80
	}
	switch f.field {
	case contract.FieldDescription:
		return 10
	case contract.FieldAnnotations:
		return 30
	case contract.FieldInputSchema:
		return 40
	}
	return 50
}

// alarming labels, the worst first: they come before everything else.
var alarming = []string{contract.LabelHidden, contract.LabelInstruction, contract.LabelNamesTool, contract.LabelHint}

// unknown tells whether the old value of a changed field is not known: only digests, or what is served now.
func (f *finding) unknown() bool {
	return len(f.details) == 0 || f.details[0].Kind == contract.DetailServed
}

// digests returns the pair that all tools of a finding have in common, if there is one.
func (f *finding) digests() (locked, live contract.Digest, same bool) {
	for i, c := range f.tools {
		a, b := c.Locked, c.Live
		if f.field != "" {
			for _, fc := range c.Fields {
				if fc.Field == f.field {
					a, b = fc.Locked, fc.Live
				}
			}
		}
		if i > 0 && (a != locked || b != live) {
			return contract.Digest{}, contract.Digest{}, false
		}
		locked, live = a, b
	}
	return locked, live, true
}

// A grouper finds the details that many tools share, then the ones that tools have of their own. Details can be long
// and many, so they are hashed once, and compared only with those of the same hash.
type grouper struct {
	seed   maphash.Seed
	atoms  []atom
	detail []*contract.Detail // by atom; nil where there is none
	tools  [][]int            // by atom: indices of its tools
	byHash map[uint64][]int
	of     map[[2]int][]int // by tool and field index: its atoms
	rest   []row
	lookup map[uint64][]int // rest by hash
}

// row is the own changes of one field, on the tools that have exactly these.
type row struct {
	atoms []int
	tools []int
	field string
	kind  string
}

func newGrouper() *grouper {
	return &grouper{seed: maphash.MakeSeed(), byHash: map[uint64][]int{}, of: map[[2]int][]int{}, lookup: map[uint64][]int{}}
}

func (g *grouper) count(tool int, c *verify.Change) {
	if c.Kind != contract.Drifted {
		return
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		atoms := make([]int, 0, len(f.Details))
		for j := range f.Details {
			atoms = append(atoms, g.add(tool, atomOf(f, &f.Details[j]), &f.Details[j]))
		}
		if len(f.Details) == 0 {
			atoms = append(atoms, g.add(tool, atomOf(f, &contract.Detail{}), nil))
		}
		g.of[[2]int{tool, i}] = atoms
	}
}

// add records that a tool has an atom and returns its index.
func (g *grouper) add(tool int, a atom, d *contract.Detail) int {
	h := maphash.Comparable(g.seed, a)
	for _, i := range g.byHash[h] {
		if g.atoms[i] == a {
			if t := g.tools[i]; t[len(t)-1] != tool {
				g.tools[i] = append(t, tool)
			}
			return i
		}
	}
	i := len(g.atoms)
	g.atoms, g.detail, g.tools = append(g.atoms, a), append(g.detail, d), append(g.tools, []int{tool})
	g.byHash[h] = append(g.byHash[h], i)
	return i
}

func (g *grouper) shared(atom int) bool { return len(g.tools[atom]) >= shareFrom }

// own collects what changed on a tool beyond what it shares with others, and tells whether there is any such change.
func (g *grouper) own(tool int, c *verify.Change) bool {
	any := false
	for i := range c.Fields {
		own := slices.DeleteFunc(slices.Clone(g.of[[2]int{tool, i}]), g.shared)
		if len(own) == 0 {
			continue
		}
		any = true
		h := maphash.Comparable(g.seed, [2]int{own[0], len(own)})
		found := false
		for _, k := range g.lookup[h] {
			if r := &g.rest[k]; slices.Equal(r.atoms, own) {
				r.tools, found = append(r.tools, tool), true
			}
		}
		if !found {
			g.lookup[h] = append(g.lookup[h], len(g.rest))
			g.rest = append(g.rest, row{atoms: own, tools: []int{tool}, field: c.Fields[i].Field, kind: c.Fields[i].Kind})
		}
	}
	return any
}

// findings turns the atoms into findings: the shared ones of the same tools together, then the rows.
func (g *grouper) findings(changes []verify.Change) []finding {
	var rows []row
	byTools := map[uint64][]int{} // rows by field and tools
	for i := range g.atoms {
		if !g.shared(i) {
			continue
		}
		h := maphash.Comparable(g.seed, [3]int{len(g.tools[i]), g.tools[i][0], g.tools[i][len(g.tools[i])-1]})
		found := false
		for _, k := range byTools[h] {
			if r := &rows[k]; r.field == g.atoms[i].field && r.kind == g.atoms[i].kind && slices.Equal(r.tools, g.tools[i]) {
				r.atoms, found = append(r.atoms, i), true
				break
			}
		}
		if !found {
			byTools[h] = append(byTools[h], len(rows))
			rows = append(rows, row{atoms: []int{i}, tools: g.tools[i], field: g.atoms[i].field, kind: g.atoms[i].kind})
		}
	}
	sharedRows := len(rows)
	rows = append(rows, g.rest...)
	out := make([]finding, len(rows))
	for i, r := range rows {
		f := finding{kind: contract.Drifted, field: r.field, fieldKind: r.kind, shared: i < sharedRows}
		for _, a := range r.atoms {
			if d := g.detail[a]; d != nil {
				f.details = append(f.details, *d)
			}
		}
		for _, t := range r.tools {
			f.tools = append(f.tools, &changes[t])
		}
		f.labels = labelsOf(&f)
		out[i] = f
	}
	return out
}

// labelsOf names what a finding does. A report labels tools, and a tool may have several findings: what is shared is
// judged anew by its own details; of the rest, a finding has those labels of its tools that are about its field.
func labelsOf(f *finding) []string {
	if f.shared {
		return contract.Labels("", contract.Drifted, map[string][]contract.Detail{f.field: f.details}, nil)
	}
	var out []string
	for _, l := range f.tools[0].Labels {
		if fits(l, f) && !slices.ContainsFunc(f.tools[1:], func(c *verify.Change) bool { return !slices.Contains(c.Labels, l) }) {
			out = append(out, l)
		}
	}
	return out
}

// fits tells whether a label can be about the field of a finding.
func fits(label string, f *finding) bool {
	switch label {
	case contract.LabelHint:
		return f.field == contract.FieldAnnotations
	case contract.LabelRequired, contract.LabelWidened, contract.LabelNarrowed, contract.LabelInput:
		return f.field == contract.FieldInputSchema
	case contract.LabelOutput:
		return f.field == contract.FieldOutputSchema
	case contract.LabelOrder:
		return slices.ContainsFunc(f.details, func(d contract.Detail) bool { return d.Kind == contract.DetailMoved })
	case contract.LabelHidden, contract.LabelInstruction, contract.LabelText:
		return len(f.tools[0].Fields) == 1 || slices.Contains(contract.Labels("", contract.Drifted, map[string][]contract.Detail{f.field: f.details}, nil), label)
	case contract.LabelNamesTool: // which tools are pinned is not known here; the description is the likeliest place
		return f.field == contract.FieldDescription || !slices.ContainsFunc(f.tools[0].Fields, func(c verify.FieldChange) bool {
			return c.Field == contract.FieldDescription
		})
	}
	return true
}
