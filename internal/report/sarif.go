package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// What GitHub's code scanning takes: a file of more runs is rejected whole, of more results a run only the gravest are
// stored. The total keeps the compressed file far below its 10 MB.
const (
	maxRuns    = 20 // maxParts of them for servers
	maxParts   = maxRuns - 1
	maxResults = 5000 // of one run
	maxTotal   = 20_000
	maxMessage = 2000 // bytes
)

const projectURL = "https://github.com/contractpin/verify"

// SARIF writes a SARIF 2.1.0 log: one run for each server, so that code scanning closes its alerts by server, and one for
// what the lock does not cover; with more servers than a file may have runs, they are spread over 19 runs by their names.
// Every rule is there also when nothing was found. A result stands on the tool's line in the lock, or on the server's in
// a client's configuration.
func SARIF(w io.Writer, r *verify.Report) error {
	log := sarif.NewReport()
	groups := sarifGroups(r)
	most := min(maxResults, max(maxTotal/len(groups), 100))
	for _, g := range groups {
		log.AddRun(sarifRun(r, g, most))
	}
	return visible.WriteJSON(w, log, "  ")
}

// group is what one run covers.
type group struct {
	id      string
	servers []*verify.Server
	gaps    []verify.Gap
}

func sarifGroups(r *verify.Report) []group {
	prefix := "contractpin/"
	if r.Lock != "" && r.Lock != DefaultLock {
		prefix += idToken(r.Lock) + "/"
	}
	if r.Error != nil {
		return []group{{id: prefix}}
	}
	var out []group
	if len(r.Servers) <= maxParts {
		for i := range r.Servers {
			out = append(out, group{id: prefix + idToken(r.Servers[i].Name) + "/", servers: []*verify.Server{&r.Servers[i]}})
		}
	}
	if r.Shard != nil {
		prefix += fmt.Sprintf("shard-%d-of-%d/", r.Shard.Index, r.Shard.Count)
	}
	if out == nil {
		for i := range maxParts {
			out = append(out, group{id: fmt.Sprintf("%spart-%02d-of-%d/", prefix, i+1, maxParts)})
		}
		for i := range r.Servers {
			h := fnv.New32a()
			io.WriteString(h, r.Servers[i].Name)
			g := &out[h.Sum32()%maxParts]
			g.servers = append(g.servers, &r.Servers[i])
		}
	}
	return append(out, group{id: prefix + "(clients)/", gaps: r.Coverage}) // no server's id has brackets
}

// idToken makes one part of a hierarchical id of any string.
func idToken(s string) string { return strings.ReplaceAll(percentEncode(s), "/", "%2F") }

func sarifRun(r *verify.Report, g group, most int) *sarif.Run {
	run := sarif.NewRunWithInformationURI("contractpin", projectURL)
	if v := strings.TrimPrefix(r.Version, "v"); v != "" {
		run.Tool.Driver.WithVersion(visible.Name(v))
	}
	for _, rule := range rules {
		run.AddRule(rule.id).WithName(rule.name).WithHelpURI(projectURL + "#readme").
			WithShortDescription(sarif.NewMultiformatMessageString().WithText(rule.short)).
			WithFullDescription(sarif.NewMultiformatMessageString().WithText(rule.full)).
			WithHelp(sarif.NewMultiformatMessageString().WithText(rule.help)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(rule.level))
	}
	run.WithAutomationDetails(sarif.NewRunAutomationDetails().WithID(g.id))
	run.WithColumnKind("utf16CodeUnits")
	run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(r.Error == nil))
	results := sarifResults(r, g)
	if n := len(results) - most; n > 0 {
		results = append(results[:most-1], sarifNote(r, g, n+1))
	}
	run.WithResults(results)
	return run
}

// sarifResults are the findings of a run, the gravest first.
func sarifResults(r *verify.Report, g group) []*sarif.Result {
	results := []*sarif.Result{}
	if r.Error != nil {
		results = append(results, sarifResult(r.Lock, "could-not-run", "", 1, "contractpin could not run: "+sarifText(r.Error.Code+": "+r.Error.Message, 1000), r.Error.Code))
	}
	for _, s := range g.servers {
		if !checked(s) {
			results = append(results, sarifUnchecked(r, s))
			continue
		}
		for i := range s.Changes {
			results = append(results, sarifChange(r, s, &s.Changes[i]))
		}
	}
	for i := range g.gaps {
		results = append(results, sarifGap(&g.gaps[i]))
	}
	rank := map[string]int{"error": 0, "warning": 1, "note": 2}
	slices.SortStableFunc(results, func(a, b *sarif.Result) int { return rank[a.Level] - rank[b.Level] })
	return results
}

