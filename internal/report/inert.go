package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/visible"
)

// inert tells whether a text that claims to be escaped already (a diff, a run of words) does no harm where it is
// written line by line: no control characters, nothing that is not printed, no line that a CI runner takes for a
// command. Escaping it again would double its backslashes.
func inert(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r != '\n' && r != 0x3000 && r != 0xFE0F && !unicode.IsPrint(r) {
			return false
		}
	}
	for l := range strings.SplitSeq(s, "\n") {
		if visible.Inert(l) != l {
			return false
		}
	}
	return true
}

// diffLines returns the lines of a detail's diff, or nil where there is none that can be shown: a forged report may
// hold anything there.
func diffLines(d *contract.Detail) []string {
	if d.Diff == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(d.Diff, "\n"), "\n")
	for _, l := range lines {
		if l == "" || strings.IndexByte("+- ", l[0]) < 0 || !inert(l[1:]) {
			return nil
		}
	}
	return lines
}

// shownWords returns a detail's words, or nil likewise.
func shownWords(d *contract.Detail) []contract.Word {
	var b strings.Builder
	for _, w := range d.Words {
		b.WriteString(w.Text)
	}
	if !inert(b.String()) {
		return nil
	}
	return d.Words
}
