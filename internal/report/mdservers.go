package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// manyMatching is the number of matching servers from which on a comment only counts them.
const manyMatching = 20

// serverTable has a row for each server, what failed first.
func (w *writer) serverTable() *section {
	var list []*verify.Server
	matching := w.report.Totals().Status[verify.Match]
	fold := !w.summary && matching > manyMatching
	for i := range w.report.Servers {
		if s := &w.report.Servers[i]; !fold || s.Status != verify.Match {
			list = append(list, s)
		}
	}
	byAttention(list)
	out := &section{rows: lazy{n: len(list), make: func(i int) string { return w.serverRow(list[i]) }, what: "server"}}
	if w.summary {
		out.table = "| | Server | Transport | Tools | Unchanged | Drifted | Added | Removed | Time | Result |\n|---|---|---|--:|--:|--:|--:|--:|--:|---|\n"
	} else {
		out.table = "| | Server | Tools | Drifted | Added | Removed | Result |\n|---|---|--:|--:|--:|--:|---|\n"
	}
	if fold {
		out.between = count(matching, "server") + as(matching, " matches.", " match.") + "\n\n"
	}
	return out
}

func (w *writer) serverRow(s *verify.Server) string {
	icon := map[verify.Status]string{verify.Match: "✅", verify.Drift: "❌"}[s.Status]
	if icon == "" {
		icon = "⚠️"
	}
	result := statusWord(s)
	if s.Reason != nil {
		result += " (" + lineCode(s.Reason.Code, 60) + "): " + lineCode(s.Reason.Message, 200)
	}
	tools := s.Locked.ToolCount
	num := func(n int) string {
		if !checked(s) {
			return "–"
		}
		return strconv.Itoa(n)
	}
	if !w.summary {
		return tableRow(icon, nameCode(s.Name), strconv.Itoa(tools), num(s.Counts.Drifted), num(s.Counts.Added), num(s.Counts.Removed), result)
	}
	return tableRow(icon, nameCode(s.Name), lineCode(s.Transport, 20), strconv.Itoa(tools), num(s.Counts.Unchanged), num(s.Counts.Drifted),
		num(s.Counts.Added), num(s.Counts.Removed), duration(s.DurationMS), result)
}

// serverSections has one section for each server with changes, the most alarming first.
func (w *writer) serverSections() []*section {
	type entry struct {
		s  *verify.Server
		fs findings
	}
	var list []entry
	for i := range w.report.Servers {
		if s := &w.report.Servers[i]; len(s.Changes) > 0 {
			list = append(list, entry{s, collect(s.Changes)})
		}
	}
	rank := func(e entry) int {
		if e.s.Status == verify.Match {
			return 1000
		}
		return e.fs.list[0].weight()
	}
	slices.SortStableFunc(list, func(a, b entry) int { return rank(a) - rank(b) })
	var out []*section
	for _, e := range list {
		out = append(out, w.serverSection(e.s, e.fs))
	}
	return out
}

func (w *writer) serverSection(s *verify.Server, fs findings) *section {
	out := w.changes(fs, s.Counts)
	out.open = w.details(s.Status == verify.Drift && len(fs.list) <= openRows, htmlCode(s.Name)+" · "+changed(s.Counts)) + out.open
	if w.summary && s.Live != nil {
		out.between += "Server digest: " + fullDigests(s.Locked.Digest, s.Live.Digest) + "\n\n"
	}
	if s.Status == verify.Drift {
		out.close += w.accept(s.Name)
	}
	out.close += "</details>\n\n"
	return out
}

// openRows is the number of rows up to which a block is not folded.
const openRows = 10

// details opens a block; summary is HTML of ours.
func (w *writer) details(open bool, summary string) string {
	if open {
		return "<details open>\n<summary>" + summary + "</summary>\n\n"
	}
	return "<details>\n<summary>" + summary + "</summary>\n\n"
}

