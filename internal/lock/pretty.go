package lock

import (
	"bytes"
	"encoding/json"
)

// maxIndent is the deepest level that gets lines of its own. Below it a value stays on one line: indenting 9,000 levels
// would make 80 MB of a contract of 20 kB.
const maxIndent = 40

// canonical writes canonical JSON indented. It does not recurse.
func (e *encoder) canonical(src []byte) {
	flat := 0 // levels open below maxIndent
	for off := 0; off < len(src); {
		switch c := src[off]; c {
		case '{', '[':
			if flat > 0 || e.depth >= maxIndent {
				flat++
				e.buf = append(e.buf, c)
			} else if src[off+1] == c+2 { // '}' and ']' stand two after their openers
				e.buf = append(e.buf, c, c+2)
				off++
			} else {
				e.open(c)
				e.empty = false
				e.line()
			}
			off++
		case '}', ']':
			if flat > 0 {
				flat--
				e.buf = append(e.buf, c)
			} else {
				e.close(c)
			}
			off++
		case ',':
			e.buf = append(e.buf, c)
			if flat > 0 {
				e.buf = append(e.buf, ' ')
			} else {
				e.line()
			}
			off++
		case ':':
			e.buf = append(e.buf, ':', ' ')
			off++
		case '"':
			end := off + stringLen(src[off:])
			e.canonicalText(src[off:end])
			off = end
		default: // of a number or a literal
			e.buf = append(e.buf, c)
			off++
		}
	}
}

// canonicalText writes a canonical string, with what is not seen escaped.
func (e *encoder) canonicalText(quoted []byte) {
	// A canonical string differs from an escaped one only outside ASCII (and in U+007F).
	plain := bytes.IndexFunc(quoted, func(r rune) bool { return r >= 0x7f }) < 0
	if plain {
		e.buf = append(e.buf, quoted...)
		return
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		panic("lock: " + err.Error()) // canon wrote it
	}
	e.text(text)
}

// nesting counts the levels of a JSON value.
func nesting(src []byte) int {
	depth, deepest := 0, 0
	for off := 0; off < len(src); off++ {
		switch src[off] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		case '"':
			off += stringLen(src[off:]) - 1
		}
	}
	return deepest
}

// stringLen is the length of the JSON string at the start of src.
func stringLen(src []byte) int {
	for i := 1; ; i++ {
		i += bytes.IndexByte(src[i:], '"')
		escapes := 0
		for src[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}
