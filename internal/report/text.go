package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// TextOptions of the terminal output.
type TextOptions struct {
	Color bool
	Width int // columns; 0: 80
}

// Text writes the report for a terminal or a log: verdict first, then a line for each server, then what changed.
func Text(w io.Writer, r *verify.Report, o TextOptions) error {
	t := newTexter(w, o)
	t.verdict(r)
	if r.Error != nil {
		t.failure("  ", r.Error)
	}
	t.serverLines(r.Servers)
	t.coverage(r.Coverage)
	for _, s := range changedServers(r) {
		t.server(s, r.Lock)
	}
	t.warnings(r)
	if !r.Review.Empty() {
		t.line("")
		t.review(r.Review)
	}
	return t.flush()
}

// ServerLine is the one line that a person sees as a server finishes, without newline.
func ServerLine(s *verify.Server, o TextOptions) string {
	line := mark(s.Status, o) + " " + name(s.Name) + ": " + outcome(s)
	if s.DurationMS >= 1000 {
		line += " (" + duration(s.DurationMS) + ")"
	}
	return line
}

// outcome words what became of a server, on one line.
func outcome(s *verify.Server) string {
	switch s.Status {
	case verify.Match:
		out := "match, " + count(s.Locked.ToolCount, "tool")
		if s.Counts.Added > 0 {
			out += ", " + count(s.Counts.Added, "new tool") + " allowed"
		}
		return out
	case verify.Drift:
		return "drift, " + changed(s.Counts)
	}
	out := visible.Line(string(s.Status), 40)
	if s.Reason != nil {
		out += ", " + visible.Line(s.Reason.Code, 60) + ": " + visible.Line(s.Reason.Message, 300)
	}
	return out
}

// ANSI codes of what we print.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	struck = "9;31" // words that went
	fresh  = "1;32" // words that came
)

