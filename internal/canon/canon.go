// Package canon implements contractpin-canonical-json/1 (SPEC §3).
package canon

// Error says why a document is no canonicalizable JSON, and where.
type Error struct {
	Offset  int64  // byte offset in the input, from 0
	Pointer string // RFC 6901 JSON Pointer of the innermost value being read; "" at the root
	Reason  string // lower case, no full stop, never longer than 200 bytes; quotes input only escaped
}

func (e *Error) Error() string { panic("being written") }

// Append appends the canonical form of the one JSON value in src to dst.
// On error it returns dst unchanged in length and an *Error.
func Append(dst, src []byte) ([]byte, error) { panic("being written") }
