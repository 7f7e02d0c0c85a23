package lock

import (
	"maps"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/contract"
)

// Encode renders the lock: keys sorted as Go strings compare, two spaces, LF, final newline. Strings are UTF-8; what
// nobody can see (controls, invisible and bidirectional characters) is escaped, so that a git diff shows it.
// Strings that are no valid UTF-8 cannot be rendered: whoever makes a Server checks them.
func (l *Lock) Encode() []byte {
	e := &encoder{buf: make([]byte, 0, l.size())}
	e.open('{')
	e.member("algorithm", Algorithm)
	e.member("canonicalization", Canonicalization)
	e.member("contractpin", Version)
	e.member("generated_at", l.GeneratedAt.UTC().Format(timeForm))
	e.key("servers")
	e.open('{')
	for _, name := range l.Names() {
		e.key(name)
		e.server(l.Servers[name])
	}
	e.close('}')
	e.close('}')
	e.buf = append(e.buf, '\n')
	return e.buf
}

// size guesses how many bytes the lock takes, so that the buffer seldom grows.
func (l *Lock) size() int {
	n := 256
	for _, s := range l.Servers {
		n += 512
		for name, pin := range s.Tools {
			n += len(name) + 150 + 110*pin.Fields.Len()
		}
	}
	return n
}

// encoder writes indented JSON.
type encoder struct {
	buf   []byte
	depth int
	empty bool // nothing has been written in the innermost object or array
}

func (e *encoder) server(s *Server) {
	e.open('{')
	if s.Transport == Stdio {
		e.key("command")
		e.open('[')
		for _, arg := range s.Command {
			e.next()
			e.text(arg)
		}
		e.close(']')
		if s.Cwd != "" {
			e.member("cwd", s.Cwd)
		}
	}
	e.digest("digest", s.Digest)
	if s.Transport == Stdio && len(s.Env) > 0 {
		e.key("env")
		e.open('{')
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			e.member(name, s.Env[name])
		}
		e.close('}')
	}
	if s.Transport == File {
		e.member("path", s.Path)
	}
	e.key("tool_count")
	e.buf = strconv.AppendInt(e.buf, int64(len(s.Tools)), 10)
	e.key("tools")
	e.tools(s)
	e.member("transport", s.Transport)
	if s.Transport == HTTP {
		e.member("url", s.URL)
	}
	e.close('}')
}

func (e *encoder) tools(s *Server) {
	e.open('{')
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		pin := s.Tools[name]
		e.key(name)
		e.open('{')
		e.digest("digest", pin.Digest)
		if pin.Fields != (contract.Fields{}) {
			e.key("fields")
			e.open('{')
			for f, d := range pin.Fields.All() {
				e.digest(f, d)
			}
			e.close('}')
		}
		e.close('}')
	}
	e.close('}')
}

func (e *encoder) open(bracket byte) {
	e.buf = append(e.buf, bracket)
	e.depth++
	e.empty = true
}

func (e *encoder) close(bracket byte) {
	e.depth--
	if !e.empty {
		e.line()
	}
	e.buf = append(e.buf, bracket)
	e.empty = false
}

// next begins a member or an element.
func (e *encoder) next() {
	if !e.empty {
		e.buf = append(e.buf, ',')
	}
	e.empty = false
	e.line()
}

func (e *encoder) line() {
	e.buf = append(e.buf, '\n')
	for range e.depth {
		e.buf = append(e.buf, ' ', ' ')
	}
}

func (e *encoder) key(name string) {
	e.next()
	e.text(name)
	e.buf = append(e.buf, ':', ' ')
}

func (e *encoder) member(name, value string) {
	e.key(name)
	e.text(value)
}

func (e *encoder) digest(name string, d contract.Digest) {
	e.key(name)
	e.buf = append(e.buf, '"')
	e.buf, _ = d.AppendText(e.buf)
	e.buf = append(e.buf, '"')
}

func (e *encoder) text(s string) {
	e.buf = append(e.buf, '"')
	e.buf = appendEscaped(e.buf, s)
	e.buf = append(e.buf, '"')
}

// appendEscaped escapes as SPEC §3.5 does, and beyond that what is not seen.
func appendEscaped(buf []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if c >= utf8.RuneSelf && size > 1 && !unseen(r) {
			i += size
			continue
		}
		buf = append(buf, s[start:i]...)
		buf = appendEscape(buf, r)
		i += size
		start = i
	}
	return append(buf, s[start:]...)
}

func appendEscape(buf []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(buf, '\\', byte(r))
	case '\b':
		return append(buf, '\\', 'b')
	case '\t':
		return append(buf, '\\', 't')
	case '\n':
		return append(buf, '\\', 'n')
	case '\f':
		return append(buf, '\\', 'f')
	case '\r':
		return append(buf, '\\', 'r')
	}
	if r > 0xffff {
		r -= 0x10000
		return appendHex(appendHex(buf, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return appendHex(buf, r)
}

func appendHex(buf []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(buf, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// unseen tells whether a character leaves no mark of its own on a screen. Unassigned characters are not among them,
// since a newer Unicode table would then rewrite old files.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Z, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}
