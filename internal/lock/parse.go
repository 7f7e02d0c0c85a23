package lock

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/contract"
)

// Parse checks a lock's bytes; name stands for the file in errors, which are *Error.
func Parse(name string, data []byte) (*Lock, error) {
	p := &parser{file: name, walker: walker{src: data}}
	if err := p.syntax(); err != nil {
		return nil, err
	}
	l, err := p.lock()
	if err != nil {
		return nil, err
	}
	l.Digest = contract.Sum(data)
	return l, nil
}

type parser struct {
	walker
	file     string
	place    []string // keys on the way to what is being read
	warnings []string
	ignored  int // how often warn was called
}

// syntax rejects what is no strict JSON object.
func (p *parser) syntax() error {
	if len(bytes.TrimSpace(p.src)) == 0 {
		return &Error{File: p.file, Reason: "empty file", Hint: "write it with contractpin init, or restore it from git"}
	}
	if err := checkJSON(p.file, p.src); err != nil {
		return err
	}
	if off := p.space(0); p.kind(off) != object {
		return p.errorAt(off, "must be an object, found "+p.kind(off))
	}
	return nil
}

// checkJSON applies canon's grammar (SPEC §3.8) to a file of ours and says what it says with line and place.
func checkJSON(file string, data []byte) error {
	if bytes.HasPrefix(data, []byte("\uFEFF")) {
		return &Error{File: file, Line: 1, Reason: "starts with a byte order mark", Hint: "save it as UTF-8 without one"}
	}
	_, err := canon.Append(make([]byte, 0, len(data)), data)
	if err == nil {
		return nil
	}
	if line, marker := mergeMarker(data); line > 0 {
		return &Error{File: file, Line: line, Reason: "merge conflict marker " + marker +
			": resolve the conflict, then run contractpin init --force for the servers in it"}
	}
	out := &Error{File: file, Reason: err.Error()}
	var ce *canon.Error
	if errors.As(err, &ce) {
		off := min(int(ce.Offset), len(data))
		out.Place, out.Reason = pointerPlace(ce.Pointer), ce.Reason
		out.Line = 1 + bytes.Count(data[:off], newline)
		if off >= len(bytes.TrimRight(data, " \t\r\n")) {
			out.Hint = "the file is cut off: restore it from git"
		}
	}
	return out
}

// mergeMarker finds the first line that git would have written for a conflict. No line of JSON begins like that, as a
// string holds no line feed.
func mergeMarker(data []byte) (line int, marker string) {
	for l := range bytes.Lines(data) {
		line++
		for _, m := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(l, []byte(m)) {
				return line, m
			}
		}
	}
	return 0, ""
}

// members returns the offsets of the values of the object at off whose keys are asked for.
func (p *parser) members(off int, keys ...string) map[string]int {
	found := make(map[string]int, len(keys))
	p.object(off, func(key, value int) (int, error) {
		name := p.text(key)
		for _, k := range keys {
			if k == name {
				found[k] = value
			}
		}
		return 0, nil
	})
	return found
}

func (p *parser) lock() (*Lock, error) {
	top := p.space(0)
	m := p.members(top, "contractpin", "algorithm", "canonicalization", "generated_at", "servers")
	// The version comes first: what another version calls its keys is not ours to judge.
	for _, fixed := range [][3]string{
		{"contractpin", Version, "lock version"}, {"algorithm", Algorithm, "algorithm"},
		{"canonicalization", Canonicalization, "canonicalization"},
	} {
		if err := p.fixed(top, m, fixed[0], fixed[1], fixed[2]); err != nil {
			return nil, err
		}
	}
	l := &Lock{Servers: map[string]*Server{}}
	at, err := p.string(top, m, "generated_at")
	if err != nil {
		return nil, err
	}
	if l.GeneratedAt, err = time.Parse(timeForm, at); err != nil || l.GeneratedAt.Format(timeForm) != at {
		return nil, p.errorAt(m["generated_at"], "malformed timestamp "+quote(at)+": want the form 2026-08-14T09:31:07Z", "generated_at")
	}
	servers, err := p.member(top, m, "servers", object)
	if err != nil {
		return nil, err
	}
	p.push("servers")
	_, err = p.object(servers, func(key, value int) (int, error) {
		s := &Server{Name: p.text(key), Line: p.line(key)}
		p.push(s.Name)
		end, err := p.server(s, key, value)
		p.pop()
		l.Servers[s.Name] = s
		return end, err
	})
	if err != nil {
		return nil, err
	}
	l.Warnings = p.warnings
	return l, nil
}

