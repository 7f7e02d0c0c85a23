package report

import (
	"fmt"
	"maps"
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
	out := &section{must: true, rows: lazy{n: len(list), make: func(i int) string { return w.serverRow(list[i]) }, what: "server"}}
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
	tools, transport, took := strconv.Itoa(s.Locked.ToolCount), lineCode(s.Transport, 20), duration(s.DurationMS)
	if s.Transport == "" { // a shard whose report is missing: nothing is known of its servers
		tools, transport, took = "–", "–", "–"
	}
	num := func(n int) string {
		if !checked(s) {
			return "–"
		}
		return strconv.Itoa(n)
	}
	if !w.summary {
		return tableRow(icon, nameCode(s.Name), tools, num(s.Counts.Drifted), num(s.Counts.Added), num(s.Counts.Removed), result)
	}
	return tableRow(icon, nameCode(s.Name), transport, tools, num(s.Counts.Unchanged), num(s.Counts.Drifted),
		num(s.Counts.Added), num(s.Counts.Removed), took, result)
}

// changedServer is a server with what changed on it.
type changedServer struct {
	*verify.Server
	findings
}

// changedServers are those with changes, the most alarming first.
func changedServers(r *verify.Report) []changedServer {
	var out []changedServer
	for i := range r.Servers {
		if s := &r.Servers[i]; len(s.Changes) > 0 {
			out = append(out, changedServer{s, collect(s.Changes)})
		}
	}
	rank := func(s changedServer) int {
		if s.Status == verify.Match {
			return 1000
		}
		return s.list[0].weight()
	}
	slices.SortStableFunc(out, func(a, b changedServer) int { return rank(a) - rank(b) })
	return out
}

func (w *writer) serverSections() []*section {
	var out []*section
	for _, s := range changedServers(w.report) {
		out = append(out, w.serverSection(s.Server, s.findings))
	}
	return out
}

func (w *writer) serverSection(s *verify.Server, fs findings) *section {
	out := w.changes(fs, s.Counts)
	w.block(out, fs, s.Status == verify.Drift && len(fs.list) < openRows, s.Name, changed(s.Counts))
	if w.summary && s.Live != nil {
		out.between += "Server digest: " + fullDigests(s.Locked.Digest, s.Live.Digest) + "\n\n"
	}
	out.close = "</details>\n\n"
	if s.Status == verify.Drift && len(fs.list) < openRows {
		out.close = w.accept(s.Name) + out.close
	} else if s.Status == verify.Drift {
		out.close += w.accept(s.Name)
	}
	return out
}

// openRows is the number of rows from which on a block is folded.
const openRows = 10

// block puts a section into a <details> that is open or folded; what a folded one holds is said before it.
func (w *writer) block(s *section, fs findings, open bool, server, outcome string) {
	summary := "<summary>" + htmlCode(server) + " · " + outcome + "</summary>\n\n"
	if open {
		s.open = "<details open>\n" + summary + s.open
		return
	}
	before := ""
	if len(fs.list) >= openRows {
		before = "**" + nameCode(server) + "**: " + outcome + "\n\n" + s.open + w.highlights(fs)
		s.open, summary = "", "<summary>"+count(len(fs.list), "row")+", and the texts old and new</summary>\n\n"
	}
	s.open = before + "<details>\n" + summary + s.open
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
		table:   "| Tool | What changed | May mean | Locked → live |\n|---|---|---|---|\n",
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

// findingRow is one row: which tools, what changed, what it may mean, digests.
func (w *writer) findingRow(f *finding) string {
	return tableRow(w.toolsOf(f, 3), w.what(f), w.means(f, "", ""), w.digests(f))
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
	return left + "\u00a0→\u00a0" + right // on one line
}

// meanings explains the labels that occur, the gravest first.
func (w *writer) meanings(list []finding) string {
	on := map[string]map[string]bool{} // label → tools
	for i := range list {
		for _, l := range list[i].labels {
			if contract.ExplainLabel(l) == "" || l == contract.LabelText {
				continue // the diff says it as well
			}
			if on[l] == nil {
				on[l] = map[string]bool{}
			}
			for _, c := range list[i].tools {
				on[l][c.Tool] = true
			}
		}
	}
	var b strings.Builder
	for _, l := range slices.SortedFunc(maps.Keys(on), func(a, b string) int { return contract.LabelRank(a) - contract.LabelRank(b) }) {
		where := count(len(on[l]), "tool")
		if len(on[l]) == 1 {
			for tool := range on[l] {
				where = nameCode(tool)
			}
		}
		b.WriteString("- " + labelWords(l) + " (" + where + "): " + codeWords.Replace(contract.ExplainLabel(l)) + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// codeWords sets the keywords in our explanations as code; two dollar signs in running text would be a formula.
var codeWords = strings.NewReplacer("$schema", "`$schema`", "additionalProperties", "`additionalProperties`", "false", "`false`")

// highlights says what is in a folded block: the alarming findings, those on many tools, and the tools of the others.
func (w *writer) highlights(fs findings) string {
	const most = 6
	var b strings.Builder
	told := 0
	rest := map[string]map[string]bool{} // heading → tools
	for i := range fs.list {
		f := &fs.list[i]
		if told < most && (f.weight() < len(alarming) || f.shared) {
			told++
			b.WriteString("- " + w.toolsOf(f, 3) + ": " + w.what(f) + w.means(f, " (", ")") + "\n")
			continue
		}
		heading := map[string]string{contract.Added: "**new**", contract.Removed: "**removed**"}[f.kind]
		if rest[heading] == nil {
			rest[heading] = map[string]bool{}
		}
		for _, c := range f.tools {
			rest[heading][c.Tool] = true
		}
	}
	for _, heading := range []string{"**new**", "", "**removed**"} {
		if tools := slices.Sorted(maps.Keys(rest[heading])); len(tools) > 0 {
			if heading == "" {
				heading = "with changes of their own"
			}
			b.WriteString("- " + count(len(tools), "tool") + " " + heading + ": " + someNames(tools, 8) + "\n")
		}
	}
	return b.String() + "\n"
}

// someNames lists the first n names.
func someNames(names []string, n int) string {
	var out []string
	for i, s := range names {
		if i == n && len(names) > n+1 {
			out = append(out, fmt.Sprintf("%d more", len(names)-n))
			break
		}
		out = append(out, nameCode(s))
	}
	return strings.Join(out, ", ")
}

// toolsOf names the tools of a finding, the first n of many.
func (w *writer) toolsOf(f *finding, n int) string {
	if len(f.tools) == 1 {
		return nameCode(f.tools[0].Tool)
	}
	return "**" + count(len(f.tools), "tool") + "** (" + toolNames(f.tools, n, nameCode) + ")"
}

// means lists the labels of a finding.
func (w *writer) means(f *finding, before, after string) string {
	if len(f.labels) == 0 {
		return ""
	}
	var out []string
	for _, l := range f.labels {
		out = append(out, labelWords(l))
	}
	return before + strings.Join(out, ", ") + after
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
			var parts []string
			if w.summary {
				parts = append(parts, lineCode(s.Reason.Message, 1000))
			}
			if s.Reason.Hint != "" {
				parts = append(parts, "hint: "+lineCode(s.Reason.Hint, 500))
			}
			if t := timing(s); w.summary && t != "" {
				parts = append(parts, t)
			}
			out := "- " + nameCode(s.Name) + ": " + strings.Join(parts, "; ") + "\n"
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