// changes makes a section's rows and details of findings.
func (w *writer) changes(fs findings, c verify.Counts) *section {
	list := fs.list
	var open strings.Builder
	for _, l := range overview(fs, c) {
		open.WriteString(markdownWords(l) + " ")
	}
	if open.Len() > 0 {
		open.WriteString("\n\n")
	}
	var telling []int // findings whose row does not say everything
	for i := range list {
		if w.hasDetails(&list[i]) {
			telling = append(telling, i)
		}
	}
	return &section{
		open:    open.String(),
		table:   "| Tool | What changed | Locked → live | May mean |\n|---|---|---|---|\n",
		rows:    lazy{n: len(list), make: func(i int) string { return w.findingRow(&list[i]) }, what: "row"},
		between: w.meanings(list),
		details: lazy{n: len(telling), make: func(i int) string { return w.findingDetails(&list[telling[i]]) }, what: "change in full"},
	}
}

// markdownWords is for sentences of ours that hold a field's name, which a forged report may have made up.
func markdownWords(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>&@#[]()*_`|~!$\\", r) {
			return '?'
		}
		return r
	}, s)
}

// findingRow is one row: which tools, what changed, digests, what it may mean.
func (w *writer) findingRow(f *finding) string {
	c := f.tools[0]
	tools := nameCode(c.Tool)
	if len(f.tools) > 1 {
		tools = "**" + count(len(f.tools), "tool") + "**: " + w.toolNames(f.tools, min(w.names, 5))
	}
	var means []string
	for _, l := range f.labels {
		means = append(means, labelWords(l))
	}
	return tableRow(tools, w.what(f), w.digests(f), strings.Join(means, ", "))
}

// labelWords is a label in our words; any other comes from a forged report.
func labelWords(l string) string {
	if contract.ExplainLabel(l) == "" {
		return lineCode(l, 60)
	}
	if slices.Contains(alarming, l) {
		return "⚠️ **" + l + "**"
	}
	return l
}

func (w *writer) digests(f *finding) string {
	a, b, same := f.digests()
	if !same {
		return "differ"
	}
	left, right := "–", "–"
	if !a.IsZero() {
		left = code(a.Short())
	}
	if !b.IsZero() {
		right = code(b.Short())
	}
	return left + " → " + right
}

func (w *writer) toolNames(tools []*verify.Change, n int) string {
	var b strings.Builder
	for i, c := range tools {
		if i == n && len(tools) > n+1 {
			fmt.Fprintf(&b, " and %d more", len(tools)-n)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(nameCode(c.Tool))
	}
	return b.String()
}

// meanings explains the labels that occur, the gravest first.
func (w *writer) meanings(list []finding) string {
	first := map[string]*finding{}
	count := map[string]int{}
	for i := range list {
		for _, l := range list[i].labels {
			if first[l] == nil {
				first[l] = &list[i]
			}
			count[l] += len(list[i].tools)
		}
	}
	var known []string
	for l := range first {
		if contract.ExplainLabel(l) != "" {
			known = append(known, l)
		}
	}
	slices.SortFunc(known, func(a, b string) int { return contract.LabelRank(a) - contract.LabelRank(b) })
	var b strings.Builder
	for _, l := range known {
		on := nameCode(first[l].tools[0].Tool)
		if count[l] > 1 {
			on = fmt.Sprintf("%d tools", count[l])
		}
		b.WriteString("- " + labelWords(l) + " (" + on + "): " + contract.ExplainLabel(l) + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// unchecked has what a summary says of the servers that could not be checked: the hint and the end of their stderr.
func (w *writer) unchecked() []*section {
	var list []*verify.Server
	for i := range w.report.Servers {
		if s := &w.report.Servers[i]; !checked(s) && s.Reason != nil && (s.Reason.Hint != "" || w.summary) {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []*section{{
		open: "**Could not be checked**\n\n",
		details: lazy{n: len(list), what: "server", make: func(i int) string {
			s := list[i]
			out := "- " + nameCode(s.Name) + ": " + lineCode(s.Reason.Message, 1000)
			if s.Reason.Hint != "" {
				out += "; hint: " + lineCode(s.Reason.Hint, 500)
			}
			if t := timing(s); w.summary && t != "" {
				out += "; " + t
			}
			out += "\n"
			if ls := lastLines(s.Reason.Stderr, 20, 500); w.summary && len(ls) > 0 {
				out += "\n  The end of its stderr:\n\n" + indent(fence("text", ls)) + "\n"
			}
			return out + "\n"
		}},
	}}
}

// indent puts a fence into a list item.
func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n"
}
