// Package visible makes hostile text safe to look at: what a server sends can hold terminal escapes, lines that a CI
// runner takes for commands, invisible, bidirectional or script-mixing characters.
//
// An escape is \u{XXXX} (hex, four digits at least), \n, \r, \t, or \x{XX} for a byte that is no UTF-8. A backslash that
// could be mistaken for the start of one is doubled, so that two different texts never look the same.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name escapes a tool's or server's name: every character but printable ASCII.
func Name(s string) string {
	return escape(s, func(r rune) bool { return r >= utf8.RuneSelf }, false)
}

// Text escapes a text of several lines for reading: line feeds stay; control, invisible, bidi, tag and script-mixing
// characters are escaped, and a space at a line's end. Ordinary text of any script stays as it is.
func Text(s string) string {
	if isPlain(s) {
		return s
	}
	return escape(s, hidden, true)
}

// Line is Text on one line: line feeds become \n. A result of more than limit bytes is cut on a character and ends in
// "…", which counts; limit 0 is none.
func Line(s string, limit int) string {
	// Every byte of s yields at least one byte, so there is no need to escape what will be cut.
	if limit > 0 && len(s) > limit+utf8.UTFMax {
		s = s[:limit+utf8.UTFMax]
	}
	out := escape(s, hidden, false)
	if limit <= 0 || len(out) <= limit {
		return out
	}
	cut := limit - len("…")
	for cut > 0 && !utf8.RuneStart(out[cut]) {
		cut--
	}
	return out[:max(cut, 0)] + "…"
}

// Hidden tells whether Text would escape a character for being invisible, bidirectional or mixed in from a look-alike
// script, control characters but tab, line feed and carriage return included.
func Hidden(s string) bool {
	if isPlain(s) {
		return false
	}
	for i, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
		case r < ' ' || r == 0x7f || hidden(r) || r == emojiStyle && !afterSymbol(s[:i]):
			return true
		}
	}
	return mixed(s) != nil
}

// isPlain is the way through for most text: printable ASCII with nothing that needs an escape.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n' || c == ' ' && i+1 < len(s) && s[i+1] != '\n':
		case c <= ' ' || c >= 0x7f || c == '\\' || c == ':' || c == '#':
			return false
		}
	}
	return true
}

// escape writes s with every character that hidden names escaped, and what a CI runner would take for a command broken.
func escape(s string, hidden func(rune) bool, keepLF bool) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	blank := true // only what a runner passes over since the line began
	mix := mixed(s)
	lone := false // what came before is a backslash, written as it stands
	esc := func(format string, args ...any) {
		if lone {
			b.WriteByte('\\')
		}
		fmt.Fprintf(&b, format, args...)
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		rest := s[i+n:]
		switch {
		case r == utf8.RuneError && n == 1:
			esc(`\x{%02X}`, s[i])
		case r == '\n' && keepLF:
			b.WriteByte('\n')
		case r == '\n':
			esc(`\n`)
		case r == '\r':
			esc(`\r`)
		case r == '\t':
			esc(`\t`)
		case r == '\\':
			b.WriteByte('\\')
			if startsEscape(rest) {
				b.WriteByte('\\')
			}
		case r == ' ' && (rest == "" || rest[0] == '\n'),
			r == '[' && strings.HasSuffix(s[:i], "##"),
			r == ':' && blank && strings.HasPrefix(rest, ":"),
			r < ' ' || r == 0x7f || hidden(r) || mix[i],
			r == emojiStyle && !afterSymbol(s[:i]):
			esc(`\u{%04X}`, r)
		default:
			b.WriteString(s[i : i+n])
		}
		lone = r == '\\' && !startsEscape(rest)
		blank = r == '\n' || blank && unseen(r)
		i += n
	}
	return b.String()
}

// startsEscape tells whether a backslash before rest would read as one of our escapes.
func startsEscape(rest string) bool {
	return rest != "" && strings.IndexByte(`\unrtx`, rest[0]) >= 0
}

// emojiStyle (VS16) asks for the colourful form of the symbol before it: seen there, unseen elsewhere.
const emojiStyle = 0xFE0F

func afterSymbol(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sm, r)
}

// hidden names the characters that cannot be seen, or not for what they are, in running text.
func hidden(r rune) bool {
	switch {
	case r < utf8.RuneSelf || r == '\u3000' || r == emojiStyle:
		return false
	case r >= 0x1D400 && r <= 0x1D7FF: // letters in mathematical dress, read as Latin ones by a model
		return true
	}
	// Everything that is no letter, mark, number, punctuation or symbol; then the letters, marks and symbols that
	// Unicode calls ignorable or that have no ink.
	return !unicode.IsPrint(r) || unicode.Is(inkless, r)
}

var inkless = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034F, Hi: 0x034F, Stride: 1}, {Lo: 0x115F, Hi: 0x1160, Stride: 1}, {Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
		{Lo: 0x180B, Hi: 0x180F, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, {Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xE0100, Hi: 0xE01EF, Stride: 1}},
}
