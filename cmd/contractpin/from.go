package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/contractpin/verify/internal/clientconfig"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/pattern"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/visible"
)

// planFrom takes servers as a client's configuration describes them.
func (c *Command) planFrom(f initFlags, names []string) (*plan, error) {
	if len(f.env)+len(f.envLiteral)+len(f.tools) > 0 || f.cwd != "" {
		return nil, problemf("", "--env, --env-literal, --cwd and --tool do not go with --from: the file says how servers are launched")
	}
	file, err := clientconfig.Load(f.from)
	if err != nil {
		return nil, problemf("", "%v", err)
	}
	entries, err := chosen(file, names)
	if err != nil {
		return nil, err
	}
	old, err := loadOrNew(f.lock, "")
	if err != nil {
		return nil, err
	}
	workspace, err := filepath.Abs(workspaceOf(file))
	if err != nil {
		return nil, problemf("", "%v", err)
	}
	p := &plan{old: old, partial: f.partial, public: map[string]string{
		clientconfig.WorkspaceFolder: workspace, clientconfig.WorkspaceFolder + "_BASENAME": filepath.Base(workspace),
	}}
	if err := c.take(p, f, entries); err != nil {
		return nil, err
	}
	if len(p.targets) == 0 {
		return nil, problemf("", "%s: there is nothing to pin", f.from)
	}
	if here, err := filepath.Abs(filepath.Dir(f.lock)); err == nil && here != workspace && file.Client != clientconfig.ClaudeDesktop {
		c.warn(fmt.Sprintf("relative paths of %s are taken from %s now, the folder of the lock", f.from, here))
	}
	return p, c.planHeaders(p, append(c.headersOf(p, entries), f.headers...))
}

// chosen are the named entries of a file, or all.
func chosen(file *clientconfig.File, names []string) ([]clientconfig.Entry, error) {
	var known []string
	for _, e := range file.Entries {
		known = append(known, e.Name)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, problemf("", "%s names no server %q; it names %s", file.Path, visible.Name(n), run.Enumerate(known))
		}
	}
	if len(names) == 0 {
		return file.Entries, nil
	}
	return slices.DeleteFunc(slices.Clone(file.Entries), func(e clientconfig.Entry) bool { return !slices.Contains(names, e.Name) }), nil
}

// take makes the entries that can be pinned targets, and says of the others why they are not.
func (c *Command) take(p *plan, f initFlags, entries []clientconfig.Entry) error {
	refused := 0
	for _, e := range entries {
		name := visible.Name(e.Name)
		say := func(what, why string) { fmt.Fprintf(c.Stderr, "%s %s: %s\n", what, name, visible.Line(why, 0)) }
		for _, n := range e.Notes {
			say("note:", n)
		}
		switch {
		case e.Skipped != "":
			say("skipped", e.Skipped)
		case e.Refused != "":
			say("refused", e.Refused)
			refused++
		case f.force || p.old.Lock.Servers[e.Name] == nil:
			if err := checkText(e.Server); err != nil {
				return err
			}
			p.targets = append(p.targets, e.Server)
		case len(lock.LaunchChanges(p.old.Lock.Servers[e.Name], e.Server)) == 0:
			say("skipped", "it is pinned already")
		default:
			say("refused", f.lock+" pins it as it is launched otherwise; --force replaces that")
			refused++
		}
	}
	if refused > 0 && !f.partial {
		return problemf("mend it, name the servers that are to be pinned, or pin all others with --partial",
			"%s of %s cannot be pinned; nothing is written", count(refused, "server"), f.from)
	}
	return nil
}

// headersOf are the headers that a client sends, for now: those of which every variable is set.
func (c *Command) headersOf(p *plan, entries []clientconfig.Entry) []string {
	var raw []string
	for _, e := range entries {
		if !slices.Contains(p.targets, e.Server) {
			continue
		}
		for _, h := range e.Headers {
			value, missing := c.expand(h.Value)
			if missing != "" {
				c.warn(fmt.Sprintf("header %s of server %s is not sent: %s is not set", h.Name, visible.Name(e.Name), missing))
				continue
			}
			raw = append(raw, e.Name+"="+h.Name+": "+value)
		}
	}
	return raw
}

// expand replaces ${NAME}; missing names one that is unset or empty.
func (c *Command) expand(text string) (value, missing string) {
	return pattern.Reference().ReplaceAllStringFunc(text, func(m string) string {
		v, _ := c.LookupEnv(m[2 : len(m)-1])
		if v == "" {
			missing = m[2 : len(m)-1]
		}
		return v
	}), missing
}

// workspaceOf is the folder that a client takes for the workspace of a configuration.
func workspaceOf(file *clientconfig.File) string {
	dir := filepath.Dir(file.Path)
	switch filepath.Base(dir) {
	case ".cursor", ".vscode", ".gemini", ".codex":
		return filepath.Dir(dir)
	}
	return dir
}