func (o TextOptions) paint(code, s string) string {
	if !o.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func mark(s verify.Status, o TextOptions) string {
	switch s {
	case verify.Match:
		return o.paint(green, "✓")
	case verify.Drift:
		return o.paint(red, "✗")
	}
	return o.paint(yellow, "!")
}

// texter writes the lines. Foreign text reaches it only escaped; where a line is broken anew, it is made inert again.
type texter struct {
	w       *bufio.Writer
	partial []byte // a line without its end
	TextOptions
}

func newTexter(w io.Writer, o TextOptions) *texter {
	o.Width = max(cmp.Or(o.Width, 80), 40)
	return &texter{w: bufio.NewWriter(w), TextOptions: o}
}

// write adds to the line; what is written may end it and begin others.
func (t *texter) write(s string) {
	for {
		rest, next, ended := strings.Cut(s, "\n")
		t.partial = append(t.partial, rest...)
		if !ended {
			return
		}
		t.w.WriteString(visible.Inert(string(t.partial)))
		t.w.WriteByte('\n')
		t.partial, s = t.partial[:0], next
	}
}

func (t *texter) line(s string) { t.write(s + "\n") }

func (t *texter) flush() error { return t.w.Flush() }

func (t *texter) verdict(r *verify.Report) {
	word, rest, _ := strings.Cut(verdict(r), ":")
	code := map[verify.Result]string{verify.ResultMatch: "1;32"}[r.Result]
	t.line(t.paint(cmp.Or(code, "1;31"), word+":") + t.paint(bold, rest))
}

func (t *texter) failure(indent string, f *verify.Failure) {
	t.wrap(indent, visible.Line(f.Code, 60)+": "+visible.Line(f.Message, 2000))
	if f.Hint != "" {
		t.wrap(indent, "hint: "+visible.Line(f.Hint, 500))
	}
	for _, l := range lastLines(f.Stderr, 5, 300) {
		t.line(indent + t.paint(dim, "stderr: ") + l)
	}
}

// lastLines returns the last n lines of a text that are not blank, each escaped and cut to max bytes.
func lastLines(s string, n, max int) []string {
	var out []string
	for len(out) < n && s != "" {
		s = strings.TrimRight(s, "\r\n \t")
		i := strings.LastIndexByte(s, '\n')
		if l := s[i+1:]; l != "" {
			out = append(out, visible.Line(strings.TrimRight(l, "\r"), max))
		}
		s = s[:i+1]
	}
	slices.Reverse(out)
	return out
}

// serverLines lists the servers, what needs attention first; of many that match only their number.
func (t *texter) serverLines(servers []verify.Server) {
	width, matching := 0, 0
	for i := range servers {
		width = max(width, min(len(name(servers[i].Name)), 32))
		if servers[i].Status == verify.Match {
			matching++
		}
	}
	t.line("")
	order := make([]*verify.Server, len(servers))
	for i := range servers {
		order[i] = &servers[i]
	}
	byAttention(order)
	for _, s := range order {
		if s.Status == verify.Match && matching > manyMatching && len(s.Warnings) == 0 {
			continue
		}
		t.serverLine(s, width)
	}
	if matching > manyMatching {
		t.line(mark(verify.Match, t.TextOptions) + " " + count(matching, "server") + " match")
	}
}

func (t *texter) serverLine(s *verify.Server, width int) {
	what := outcome(s)
	if !checked(s) && s.Reason != nil {
		what = string(s.Status)
	}
	if s.DurationMS >= slowMS {
		what += t.paint(dim, " ("+strings.TrimSuffix(duration(s.DurationMS)+"; "+timing(s), "; ")+")")
	}
	t.line(mark(s.Status, t.TextOptions) + " " + t.paint(bold, pad(name(s.Name), width)) + "  " + what)
	if s.Reason != nil {
		t.failure("    ", s.Reason)
	}
	for _, w := range firstN(s.Warnings, maxWarnings) {
		t.wrap("    ", "warning: "+visible.Line(w, 500))
	}
}

const maxWarnings = 10

func firstN(s []string, n int) []string { return s[:min(n, len(s))] }

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func (t *texter) warnings(r *verify.Report) {
	if len(r.Warnings) > 0 {
		t.line("")
	}
	for _, w := range firstN(r.Warnings, 2*maxWarnings) {
		t.wrap("", t.paint(yellow, "warning:")+" "+visible.Line(w, 500))
	}
}

// server writes what changed on one server and the command that accepts it.
func (t *texter) server(s changedServer, lock string) {
	t.line("")
	head := t.paint(bold, name(s.Name))
	if s.Line > 0 {
		head += t.paint(dim, "  "+name(lock)+":"+fmt.Sprint(s.Line))
	}
	t.line(head)
	t.findings(s.findings, s.Counts)
	if s.Status == verify.Drift {
		t.line("")
		t.line("  To accept what this server says now, once you have read it:")
		t.line("    " + t.paint(bold, AcceptCommand(lock, s.Name)))
	}
}

// maxTextFindings bounds what a terminal shows of one server; the JSON report has all.
const maxTextFindings = 60

func (t *texter) findings(fs findings, c verify.Counts) {
	for _, l := range overview(fs, c) {
		t.wrap("  ", l)
	}
	list := foldServed(fs.list)
	for i := range list {
		if i == maxTextFindings {
			t.line("  … and " + count(len(list)-i, "more finding") + ": --format json shows all")
			return
		}
		t.finding(&list[i])
	}
}

// overview says what many changes have in common, before any of them is shown.
func overview(fs findings, c verify.Counts) []string {
	var out []string
	if fs.renamed > 0 {
		out = append(out, fmt.Sprintf("%d of %s that %s gone may have been renamed: a tool of almost the same name, or with the same description, is new. "+
			"To a model a renamed tool is a new one.", fs.renamed, count(c.Removed, "tool"), as(c.Removed, "is", "are")))
	}
	if slices.ContainsFunc(fs.list, func(f finding) bool { return f.kind == contract.Drifted && f.unknown() && f.tools[0].Note == "" }) {
		out = append(out, "How this read when it was pinned is not known: commit the contracts file that contractpin init writes beside the lock, and the next change shows old against new.")
	}
	if c.Drifted < 2 {
		return out
	}
	fields := map[string]bool{}
	for _, f := range fs.list {
		if f.kind == contract.Drifted {
			fields[f.field] = true
		}
	}
	if len(fields) == 1 {
		for f := range fields {
			out = append(out, "All changes of tools are in one field: "+fieldName(f)+".")
		}
	}
	switch {
	case fs.common == 0:
	case fs.own == 0:
		out = append(out, fmt.Sprintf("All %d drifted tools differ in the same way.", fs.common))
	default:
		out = append(out, fmt.Sprintf("%d of %d drifted tools differ only in what many have in common; %d %s changes of %s own.",
			fs.common, c.Drifted, fs.own, as(fs.own, "has", "have"), as(fs.own, "its", "their")))
	}
	return out
}

// fieldName is the name of a contract's field; any other string comes from a forged report.
func fieldName(f string) string { return name(f) }

// foldServed makes one finding of those of the same field whose old value is not known, where there are many: their
// digests differ, and what they serve now would drown the rest.
func foldServed(list []finding) []finding {
	var out []finding
	at := map[string]int{}
	for _, f := range list {
		if f.kind == contract.Drifted && f.unknown() && f.weight() >= len(alarming) {
			if i, ok := at[f.field]; ok {
				g := &out[i]
				g.tools = append(slices.Clone(g.tools), f.tools...)
				g.folded++
				continue
			}
			at[f.field] = len(out)
		}
		out = append(out, f)
	}
	for i := range out {
		if out[i].folded > 0 {
			out[i].details = nil
			slices.SortFunc(out[i].tools, func(a, b *verify.Change) int { return strings.Compare(a.Tool, b.Tool) })
		}
	}
	return out
}

// finding writes one finding: what it is on, then old against new.
func (t *texter) finding(f *finding) {
	sign, code := "~", yellow
	switch f.kind {
	case contract.Added:
		sign, code = "+", green
	case contract.Removed:
		sign, code = "-", red
	}
	head := "  " + t.paint(code, sign) + " "
	if len(f.tools) == 1 {
		head += t.paint(bold, name(f.tools[0].Tool))
	} else {
		head += t.paint(bold, count(len(f.tools), "tool"))
	}
	t.line(head + "  " + t.what(f) + t.labels(f.labels))
	if len(f.tools) > 1 {
		t.wrap("      ", toolNames(f.tools, 8, name))
	}
	if note := f.tools[0].Note; note != "" {
		t.wrap("      ", visible.Line(note, 300))
	}
	t.details(f)
}

// what words the kind of a finding.
func (t *texter) what(f *finding) string {
	if s := f.presence(func(s string) string { return s }, name); s != "" {
		return s
	}
	s := fieldName(f.field)
	if f.fieldKind != contract.Changed {
		s += " " + visible.Line(f.fieldKind, 20)
	}
	if a, b, same := f.digests(); same {
		if d := shortDigests(a, b); d != "" {
			s += t.paint(dim, "  "+d)
		}
	}
	switch {
	case f.folded > 0:
		s += "  (old text not known; digests differ)"
	case len(f.tools) > 1:
		s += "  the same change on each"
	}
	return s
}

func shortDigests(a, b contract.Digest) string {
	switch {
	case a.IsZero() && b.IsZero():
		return ""
	case a.IsZero():
		return "now " + b.Short()
	case b.IsZero():
		return "was " + a.Short()
	}
	return a.Short() + " → " + b.Short()
}

func (t *texter) labels(ls []string) string {
	if len(ls) == 0 {
		return ""
	}
	var out []string
	for _, l := range ls {
		out = append(out, visible.Line(l, 60))
	}
	code := dim
	if slices.ContainsFunc(ls, func(l string) bool { return slices.Contains(alarming, l) }) {
		code = "1;31"
	}
	return "  " + t.paint(code, "["+strings.Join(out, ", ")+"]")
}

// toolNames lists names as show writes them, the first n of them.
func toolNames(tools []*verify.Change, n int, show func(tool string) string) string {
	var b strings.Builder
	for i, c := range tools {
		if i == n && len(tools) > n+1 {
			fmt.Fprintf(&b, " and %d more", len(tools)-n)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(show(c.Tool))
	}
	return b.String()
}

// wrap writes words to the width, with an indent. A word that is longer stays whole, and one that a CI runner would take
// for a command where it begins a line never begins one.
func (t *texter) wrap(indent, s string) {
	col := 0
	for i, word := range strings.Split(s, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			t.write(indent)
			col = len(indent)
		case col+1+n > t.Width:
			t.write("\n" + indent + "  ")
			col = len(indent) + 2
		default:
			t.write(" ")
			col++
		}
		t.write(word)
		col += n
	}
	t.write("\n")
}
