package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/pattern"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// Limits of what we render; GitHub refuses a comment of more than 65,536 characters and drops a summary of more than
// 1 MiB whole.
const (
	MaxComment = 60_000  // characters, those above U+FFFF counted twice
	MaxSummary = 900_000 // bytes
)

// Context is what markdown says about where the run took place. Every member may be empty.
type Context struct {
	Key        string // comment key; the marker is made of it
	HeadSHA    string
	RunID      int64
	RunAttempt int
	RunURL     string
	LockPath   string      // for the command that accepts a change; "": the report's lock
	Updated    bool        // the comment replaces an earlier one
	Env        [][2]string // environment rows of the summary
}

// Comment renders a pull request comment of at most MaxComment characters. It begins with Marker and a line of state.
func Comment(r *verify.Report, c Context) string {
	w := &writer{Context: c, report: r, detail: bounds{lines: 40, bytes: 4000, value: 400}, names: 5}
	head := Marker(c.Key) + "\n" + State{RunID: c.RunID, Attempt: c.RunAttempt, HeadSHA: c.HeadSHA}.line() + "\n"
	p := &page{limit: MaxComment, size: utf16Len, where: "the job summary" + w.link(" of ", "this run") + " or the report file"}
	p.top = head + w.title() + "\n\n" + w.verdict() + "\n\n"
	w.body(p)
	p.bottom = w.advice() + w.footer()
	return p.render()
}

// Summary renders a job summary of at most MaxSummary bytes: what the comment says, and more.
func Summary(r *verify.Report, c Context) string {
	w := &writer{Context: c, report: r, detail: bounds{lines: 400, bytes: 20_000, value: 4000}, names: 200, summary: true}
	p := &page{limit: MaxSummary, size: byteLen, where: "the report file (`report-file`, or `contractpin verify --format json`)"}
	p.top = w.title() + "\n\n" + w.verdict() + "\n\n"
	w.body(p)
	p.bottom = w.advice() + w.environment() + w.footer()
	return p.render()
}

// ReviewMarkdown renders a review alone (diff --format markdown, a renewal's pull request body), within MaxComment.
func ReviewMarkdown(r *verify.Review, c Context) string {
	w := &writer{Context: c, report: &verify.Report{Lock: c.LockPath, Review: r}, detail: bounds{lines: 40, bytes: 4000, value: 400}, names: 5}
	p := &page{limit: MaxComment, size: utf16Len, where: "`contractpin diff --format json`"}
	if r.Empty() {
		p.top = "## ✅ contractpin: nothing changes in what is pinned\n\n"
	} else {
		p.top = "## 🔎 contractpin: what this change pins\n\n"
	}
	p.top += w.reviewTop()
	p.sections = w.reviewSections()
	p.bottom = w.footer()
	return p.render()
}

// writer renders the parts of one page.
type writer struct {
	Context
	report  *verify.Report
	summary bool
	detail  bounds
	names   int // tools named in a row that stands for many
}

// bounds of one finding's details.
type bounds struct {
	lines int
	bytes int // of all lines
	value int // bytes of one value
}

// body adds the review, the servers and their changes.
func (w *writer) body(p *page) {
	if rv := w.report.Review; rv != nil && (!rv.Empty() || len(rv.Warnings) > 0) {
		p.top += "### What this pull request changes in the lock\n\n" + w.reviewTop()
		p.sections = append(p.sections, w.reviewSections()...)
	}
	if w.report.Error != nil {
		return
	}
	table := w.serverTable()
	if !w.report.Review.Empty() {
		table.open = "### What the servers serve now\n\n"
	}
	p.sections = append(p.sections, table)
	if s := w.coverage(); s != nil {
		p.sections = append(p.sections, s)
	}
	p.sections = append(p.sections, w.serverSections()...)
	p.sections = append(p.sections, w.unchecked()...)
	if s := w.warnings(); s != nil {
		p.sections = append(p.sections, s)
	}
}

// title is the heading: the verdict in a few words.
func (w *writer) title() string {
	r := w.report
	t := r.Totals()
	switch {
	case r.Result == verify.ResultError:
		return "## ❌ contractpin: could not run"
	case t.Status[verify.Drift] > 0:
		return "## ❌ contractpin: tool contracts drifted"
	case r.Result != verify.ResultMatch && t.Status[verify.Match] == len(r.Servers):
		return "## ❌ contractpin: not all that clients start is pinned"
	case r.Result != verify.ResultMatch:
		return "## ⚠️ contractpin: not every server could be checked"
	case !r.Review.Empty():
		return "## ⚠️ contractpin: this pull request changes what is pinned"
	case len(r.Servers) == 0:
		return "## ⚠️ contractpin: nothing is pinned, so nothing was checked"
	}
	return "## ✅ contractpin: tool contracts match the lock"
}

