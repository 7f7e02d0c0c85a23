package canon

import (
	"fmt"
	"strconv"
)

// maxPointer bounds a JSON Pointer, in bytes: nobody reads a longer one.
const maxPointer = 1000

// pointer is the JSON Pointer of what is being read inside the frames from base to end, or of the innermost frame that
// fits maxPointer bytes.
func (s *scanner) pointer(base, end int) string {
	var p []byte
	for i := base; i < end; i++ {
		was := len(p)
		if s.frames[i].kind == '[' {
			p = strconv.AppendInt(append(p, '/'), int64(s.frames[i].count), 10)
		} else {
			p = appendToken(p, s.currentKey(i))
		}
		if len(p) > maxPointer {
			p = p[:was]
			break
		}
	}
	return string(p)
}

func appendToken(p, key []byte) []byte {
	p = append(p, '/')
	for _, c := range key {
		switch c {
		case '~':
			p = append(p, "~0"...)
		case '/':
			p = append(p, "~1"...)
		default:
			p = append(p, c)
		}
	}
	return p
}

// fail rejects the value being read.
func (s *scanner) fail(at int, reason string) int {
	s.err = &Error{int64(at), s.pointer(0, len(s.frames)), reason}
	return -1
}

// failAround rejects what stands between the values of the innermost array or object.
func (s *scanner) failAround(at int, reason string) int {
	s.err = &Error{int64(at), s.pointer(0, len(s.frames)-1), reason}
	return -1
}

// reject rejects a value or a key; which of them, and so the pointer, is for the caller to say.
func (s *scanner) reject(at int, reason string) int {
	s.err = &Error{Offset: int64(at), Reason: reason}
	return -1
}

func (s *scanner) duplicate(m *member) int {
	return s.failAround(int(m.key)-1, "duplicate key "+quoteKey(string(s.decoded(m)), 150))
}

// noValue says why no value begins at i.
func noValue(src []byte, i int) string {
	if i >= len(src) {
		return "unexpected end: a value is missing"
	}
	switch c := src[i]; c {
	case '}', ']', ',', ':':
		return "expected a value before '" + string(c) + "'"
	case '\'':
		return "expected a value: JSON has no single quotes"
	case '/', '#':
		return "expected a value: JSON has no comments"
	case 'N', 'I', '+', '.':
		return "expected a value: JSON has no NaN, no Infinity and no number that begins with '+' or '.'"
	case '<':
		return "expected a value: this looks like HTML or XML"
	case 0xEF:
		return "expected a value: a byte order mark is not allowed"
	}
	return "expected a value"
}

// noKey says why no key begins at i.
func noKey(src []byte, i int) string {
	if i >= len(src) {
		return "unexpected end: an open object is not closed"
	}
	switch src[i] {
	case '}':
		return "expected a key after ','"
	case '\'':
		return "expected a key: JSON has no single quotes"
	case '/', '#':
		return "expected a key: JSON has no comments"
	}
	return "expected a key in double quotes"
}

func codePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }
