package github

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// Placement says where a report's annotations point and how grave drift is.
type Placement struct {
	File      string // the lock, relative to the workspace with slashes; "": no file
	DriftPass bool   // drift alone does not fail the step, so it is a warning
}

// Annotations are a report's findings, at most nine of a kind and one that counts the rest, each on its tool's line in
// the lock. Every failing server gets one before any gets a second.
func Annotations(r *verify.Report, p Placement) []Annotation {
	var ranked []rankedAnnotation
	add := func(rank int, a Annotation) { ranked = append(ranked, rankedAnnotation{rank, a}) }
	if r.Error != nil {
		return []Annotation{failure(r, p)}
	}
	for i := range r.Servers {
		s := &r.Servers[i]
		for j, a := range serverAnnotations(s, p) {
			add(j, a)
		}
	}
	for i := range r.Coverage {
		add(i, gapAnnotation(&r.Coverage[i]))
	}
	for _, w := range r.Warnings {
		add(0, Annotation{Level: Warning, Title: "contractpin", Message: shownText(w), File: p.File})
	}
	slices.SortStableFunc(ranked, func(a, b rankedAnnotation) int { return a.rank - b.rank })
	return limit(ranked, p)
}

type rankedAnnotation struct {
	rank int
	Annotation
}

// failure is the one annotation of an exit 2.
func failure(r *verify.Report, p Placement) Annotation {
	a := Annotation{Level: Error, Title: "contractpin: " + shownText(r.Error.Code), Message: withHint(r.Error)}
	if r.Error.Code == "invalid-lock" {
		a.File = p.File
	}
	return a
}

func withHint(f *verify.Failure) string {
	if f.Hint == "" {
		return shownText(f.Message)
	}
	return shownText(f.Message) + "; hint: " + shownText(f.Hint)
}

func shownText(s string) string { return visible.Line(s, maxMessage/2) }

func serverAnnotations(s *verify.Server, p Placement) []Annotation {
	var out []Annotation
	name := visible.Name(s.Name)
	add := func(level Level, line int, title, message string) {
		out = append(out, Annotation{Level: level, Title: "contractpin: " + title, Message: message, File: p.File, Line: line})
	}
	if s.Reason != nil {
		add(Error, s.Line, fmt.Sprintf("%s %s", name, s.Status), fmt.Sprintf("server %s: %s", name, withHint(s.Reason)))
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		level := Error
		switch {
		case c.Allowed:
			level = Notice
		case p.DriftPass:
			level = Warning
		}
		add(level, c.Line, fmt.Sprintf("%s %s", name, c.Kind), changeMessage(name, c))
	}
	for _, w := range s.Warnings {
		add(Warning, s.Line, name, fmt.Sprintf("server %s: %s", name, shownText(w)))
	}
	return out
}

// gapAnnotation stands in the client's configuration.
func gapAnnotation(g *verify.Gap) Annotation {
	a := Annotation{Level: Warning, Title: "contractpin: " + visible.Name(string(g.Kind)), Message: shownText(g.Message)}
	if g.Required {
		a.Level = Error
	}
	if filepath.IsLocal(filepath.FromSlash(g.Config)) {
		a.File, a.Line = filepath.ToSlash(g.Config), g.Line
	}
	return a
}

func changeMessage(server string, c *verify.Change) string {
	tool := visible.Name(c.Tool)
	switch c.Kind {
	case contract.Added:
		return fmt.Sprintf("tool %s of server %s was added: it is not in the lock", tool, server)
	case contract.Removed:
		return fmt.Sprintf("tool %s of server %s was removed: the lock pins it, the server no longer has it", tool, server)
	}
	fields := make([]string, len(c.Fields))
	for i, f := range c.Fields {
		fields[i] = visible.Name(f.Field)
		if f.Kind != contract.Changed {
			fields[i] += " (" + f.Kind + ")"
		}
	}
	message := fmt.Sprintf("tool %s of server %s drifted: %s", tool, server, strings.Join(fields, ", "))
	if len(c.Labels) > 0 {
		message += "; " + shownText(strings.Join(c.Labels, ", "))
	}
	return message
}

// limit keeps what GitHub shows: ten of a kind. Warnings leave two places for what can go wrong after the verdict.
func limit(ranked []rankedAnnotation, p Placement) []Annotation {
	var out []Annotation
	for _, level := range []Level{Error, Warning, Notice} {
		room := shown - 1
		if level == Warning {
			room -= 2
		}
		more := 0
		for _, a := range ranked {
			switch {
			case a.Level != level:
			case room > 0:
				out = append(out, a.Annotation)
				room--
			default:
				more++
			}
		}
		if more > 0 {
			out = append(out, Annotation{
				Level: level, Title: "contractpin", File: p.File,
				Message: fmt.Sprintf("%d more: see the log and the job summary", more),
			})
		}
	}
	return out
}

// RelativeTo names path from inside the folder root, with slashes; "" when it lies outside.
func RelativeTo(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}
