package report

import (
	"io"

	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// JSON writes the report as contractpin-report/1: two-space indent, pure ASCII, final newline.
func JSON(w io.Writer, r *verify.Report) error {
	return visible.WriteJSON(w, r, "  ")
}
