package lock

import (
	"bytes"
	"encoding/json"
)

// walker goes over JSON that canon has found valid, so it checks nothing. Offsets count bytes from the start of src.
// It exists for two things that encoding/json does not give: the line of every key, and no allocation for what is
// skipped.
type walker struct {
	src     []byte
	lineOff int // lines counts the line feeds before this offset
	lines   int
}

// space returns the offset of the first byte at or after off that is no white space.
func (w *walker) space(off int) int {
	for off < len(w.src) && (w.src[off] == ' ' || w.src[off] == '\n' || w.src[off] == '\t' || w.src[off] == '\r') {
		off++
	}
	return off
}

// object calls member with the offsets of each key and its value, and stops at the first error. member returns the
// offset after the value, or 0 where it has not gone over it. object returns the offset after the object.
func (w *walker) object(off int, member func(key, value int) (int, error)) (int, error) {
	off = w.space(off + 1)
	for w.src[off] != '}' {
		if w.src[off] == ',' {
			off = w.space(off + 1)
		}
		value := w.space(w.space(w.stringEnd(off)) + 1) // past the colon
		next, err := member(off, value)
		if err != nil {
			return 0, err
		}
		if next == 0 {
			next = w.end(value)
		}
		off = w.space(next)
	}
	return off + 1, nil
}

// array calls element with the offset of each element, and stops at the first error.
func (w *walker) array(off int, element func(off int) error) error {
	off = w.space(off + 1)
	for w.src[off] != ']' {
		if w.src[off] == ',' {
			off = w.space(off + 1)
		}
		if err := element(off); err != nil {
			return err
		}
		off = w.space(w.end(off))
	}
	return nil
}

// stringEnd returns the offset after the string at off.
func (w *walker) stringEnd(off int) int {
	for i := off + 1; ; i++ {
		i += bytes.IndexByte(w.src[i:], '"')
		escapes := 0
		for w.src[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// end returns the offset after the value at off. It does not recurse.
func (w *walker) end(off int) int {
	depth := 0
	for {
		switch w.src[off] {
		case '{', '[':
			depth++
			off++
		case '}', ']':
			depth--
			off++
		case '"':
			off = w.stringEnd(off)
		case ' ', '\t', '\n', '\r', ',', ':':
			off++
			continue
		default: // a number or a literal
			for off < len(w.src) && !delimiter[w.src[off]] {
				off++
			}
		}
		if depth == 0 {
			return off
		}
	}
}

var delimiter = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, ',': true, '}': true, ']': true}

// text decodes the string at off.
func (w *walker) text(off int) string {
	raw := w.src[off:w.stringEnd(off)]
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		panic("lock: walking invalid JSON: " + err.Error()) // canon has accepted it
	}
	return s
}

// kind names the type of the value at off as error messages do.
func (w *walker) kind(off int) string {
	switch w.src[off] {
	case '{':
		return object
	case '[':
		return array
	case '"':
		return str
	case 't':
		return "true"
	case 'f':
		return "false"
	case 'n':
		return null
	}
	return number
}

const (
	object = "an object"
	array  = "an array"
	str    = "a string"
	number = "a number"
	null   = "null"
)

// line returns the line of an offset, from 1. Asking in ascending order makes a whole walk linear.
func (w *walker) line(off int) int {
	if off >= w.lineOff {
		w.lines += bytes.Count(w.src[w.lineOff:off], newline)
	} else {
		w.lines -= bytes.Count(w.src[off:w.lineOff], newline)
	}
	w.lineOff = off
	return w.lines + 1
}

var newline = []byte{'\n'}
