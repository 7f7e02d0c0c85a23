package report

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/verify"
)

// JSON writes the report as contractpin-report/1: two-space indent, pure ASCII, final newline.
func JSON(w io.Writer, r *verify.Report) error {
	return writeJSON(w, r)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(&asciiWriter{w: w})
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// asciiWriter escapes what is not printable ASCII in JSON text, and breaks "##[", which a CI runner obeys anywhere in a
// line. Both occur in JSON only inside strings. The encoder hands over a whole document in one Write.
type asciiWriter struct {
	w   io.Writer
	buf []byte
}

func (a *asciiWriter) Write(p []byte) (int, error) {
	out := a.buf[:0]
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
	a.buf = out
	if _, err := a.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
