package visible

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteJSON writes a value as JSON on the terms of JSON, with a final newline. An empty indent puts it on one line.
func WriteJSON(w io.Writer, v any, indent string) error {
	e := json.NewEncoder(JSON(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(v)
}

// JSON returns a writer that passes JSON text on to w as printable ASCII, and breaks "##[", which a CI runner obeys
// anywhere in a line. Both occur in JSON only inside strings. Each Write must hold whole strings, as encoders see to.
func JSON(w io.Writer) io.Writer { return &jsonWriter{w: w} }

type jsonWriter struct {
	w   io.Writer
	buf []byte
}

func (j *jsonWriter) Write(p []byte) (int, error) {
	out := j.buf[:0]
	for i := 0; i < len(p); {
		c := p[i]
		switch {
		case c == 0x7f:
			out = append(out, `\u007f`...)
			i++
		case c == '[' && i >= 2 && p[i-1] == '#' && p[i-2] == '#':
			out = append(out, `\u005b`...)
			i++
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, n := utf8.DecodeRune(p[i:])
			i += n
			if r > 0xffff {
				hi, lo := utf16.EncodeRune(r)
				out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
			} else {
				out = fmt.Appendf(out, `\u%04x`, r)
			}
		}
	}
	j.buf = out
	if _, err := j.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