// fixed checks a key that has one value in this version of the format.
func (p *parser) fixed(owner int, m map[string]int, key, want, what string) error {
	off, ok := m[key]
	if !ok {
		return p.missing(owner, key)
	}
	if p.kind(off) == str && p.text(off) == want {
		return nil
	}
	return p.errorAt(off, "unknown "+what+" "+p.shown(off)+": this program knows only "+quote(want), key)
}

// member returns the offset of a required member and checks its type.
func (p *parser) member(owner int, m map[string]int, key, kind string) (int, error) {
	off, ok := m[key]
	if !ok {
		return 0, p.missing(owner, key)
	}
	if p.kind(off) != kind {
		return 0, p.errorAt(off, "must be "+kind+", found "+p.kind(off), key)
	}
	return off, nil
}

func (p *parser) string(owner int, m map[string]int, key string) (string, error) {
	off, err := p.member(owner, m, key, str)
	if err != nil {
		return "", err
	}
	return p.text(off), nil
}

func (p *parser) push(key string) { p.place = append(p.place, key) }
func (p *parser) pop()            { p.place = p.place[:len(p.place)-1] }

func (p *parser) missing(owner int, key string) error {
	return p.errorAt(owner, "required key is missing", key)
}

func (p *parser) errorAt(off int, reason string, below ...string) *Error {
	return &Error{File: p.file, Place: place(append(p.place[:len(p.place):len(p.place)], below...)), Line: p.line(off), Reason: reason}
}

// shown quotes the scalar at off, at most about 80 bytes of it, and names what is no scalar.
func (p *parser) shown(off int) string {
	switch kind := p.kind(off); kind {
	case str:
		return quote(p.text(off))
	case number:
		return p.literal(off) + " (a number, not a string)"
	default:
		return "(" + kind + ")"
	}
}

// literal returns the number at off, at most 64 bytes of it.
func (p *parser) literal(off int) string { return string(p.src[off:min(p.end(off), off+64)]) }

// warn keeps what was ignored, but no more of it than a person reads.
func (p *parser) warn(e *Error) {
	switch p.ignored++; {
	case p.ignored < maxWarnings:
		p.warnings = append(p.warnings, e.Error()+"; the tool's field digests are ignored")
	case p.ignored == maxWarnings:
		p.warnings = append(p.warnings, p.file+": more field digests are malformed and ignored")
	}
}

const maxWarnings = 10

// quote quotes at most 80 bytes of a text in ASCII.
func quote(s string) string {
	if len(s) > 80 {
		return strconv.QuoteToASCII(strings.ToValidUTF8(s[:80], "")) + "…"
	}
	return strconv.QuoteToASCII(s)
}

// place joins keys by dots; a key that is not plain is quoted.
func place(keys []string) string {
	var b strings.Builder
	for i, k := range keys {
		if i > 0 && !strings.HasPrefix(k, "[") {
			b.WriteByte('.')
		}
		b.WriteString(placeKey(k))
	}
	return b.String()
}

func placeKey(k string) string {
	plain := k != ""
	for i := 0; i < len(k); i++ {
		c := k[i]
		plain = plain && (c == '_' || c == '-' || c == '/' || c == '@' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z')
	}
	if plain {
		return k
	}
	return quote(k)
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
