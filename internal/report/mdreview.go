package report

import (
	"strings"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// reviewTop says what a lock's edit amounts to and who must look.
func (w *writer) reviewTop() string {
	r := w.report.Review
	var b strings.Builder
	if !r.Empty() {
		b.WriteString("**" + upperFirst(strings.Join(reviewParts(r), "; ")) + ".** ")
		b.WriteString("Whoever approves this vouches for what follows: have it read by somebody who answers for what your models are told")
		if hasLaunch(r) {
			b.WriteString(", and for what your jobs run")
		}
		b.WriteString(".")
		if r.Base != "" {
			b.WriteString(" Compared with " + w.sha(r.Base))
			if r.Head != "" {
				b.WriteString(", at " + w.sha(r.Head))
			}
			b.WriteString(".")
		}
		b.WriteString("\n\n")
	}
	for _, m := range firstN(r.Warnings, maxWarnings) {
		b.WriteString("⚠️ " + lineCode(m, 500) + "\n\n")
	}
	return b.String()
}

func hasLaunch(r *verify.Review) bool {
	for i := range r.Servers {
		if len(r.Servers[i].Launch) > 0 && r.Servers[i].Kind != contract.Removed {
			return true
		}
	}
	return false
}

// reviewSections has one section for each server whose entry differs, launch changes first.
func (w *writer) reviewSections() []*section {
	r := w.report.Review
	if r.Empty() {
		return nil
	}
	var out []*section
	for _, s := range reviewOrder(r) {
		out = append(out, w.reviewSection(s))
	}
	return out
}

func (w *writer) reviewSection(s *verify.ServerReview) *section {
	fs := collect(s.Changes)
	out := w.changes(fs, s.Counts)
	out.table = strings.Replace(out.table, "Locked → live", "Was → is pinned", 1)
	var open strings.Builder
	if a := agreement(s.Live); a != "" {
		icon := "⚠️ "
		if s.Live == verify.Match {
			icon = "✅ "
		}
		open.WriteString(icon + a + "\n\n")
	}
	if len(s.Launch) > 0 {
		open.WriteString(launchHead(s.Kind) + "\n\n" + fence("diff", launchLines(s)) + "\n")
	}
	out.open = open.String() + out.open
	w.block(out, fs, len(fs.list) < openRows, s.Name, reviewOutcome(s))
	out.close += "</details>\n\n"
	return out
}

func launchHead(kind string) string {
	switch kind {
	case contract.Added:
		return "**How it is reached**"
	case contract.Removed:
		return "**How it was reached**"
	}
	return "**It is reached in another way**"
}

// maxLaunchLines bounds what is shown of a launch description; an env can be long.
const maxLaunchLines = 60

func launchLines(s *verify.ServerReview) []string {
	ls := &lineBudget{bounds: bounds{lines: maxLaunchLines, bytes: 12_000}}
	for _, f := range s.Launch {
		field := visible.Line(f.Field, 100)
		if f.Old != "" {
			ls.add("- " + field + ": " + visible.Line(f.Old, 2000))
		}
		if f.New != "" {
			ls.add("+ " + field + ": " + visible.Line(f.New, 2000))
		}
	}
	return ls.done()
}