func sarifUnchecked(r *verify.Report, s *verify.Server) *sarif.Result {
	text, code := "Server "+sarifName(s.Name)+" could not be checked", ""
	if s.Reason != nil {
		code = s.Reason.Code
		text += ": " + sarifText(s.Reason.Code+": "+s.Reason.Message, 1000)
		if s.Reason.Hint != "" {
			text += ". Hint: " + sarifText(s.Reason.Hint, 500)
		}
	}
	id := "server-" + string(s.Status)
	if ruleIndex(id) < 0 {
		id = "server-unreachable"
	}
	return sarifResult(r.Lock, id, "", s.Line, text+".", s.Name, code)
}

func sarifChange(r *verify.Report, s *verify.Server, c *verify.Change) *sarif.Result {
	subject := "Tool " + sarifName(c.Tool) + " of server " + sarifName(s.Name)
	line := cmp.Or(c.Line, s.Line)
	level := ""
	switch c.Kind {
	case contract.Added:
		subject += " is new"
		if c.Allowed {
			subject, level = subject+" (allowed)", "note"
		}
	case contract.Removed:
		subject += " is gone"
	default:
		var fields []string
		for _, f := range c.Fields {
			fields = append(fields, sarifText(f.Field, 100))
		}
		subject += " drifted: " + strings.Join(fields, ", ")
	}
	if len(c.Labels) > 0 {
		subject += " (" + sarifText(strings.Join(c.Labels, ", "), 300) + ")"
	}
	text := subject + "."
	if c.Note != "" {
		text += " " + sarifText(upperFirst(c.Note), 300) + "."
	}
	if d := sarifDetails(c); d != "" {
		text += "\n\n" + d
	}
	return sarifResult(r.Lock, "tool-"+c.Kind, level, line, text, s.Name, c.Tool, c.Live.String())
}

// sarifGap stands on the server's line in the client's configuration.
func sarifGap(g *verify.Gap) *sarif.Result {
	level := "warning"
	if g.Required {
		level = "error"
	}
	return sarifResult(g.Config, "not-covered", level, g.Line, sarifText(upperFirst(g.Message), 1000), g.Config, g.Server, string(g.Kind))
}

// sarifDetails is the beginning of what changed, old against new.
func sarifDetails(c *verify.Change) string {
	w := &writer{detail: bounds{lines: 30, bytes: maxMessage, value: 300}}
	out := &lineBudget{bounds: w.detail}
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Field == contract.FieldName || len(f.Details) == 0 {
			continue
		}
		if c.Kind != contract.Drifted {
			w.wholeField(out, f)
			continue
		}
		out.add(fieldName(f.Field) + ":")
		for j := range f.Details {
			w.detailLines(out, &f.Details[j])
		}
	}
	return sarifEscape(strings.Join(out.done(), "\n"))
}

// sarifNote is the last result of a run that has too many.
func sarifNote(r *verify.Report, g group, left int) *sarif.Result {
	line, identity := 1, ""
	if len(g.servers) > 0 {
		line, identity = g.servers[0].Line, g.servers[0].Name
	}
	return sarifResult(r.Lock, "left-out", "", line, count(left, "more result")+" left out here, since code scanning shows no more: the JSON report has all of them.", identity)
}

// sarifResult makes a result on a line of the file at path. The identity tells the same finding again in a later run,
// whatever its line: it has the live digest in it, so that a tool that changes once more is a new alert and not one that
// was dismissed before.
func sarifResult(path, rule, level string, line int, text string, identity ...string) *sarif.Result {
	h := sha256.New()
	for _, s := range append([]string{rule}, identity...) {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	sum := fmt.Sprintf("%x", h.Sum(nil))
	i := max(ruleIndex(rule), 0)
	location := sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewSimpleArtifactLocation(fileURI(path))).
		WithRegion(sarif.NewRegion().WithStartLine(max(line, 1))))
	return sarif.NewRuleResult(rules[i].id).WithRuleIndex(i).WithLevel(cmp.Or(level, rules[i].level)).
		WithMessage(sarif.NewTextMessage(text)).
		WithLocations([]*sarif.Location{location}).
		// Code scanning looks at primaryLocationLineHash alone, others at any.
		WithPartialFingerprints(map[string]string{"contractpin/v1": sum, "primaryLocationLineHash": sum[:16] + ":1"})
}

// fileURI is a path as a URI, relative unless the path is not; the default lock's for "".
func fileURI(path string) string {
	p := filepath.ToSlash(cmp.Or(path, DefaultLock))
	u := url.URL{Path: p}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
	}
	return u.String()
}

// sarifName and sarifText are foreign text in a message. Brackets would be a link, braces a placeholder.
func sarifName(s string) string          { return "'" + sarifEscape(name(s)) + "'" }
func sarifText(s string, max int) string { return sarifEscape(visible.Line(s, max)) }

func sarifEscape(s string) string {
	if !strings.ContainsAny(s, "[]{}") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '{' || c == '}':
			b.WriteByte(c)
			b.WriteByte(c)
		case (c == '[' || c == ']') && i > 0 && s[i-1] == '\\': // a backslash of the text must not eat ours
			fmt.Fprintf(&b, "u{{%04X}}", c)
		case c == '[' || c == ']':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