// verdict is one sentence with the counts, then where they come from.
func (w *writer) verdict() string {
	if e := w.report.Error; e != nil {
		s := "**Nothing was checked.** " + lineCode(e.Code, 60) + ": " + lineCode(e.Message, 1000)
		if e.Hint != "" {
			s += "\n\nHint: " + lineCode(e.Hint, 500)
		}
		return s
	}
	_, s, _ := strings.Cut(verdict(w.report), ": ")
	out := "**" + upperFirst(s) + ".**"
	if w.report.Result == verify.ResultMatch && !w.report.Review.Empty() {
		out += " The check is green because the lock was changed with them: only your review stands between the new contracts and your models."
	}
	if w.HeadSHA != "" {
		out += " Checked at " + w.sha(w.HeadSHA)
		out += w.link(" in ", "this run") + "."
	} else {
		out += w.link(" See ", "this run")
	}
	return out
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (w *writer) sha(s string) string {
	if isHex(s) {
		return "`" + s[:7] + "`"
	}
	return lineCode(s, 60)
}

var plainURL = pattern.Lazy(`^https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._/-]*)?$`)

// link links the run: the only link that we write. It is HTML, so that none in Markdown's own form can be ours.
func (w *writer) link(before, text string) string {
	if len(w.RunURL) > 500 || !plainURL().MatchString(w.RunURL) {
		return ""
	}
	return before + `<a href="` + w.RunURL + `">` + text + "</a>"
}

func (w *writer) lock() string { return cmp.Or(w.LockPath, w.report.Lock) }

// accept is the command that accepts what a server serves now.
func (w *writer) accept(server string) string {
	cmd := AcceptCommand(w.lock(), server)
	if len(cmd) > 1000 {
		return ""
	}
	return "**To accept** what " + nameCode(server) + " says now, once you have read it:\n\n" + fence("sh", []string{cmd}) + "\n"
}

// advice says what to do, in as few words as it takes.
func (w *writer) advice() string {
	r := w.report
	if r.ExitCode != verify.ExitDrift {
		return ""
	}
	t := r.Totals()
	var b strings.Builder
	if t.Status[verify.Drift] > 0 {
		b.WriteString("**What to do.** Read what changed as the model will read it. If the change is wanted, run the command under its server, " +
			"commit the lock with its contracts file, and have that reviewed. If it is not, or nobody can say why it came, do not merge and do not " +
			"use the server until its maintainers have explained it.\n\n")
	}
	if len(r.Servers) > t.Status[verify.Drift]+t.Status[verify.Match] {
		b.WriteString("**Not checked is not the same as unchanged.** Mend the cause named above and run the job again.\n\n")
	}
	if r.Uncovered() > 0 {
		b.WriteString("**Not pinned is not checked.** Pin what a client starts, launched the same way, or take it out of the client's configuration: " +
			"`require-pinned` asks for that.\n\n")
	}
	return b.String()
}

// footer is one small line: which run wrote this, with which version.
func (w *writer) footer() string {
	var parts []string
	if v := w.report.Version; v != "" {
		parts = append(parts, "contractpin "+lineCode(v, 60))
	} else {
		parts = append(parts, "contractpin")
	}
	if w.RunID > 0 {
		s := "run " + strconv.FormatInt(w.RunID, 10)
		if w.RunAttempt > 0 {
			s += ", attempt " + strconv.Itoa(w.RunAttempt)
		}
		parts = append(parts, s)
	}
	if s := w.report.Shard; s != nil {
		parts = append(parts, fmt.Sprintf("shard %d of %d", s.Index, s.Count))
	}
	if w.Updated {
		parts = append(parts, "updated in place")
	}
	parts = append(parts, "a contract is what the model reads about a tool; the code behind it is not checked")
	return "<sub>" + strings.Join(parts, " · ") + "</sub>\n"
}

// environment is a folded table for the summary.
func (w *writer) environment() string {
	rows := [][2]string{{"lock", w.lock()}}
	if d := w.report.LockDigest; !d.IsZero() {
		rows = append(rows, [2]string{"lock digest", d.String()})
	}
	rows = append(rows, w.Env[:min(len(w.Env), 50)]...)
	var b strings.Builder
	b.WriteString("<details>\n<summary>Environment</summary>\n\n| | |\n|---|---|\n")
	for _, r := range rows {
		b.WriteString(tableRow(lineCode(r[0], 60), lineCode(r[1], 300)))
	}
	b.WriteString("\n</details>\n\n")
	return b.String()
}

// warnings of the run and of the servers.
func (w *writer) warnings() *section {
	var all []string
	for _, s := range w.report.Warnings {
		all = append(all, "- "+lineCode(s, 500)+"\n")
	}
	for i := range w.report.Servers {
		s := &w.report.Servers[i]
		for _, m := range s.Warnings {
			all = append(all, "- "+nameCode(s.Name)+": "+lineCode(m, 500)+"\n")
		}
	}
	if len(all) == 0 {
		return nil
	}
	const shown = 10
	open := "<details>\n"
	if len(all) < shown {
		open = "<details open>\n"
	}
	return &section{
		open: open + "<summary>" + count(len(all), "warning") + "</summary>\n\n",
		rows: lazy{n: len(all), make: func(i int) string { return all[i] }, what: "warning"}, close: "</details>\n\n",
	}
}

// byAttention sorts what failed before what did not, else keeps the order.
func byAttention(ss []*verify.Server) {
	rank := func(s *verify.Server) int {
		switch s.Status {
		case verify.Drift:
			return 0
		case verify.Match:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(ss, func(a, b *verify.Server) int { return rank(a) - rank(b) })
}

// statusWord words what became of a server, for the table.
func statusWord(s *verify.Server) string {
	switch s.Status {
	case verify.Match:
		if s.Counts.Added > 0 {
			return "matches, new tools allowed"
		}
		return "matches"
	case verify.Drift:
		return "**drifted**"
	case verify.Malformed:
		return "**malformed listing**"
	case verify.Unreachable, verify.Blocked:
		return "**" + string(s.Status) + "**"
	}
	return visible.Name(string(s.Status))
}
