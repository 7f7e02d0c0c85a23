package canon

import (
	"strconv"
	"unicode/utf8"
)

// Error says why a document is no canonicalizable JSON, and where.
type Error struct {
	Offset  int64  // byte offset in the input, from 0
	Pointer string // RFC 6901 JSON Pointer of the innermost value being read that fits 1,000 bytes; "" at the root
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

// quoteKey quotes s in ASCII, shortened to max bytes.
func quoteKey(s string, max int) string {
	q := strconv.QuoteToASCII(s)
	for n := min(max, len(s)-1); len(q) > max; n = n * 3 / 4 {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		q = strconv.QuoteToASCII(s[:n] + "...")
	}
	return q
}
