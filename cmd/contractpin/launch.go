package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/pattern"
	"github.com/contractpin/verify/internal/visible"
)

// describe fills in a server's launch description as the lock stores it: paths relative to the lock's folder, no value of
// --env.
func (c *Command) describe(s *lock.Server, f initFlags, p *plan) error {
	dir := filepath.Dir(f.lock)
	var err error
	switch {
	case s.Command != nil:
		s.Transport = lock.Stdio
		s.Command = slices.Clone(s.Command)
		if strings.ContainsRune(filepath.ToSlash(s.Command[0]), '/') {
			s.Command[0], err = relative(dir, s.Command[0])
			if err == nil && !strings.Contains(s.Command[0], "/") {
				s.Command[0] = "./" + s.Command[0]
			}
		}
		if err == nil && f.cwd != "" {
			s.Cwd, err = relative(dir, f.cwd)
		}
		if err == nil {
			err = c.environment(s, f, p)
		}
	case s.URL != "":
		s.Transport = lock.HTTP
	default:
		s.Transport = lock.File
		s.Path, err = relative(dir, f.file)
	}
	if err != nil {
		return err
	}
	return checkText(s)
}

// environment reads --env and --env-literal. What --env gives is used now, and stored as a reference.
func (c *Command) environment(s *lock.Server, f initFlags, p *plan) error {
	s.Env = map[string]string{}
	for _, e := range f.env {
		name, value, given := strings.Cut(e, "=")
		if !pattern.Variable().MatchString(name) {
			return problemf("--env-literal stores a variable of any name with its value", "--env: %q is no name that ${NAME} could stand for", name)
		}
		if !given {
			if value, given = c.LookupEnv(name); !given {
				return problemf("", "--env %s: the variable is not set here", name)
			}
		}
		if value == "" {
			return problemf("", "--env %s: the value is empty, and an empty ${%s} could not be verified", name, name)
		}
		p.env[name], s.Env[name] = value, "${"+name+"}"
	}
	for _, e := range f.envLiteral {
		name, value, given := strings.Cut(e, "=")
		if !given || name == "" {
			return problemf("", "--env-literal takes NAME=VALUE")
		}
		s.Env[name] = value
	}
	return nil
}

// relative turns a path of the shell's folder into the lock's: relative to the lock's folder, with slashes. An absolute
// path stays one unless it lies below that folder.
func relative(dir, path string) (string, error) {
	base, err := filepath.Abs(dir)
	if err != nil {
		return "", problemf("", "%v", err)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", problemf("", "%v", err)
	}
	rel, err := filepath.Rel(base, full)
	if err == nil && outside(rel) { // ".." goes up the real folder, not the link that led to it
		rel, err = filepath.Rel(resolved(base), filepath.Join(resolved(filepath.Dir(full)), filepath.Base(full)))
	}
	if err != nil || filepath.IsAbs(path) && outside(rel) {
		return full, nil
	}
	return filepath.ToSlash(rel), nil
}

func outside(rel string) bool {
	return rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func resolved(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

// checkText refuses what a JSON file cannot hold, and what could not be started anyway.
func checkText(s *lock.Server) error {
	texts := append([]string{s.Name, s.URL, s.Path, s.Cwd}, s.Command...)
	for name, value := range s.Env {
		texts = append(texts, name, value)
	}
	for _, t := range texts {
		if !utf8.ValidString(t) || strings.ContainsRune(t, 0) {
			return problemf("", "%q is no UTF-8 text, which the lock cannot hold", t)
		}
	}
	return nil
}

// refuseSecrets refuses to store what looks like a credential, or is one that was given for now: all of it at once.
func refuseSecrets(s *lock.Server, p *plan) error {
	var what, write []string
	seen := map[string]bool{}
	for _, f := range s.Secrets() {
		what, seen[f.Place] = append(what, f.Place+" "+f.What), true
		write = append(write, f.String())
	}
	texts := stored(s)
	for _, place := range slices.Sorted(maps.Keys(texts)) {
		if name := p.givenIn(texts[place]); name != "" && !seen[place] {
			what = append(what, place+" holds the value that "+name+" was given for now")
			write = append(write, place+": write ${NAME} in its place and set NAME in the environment")
		}
	}
	if len(what) == 0 {
		return nil
	}
	return problemf(strings.Join(write, "; "), "server %s: %s; the lock must hold no credential", visible.Name(s.Name), strings.Join(what, "; "))
}

// stored are the texts of a launch description by their place.
func stored(s *lock.Server) map[string]string {
	out := map[string]string{"url": s.URL, "path": s.Path, "cwd": s.Cwd}
	for i, arg := range s.Command {
		out[fmt.Sprintf("command[%d]", i)] = arg
	}
	for name, value := range s.Env {
		out["env."+visible.Name(name)] = value
	}
	return out
}

// givenIn names the --env variable or the header whose value stands in a text; "" for none. A short value may stand
// there by chance.
func (p *plan) givenIn(text string) string {
	const short = 8
	for name, value := range p.env {
		if len(value) >= short && strings.Contains(text, value) {
			return "--env " + name
		}
	}
	for _, h := range p.headers {
		for name, values := range h {
			for _, v := range values {
				_, credential, _ := strings.Cut(v, " ")
				if v = cmp.Or(credential, v); len(v) >= short && strings.Contains(text, v) {
					return "--header " + name
				}
			}
		}
	}
	return ""
}
