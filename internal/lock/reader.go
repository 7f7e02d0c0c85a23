package lock

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/contract"
)

// parser reads a lock or a contracts file in one pass. It tells two kinds of errors apart: what canon refuses ends the
// reading; the first fault in the meaning is kept, and the rest is only checked for its syntax.
type parser struct {
	r        canon.Reader
	src      []byte
	file     string
	place    []string // keys on the way to what is being read
	first    *Error
	lineOff  int // lines counts the line feeds before this offset
	lines    int
	warnings []string
	ignored  int // how often warn was called
}

// node is a value: its first character as canon.Reader.Kind has it, and a string's decoded text or a number's canonical
// literal.
type node struct {
	off  int
	kind byte
	text string
}

// nodes are the members of an object that stands at line.
type nodes struct {
	line int
	of   map[string]node
}

// document reads the whole file, an object, and calls member with every key of it. Its error is an *Error.
func (p *parser) document(name string, src []byte, member func(key string) error) error {
	p.file, p.src = name, src
	switch {
	case len(bytes.TrimSpace(src)) == 0:
		return &Error{File: name, Reason: "empty file", Hint: "restore it from git, or write it with contractpin init"}
	case bytes.HasPrefix(src, []byte("\uFEFF")):
		return &Error{File: name, Line: 1, Reason: "starts with a byte order mark", Hint: "save it as UTF-8 without one"}
	}
	p.r.Reset(src, func([]byte) bool { return false })
	defer p.r.Reset(nil, nil)
	kind := p.r.Kind()
	begin := p.offset()
	var err error
	if kind == '{' {
		err = p.r.Object(func(key []byte) error { return p.at(string(key), member) }) // every key, whatever the faults below
	} else {
		_, err = p.r.Value()
	}
	if err == nil {
		err = p.r.End()
	}
	switch {
	case err != nil:
		return p.syntax(err)
	case kind != '{':
		return p.errorAt(begin, "must be an object, found "+canon.KindName(kind))
	}
	return nil
}

// syntax says what canon says, with line and place.
func (p *parser) syntax(err error) error {
	if line, marker := mergeMarker(p.src); line > 0 {
		return &Error{File: p.file, Line: line, Reason: "merge conflict marker " + marker +
			": resolve the conflict, then run contractpin init --force for the servers in it"}
	}
	var ce *canon.Error
	if !errors.As(err, &ce) {
		return err
	}
	if c := bytes.TrimSpace(p.src)[0]; c != '{' && c != '[' && c != '"' {
		return &Error{File: p.file, Line: 1, Reason: "must be a JSON object, and is no JSON at all"}
	}
	off := min(int(ce.Offset), len(p.src))
	out := p.errorAt(off, ce.Reason)
	out.Place = pointerPlace(ce.Pointer)
	if off >= len(bytes.TrimRight(p.src, " \t\r\n")) {
		out.Hint = "the file is cut off: restore it from git"
	}
	return out
}

// mergeMarker finds the first line that git would have written for a conflict. No line of JSON begins like that, as a
// string holds no line feed.
func mergeMarker(src []byte) (line int, marker string) {
	for l := range bytes.Lines(src) {
		line++
		for _, m := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(l, []byte(m)) {
				return line, m
			}
		}
	}
	return 0, ""
}

// object reads the object that is next and calls member with every key, whose value is then next, until a fault is found.
// Another kind of value is a fault.
func (p *parser) object(member func(key string) error) error {
	if kind := p.r.Kind(); kind != '{' {
		p.fail(p.errorAt(p.offset(), "must be an object, found "+canon.KindName(kind)))
		return nil
	}
	return p.r.Object(func(key []byte) error {
		if p.first != nil {
			return nil
		}
		name, known := interned[string(key)]
		if !known {
			name = string(key)
		}
		return p.at(name, member)
	})
}

// at calls member with the place of its key.
func (p *parser) at(key string, member func(key string) error) error {
	p.place = append(p.place, key)
	err := member(key)
	p.place = p.place[:len(p.place)-1]
	return err
}

// interned holds the keys that stand in every tool's entry, so that 100,000 tools do not allocate them each.
var interned = map[string]string{
	"digest": "digest", "fields": "fields",
	contract.FieldAnnotations: contract.FieldAnnotations, contract.FieldDescription: contract.FieldDescription,
	contract.FieldInputSchema: contract.FieldInputSchema, contract.FieldName: contract.FieldName,
	contract.FieldOutputSchema: contract.FieldOutputSchema,
}

