package report

import (
	"io"
	"strings"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// ReviewText writes what one lock changes against another, launch changes first.
func ReviewText(w io.Writer, r *verify.Review, o TextOptions) error {
	t := newTexter(w, o)
	t.review(r)
	return t.flush()
}

func (t *texter) review(r *verify.Review) {
	word, rest, _ := strings.Cut(reviewVerdict(r), ":")
	t.line(t.paint(bold, word+":") + rest)
	if !r.Empty() && r.Base+r.Head != "" {
		t.line("  " + t.paint(dim, visible.Line(r.Base, 200)+" → "+visible.Line(r.Head, 200)))
	}
	servers := reviewOrder(r)
	for _, s := range servers {
		t.serverReview(s)
	}
	for _, w := range firstN(r.Warnings, maxWarnings) {
		t.wrap("", t.paint(yellow, "warning:")+" "+visible.Line(w, 500))
	}
}

// serverReview writes one server's entry, old against new.
func (t *texter) serverReview(s *verify.ServerReview) {
	t.line("")
	t.line(t.paint(bold, name(s.Name)) + "  " + reviewOutcome(s))
	for _, f := range s.Launch {
		t.launch(f)
	}
	if s.Kind != contract.Changed && len(s.Launch) > 0 && len(s.Changes) > 0 {
		t.line("  " + count(len(s.Changes), "tool") + ":")
	}
	t.findings(collect(s.Changes), s.Counts)
	if a := agreement(s.Live); a != "" {
		t.line("  " + a)
	}
}

func (t *texter) launch(f lock.LaunchField) {
	t.line("  " + t.paint(bold, visible.Line(f.Field, 200)))
	if f.Old != "" {
		t.sided("-", visible.Line(f.Old, 2000))
	}
	if f.New != "" {
		t.sided("+", visible.Line(f.New, 2000))
	}
}
