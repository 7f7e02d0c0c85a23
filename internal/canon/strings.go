package canon

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string whose opening quote is at i. plain tells whether its raw bytes order it as its UTF-16 code units
// do: it has no escape and nothing from U+E000 up. The caller adds the pointer to err.
func (s *scanner) str(i int) (end int, plain bool) {
	src := s.src
	plain = true
	i++
	for {
		for i+8 <= len(src) {
			if m := special(binary.LittleEndian.Uint64(src[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(src) {
			return s.reject(i, "unexpected end: a string is not closed"), false
		}
		switch c := src[i]; {
		case c == '"':
			return i + 1, plain
		case c == '\\':
			plain = false
			if i = s.escape(i); i < 0 {
				return i, false
			}
		case c < ' ':
			return s.reject(i, "control character "+codePoint(rune(c))+" in a string: it must be escaped"), false
		case c < utf8.RuneSelf: // in the last few bytes
			i++
		default:
			var low bool
			if i, low = skipMultibyte(s.src, i); i < len(s.src) && s.src[i] >= utf8.RuneSelf {
				return s.reject(i, "invalid UTF-8"), false
			}
			plain = plain && low
		}
	}
}

// skipMultibyte returns the first index from i on at which no valid multi-byte UTF-8 sequence begins, and whether all
// that it passed lay below U+E000.
func skipMultibyte(src []byte, i int) (end int, low bool) {
	low = true
	for i < len(src) && src[i] >= utf8.RuneSelf {
		// Most of what is not ASCII has three bytes and needs no more than this: U+1000 to U+CFFF.
		if i+2 < len(src) && src[i]-0xE1 < 0xED-0xE1 && src[i+1]&0xC0 == 0x80 && src[i+2]&0xC0 == 0x80 {
			i += 3
			continue
		}
		_, n := utf8.DecodeRune(src[i:])
		if n == 1 {
			break
		}
		low = low && src[i] < 0xEE
		i += n
	}
	return i, low
}

// special sets the top bit of the lowest byte of w that is a quote, a backslash, a control character or no ASCII, and
// perhaps of higher ones.
func special(w uint64) uint64 {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((w - ones*' ') | (quote - ones) | (slash - ones) | w) & tops
}

// escape reads the escape whose backslash is at i.
func (s *scanner) escape(i int) int {
	if i+1 >= len(s.src) {
		return s.reject(len(s.src), "unexpected end: a string is not closed")
	}
	switch s.src[i+1] {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case '/':
		s.flush(i)
		s.run = i + 1
		return i + 2
	case 'u':
		r, end, reason := hexEscape(s.src, i)
		if reason != "" {
			return s.reject(i, reason)
		}
		s.flush(i)
		s.flat = appendEscaped(s.flat, r)
		s.run = end
		return end
	}
	return s.reject(i, "unknown escape in a string")
}

// hexEscape decodes the \u escape at i, with the one after it where the two are a surrogate pair.
func hexEscape(src []byte, i int) (r rune, end int, reason string) {
	r, ok := hex4(src, i+2)
	if !ok {
		return 0, 0, "\\u without four hex digits"
	}
	end = i + 6
	if !utf16.IsSurrogate(r) {
		return r, end, ""
	}
	if end+1 < len(src) && src[end] == '\\' && src[end+1] == 'u' {
		low, ok := hex4(src, end+2)
		if !ok {
			return 0, 0, "\\u without four hex digits"
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, end + 6, ""
		}
	}
	return 0, 0, "lone surrogate " + codePoint(r)
}

func hex4(src []byte, i int) (r rune, ok bool) {
	if i+4 > len(src) {
		return 0, false
	}
	for _, c := range src[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

const lowerHex = "0123456789abcdef"

// appendEscaped appends r as it stands in a canonical string (SPEC §3.5).
func appendEscaped(dst []byte, r rune) []byte {
	if r >= ' ' && r != '"' && r != '\\' {
		return utf8.AppendRune(dst, r)
	}
	switch r {
	case '\b':
		r = 'b'
	case '\t':
		r = 't'
	case '\n':
		r = 'n'
	case '\f':
		r = 'f'
	case '\r':
		r = 'r'
	case '"', '\\':
	default:
		return append(dst, '\\', 'u', '0', '0', lowerHex[r>>4], lowerHex[r&15])
	}
	return append(dst, '\\', byte(r))
}

// AppendString appends the canonical form of the string s, which must be valid UTF-8.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	run := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			dst = appendEscaped(append(dst, s[run:i]...), rune(c))
			run = i + 1
		}
	}
	return append(append(dst, s[run:]...), '"')
}

// unescape appends what the valid raw string body stands for.
func unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		switch c = raw[i+1]; c {
		case 'u':
			r, end, _ := hexEscape(raw, i)
			dst = utf8.AppendRune(dst, r)
			i = end
			continue
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		}
		dst = append(dst, c)
		i += 2
	}
	return dst
}
