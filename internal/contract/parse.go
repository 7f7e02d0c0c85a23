package contract

import (
	"errors"
	"strconv"
	"sync"

	"github.com/contractpin/verify/internal/canon"
)

// parser reads a listing. After what is malformed it goes on to the end, because what is no JSON at all outranks it.
type parser struct {
	canon.Reader
	drop  bool // contracts, once they are digested
	size  int
	arena arena
	*listed
	all []*listed // that were begun
}

// listed is what was found in one listing.
type listed struct {
	pinner
	next    *string
	rounded []Place
	err     *Malformed
}

// maxRounded bounds the Places of one page.
const maxRounded = 100

var parsers = sync.Pool{New: func() any { return new(parser) }}

func newParser(raw []byte, drop bool) *parser {
	p := parsers.Get().(*parser)
	p.Reset(raw, pinned)
	p.drop, p.size, p.arena = drop, len(raw), arena{rest: len(raw)}
	p.begin()
	return p
}

// begin makes what is found next a listing of its own.
func (p *parser) begin() {
	p.listed = &listed{pinner: pinner{drop: p.drop}}
	p.all = append(p.all, p.listed)
}

func (p *parser) release() {
	for _, l := range p.all {
		l.stop()
	}
	p.Reset(nil, nil)
	p.arena, p.listed, p.all = arena{}, nil, nil
	parsers.Put(p)
}

func (p *parser) page() *Page {
	return &Page{Tools: p.finish(), Next: p.next, Bytes: p.size, Rounded: p.rounded}
}

// malformed notes the first thing that is wrong.
func (p *parser) malformed(message string) {
	if p.err == nil {
		p.err = &Malformed{CodeNotAListing, message}
	}
}

// skip notes that the value that comes next is malformed, and passes it.
func (p *parser) skip(message string) error {
	_, err := p.Value()
	if err == nil {
		p.malformed(message)
	}
	return err
}

// end takes the error of the reading and says what it came to.
func (p *parser) end(err error) error {
	if err == nil {
		err = p.End()
	}
	if c := (*canon.Error)(nil); errors.As(err, &c) {
		return &Malformed{CodeSyntax, "no valid JSON: " + c.Error()}
	}
	if p.err != nil {
		return p.err
	}
	return nil
}

// ParseTool reads one raw tool object (of a listing or of the contracts file). Errors are *Malformed.
func ParseTool(raw []byte) (*Tool, error) {
	p := newParser(raw, false)
	defer p.release()
	if err := p.end(p.named("the tool")); err != nil {
		return nil, err
	}
	return &p.finish()[0], nil
}

// tool reads the i-th tool of a listing.
func (p *parser) tool(i int) error { return p.named("tools[" + strconv.Itoa(i) + "]") }

// named reads a tool; what names it in messages.
func (p *parser) named(what string) error {
	v, err := p.Value()
	if err != nil {
		return err
	}
	if v.Kind() != '{' {
		p.malformed(what + " is " + canon.KindName(v.Kind()) + ", not an object")
		return nil
	}
	values, t := [len(fields)]canon.Value{}, Tool{}
	for key, value := range v.Members() {
		if i := fieldIndex(string(key)); i >= 0 {
			values[i] = value
		}
	}
	name, ok := values[fieldIndex(FieldName)], false
	switch t.Name, ok = name.Text(); {
	case ok:
	case name.Kind() == 0:
		p.malformed(what + " has no name")
		return nil
	default:
		p.malformed(what + " has a name that is " + canon.KindName(name.Kind()) + ", not a string")
		return nil
	}
	t.write(&p.arena, &values)
	p.add(t, float64(p.Offset())/float64(p.size))
	for _, r := range p.Rounded()[:min(len(p.Rounded()), maxRounded-len(p.rounded))] {
		p.rounded = append(p.rounded, Place{t.Name, r.Pointer, r.Literal})
	}
	return nil
}