// node reads the value that is next, if it is no object and no array.
func (p *parser) node() (node, error) {
	n := node{kind: p.r.Kind()}
	n.off = p.offset()
	if n.kind == '{' || n.kind == '[' {
		return n, nil
	}
	v, err := p.r.Value()
	if err != nil {
		return n, err
	}
	switch n.kind {
	case '"':
		n.text, _ = v.Text()
	case '0':
		n.text = string(v.Append(nil))
	}
	return n, nil
}

// offset is where the next value begins, if Kind has been asked for.
func (p *parser) offset() int { return int(p.r.Offset()) }

// keyLine is the line of the key whose value is next.
func (p *parser) keyLine() int {
	p.r.Kind()
	return p.line(bytes.LastIndexByte(p.src[:p.offset()], '"'))
}

// line returns the line of an offset, from 1. Asking in ascending order makes a whole file linear.
func (p *parser) line(off int) int {
	if off >= p.lineOff {
		p.lines += bytes.Count(p.src[p.lineOff:off], newline)
	} else {
		p.lines -= bytes.Count(p.src[off:p.lineOff], newline)
	}
	p.lineOff = off
	return p.lines + 1
}

var newline = []byte{'\n'}

// typed returns a required member of a kind.
func (p *parser) typed(m nodes, key string, kind byte) (node, *Error) {
	n, ok := m.of[key]
	if !ok {
		return n, &Error{File: p.file, Place: p.placeOf(key), Line: m.line, Reason: "required key is missing"}
	}
	if n.kind != kind {
		return n, p.errorAt(n.off, "must be "+canon.KindName(kind)+", found "+canon.KindName(n.kind), key)
	}
	return n, nil
}

// fixed checks a member that has one value in this version of the format.
func (p *parser) fixed(m nodes, key, want, what string) *Error {
	n, ok := m.of[key]
	if ok && n.kind == '"' && n.text == want {
		return nil
	}
	if !ok {
		_, err := p.typed(m, key, '"')
		return err
	}
	return p.errorAt(n.off, "unknown "+what+" "+n.String()+": this program knows only "+quote(want), key)
}

// fail keeps the first fault. A nil e is none.
func (p *parser) fail(e *Error) {
	if p.first == nil {
		p.first = e
	}
}

func (p *parser) errorAt(off int, reason string, below ...string) *Error {
	return &Error{File: p.file, Place: p.placeOf(below...), Line: p.line(off), Reason: reason}
}

func (p *parser) placeOf(below ...string) string {
	return place(append(p.place[:len(p.place):len(p.place)], below...))
}

const maxWarnings = 10

// warn keeps what was ignored, but no more of it than a person reads.
func (p *parser) warn(e *Error, consequence string) {
	if p.ignored++; p.ignored <= maxWarnings {
		p.warnings = append(p.warnings, e.Error()+"; "+consequence)
	}
}

// allWarnings are those that were kept, and how many were not.
func (p *parser) allWarnings() []string {
	if more := p.ignored - len(p.warnings); more > 0 {
		return append(p.warnings, p.file+": "+strconv.Itoa(more)+" more of this kind")
	}
	return p.warnings
}

// String shows a node in an error: a string quoted, a number as it is, else the kind.
func (n node) String() string {
	switch n.kind {
	case '"':
		return quote(n.text)
	case '0':
		return n.text + " (a number, not a string)"
	}
	return "(" + canon.KindName(n.kind) + ")"
}

// quote quotes at most 80 bytes of a text in ASCII.
func quote(s string) string {
	if len(s) > 80 {
		return strconv.QuoteToASCII(strings.ToValidUTF8(s[:80], "")) + "..."
	}
	return strconv.QuoteToASCII(s)
}

// place joins keys by dots: servers.acme.tools.search.digest. A key that is not plain is quoted; of very many the first
// ones are shown.
func place(keys []string) string {
	var b strings.Builder
	for i, k := range keys {
		if i == 10 {
			b.WriteString("...")
			break
		}
		if i > 0 {
			b.WriteByte('.')
		}
		if plainKey(k) {
			b.WriteString(k)
		} else {
			b.WriteString(quote(k))
		}
	}
	return b.String()
}

func plainKey(k string) bool {
	for i := 0; i < len(k); i++ {
		switch c := k[i]; {
		case c == '_' || c == '-' || c == '/' || c == '@' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
		default:
			return false
		}
	}
	return k != ""
}

// pointerPlace turns a JSON Pointer into a place.
func pointerPlace(pointer string) string {
	if pointer == "" {
		return ""
	}
	keys := strings.Split(pointer[1:], "/")
	for i, k := range keys {
		keys[i] = strings.ReplaceAll(strings.ReplaceAll(k, "~1", "/"), "~0", "~")
	}
	return place(keys)
}
