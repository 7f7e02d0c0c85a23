package canon

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error says why a document is no canonicalizable JSON, and where.
type Error struct {
	Offset  int64  // byte offset in the input, from 0
	Pointer string // RFC 6901 JSON Pointer of the innermost value being read that fits maxPointer bytes; "" at the root
	Reason  string // lower case, no full stop, never longer than 200 bytes; quotes only keys, and these escaped
}

// Error is one line of ASCII.
func (e *Error) Error() string {
	s := "byte " + strconv.FormatInt(e.Offset, 10) + ": " + e.Reason
	if e.Pointer != "" {
		s += " (at " + quoteKey(e.Pointer, 300) + ")"
	}
	return s
}

// quoteKey quotes s in ASCII, shortened to about max bytes.
func quoteKey(s string, max int) string {
	if q := strconv.QuoteToASCII(s); len(q) <= max {
		return q
	}
	cut := s
	for q := ""; ; cut = cut[:len(cut)*3/4] {
		for len(cut) > 0 && !utf8.ValidString(cut) {
			cut = cut[:len(cut)-1]
		}
		if q = strconv.QuoteToASCII(cut); len(q) <= max-3 {
			return strings.TrimSuffix(q, `"`) + `…"`
		}
	}
}
