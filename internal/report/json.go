package report

import (
	"encoding/json"
	"io"

	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// JSON writes the report as contractpin-report/1: two-space indent, pure ASCII, final newline.
func JSON(w io.Writer, r *verify.Report) error {
	return writeJSON(w, r)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(visible.JSON(w))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
