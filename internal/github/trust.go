package github

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// Trust decides which servers may be launched by an event whose token has more rights than whoever wrote the checkout:
// those that the repository's own branch launches in the same way, and without a part of the checkout.
type Trust struct {
	Lock      *lock.Lock // of the repository's own branch; nil: it could not be had
	Why       string     // why Lock is nil
	Workspace string     // absolute
	Dir       string     // the lock's folder, absolute
	Lookup    func(name string) (string, bool)
}

// Block says why a server must not be launched, or nil.
func (t *Trust) Block(s *lock.Server) *verify.Failure {
	const hint = "allow-untrusted-commands: true lifts this rule: only for a workflow in which no stranger's commit is checked out"
	if t.Lock == nil {
		return &verify.Failure{
			Code:    "no-trusted-lock",
			Message: "this event runs with the repository's rights, and the lock of its own branch could not be read to compare with: " + t.Why,
			Hint:    "give the job permissions: contents: read and its github-token; " + hint,
		}
	}
	trusted := t.Lock.Servers[s.Name]
	if trusted == nil {
		return &verify.Failure{
			Code:    "not-trusted",
			Message: "this event runs with the repository's rights, and the lock of its own branch does not name this server",
			Hint:    "it will be checked once the lock is merged, or by a workflow on pull_request; " + hint,
		}
	}
	if changes := lock.LaunchChanges(trusted, s); len(changes) > 0 {
		var fields []string
		for _, c := range changes {
			fields = append(fields, c.Field)
		}
		return &verify.Failure{
			Code:    "launch-changed",
			Message: "this event runs with the repository's rights, and the lock of its own branch launches this server differently: " + strings.Join(fields, ", "),
			Hint:    "it will be checked once the lock is merged, or by a workflow on pull_request; " + hint,
		}
	}
	if what := t.reaches(s); what != "" {
		return &verify.Failure{
			Code:    "reaches-checkout",
			Message: fmt.Sprintf("this event runs with the repository's rights, and the launch reaches into the checkout, which a stranger may have written: %s", what),
			Hint:    "check it by a workflow on pull_request; " + hint,
		}
	}
	return nil
}

// reaches names the part of a launch description that is a path in the checkout, or holds one.
func (t *Trust) reaches(s *lock.Server) string {
	if s.Transport != lock.Stdio {
		return "" // a file is read, not run, and a URL is the trusted lock's
	}
	if s.Cwd != "" && t.inCheckout(s.Cwd) {
		return fmt.Sprintf("cwd %q", s.Cwd)
	}
	for _, arg := range s.Command {
		if t.inCheckout(arg) || t.holdsPath(arg) {
			return fmt.Sprintf("%q", arg)
		}
	}
	for name, value := range s.Env {
		if t.holdsPath(value) {
			return "env." + name
		}
	}
	return ""
}

// inCheckout tells whether text, taken for a path from the lock's folder, is there and lies in the checkout, by its name
// or by where its links lead.
func (t *Trust) inCheckout(text string) bool {
	path := t.expand(text)
	if path == "" {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.Dir, path)
	}
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	if within(t.Workspace, path) {
		return true
	}
	resolved, err := filepath.EvalSymlinks(path)
	root, rootErr := filepath.EvalSymlinks(t.Workspace)
	return err == nil && rootErr == nil && within(root, resolved)
}

// holdsPath looks for an absolute path inside a longer text: --config=PATH, file://PATH, a shell's command line, a search
// path. A relative one leads nowhere from the empty folder that a server starts in.
func (t *Trust) holdsPath(text string) bool {
	for _, piece := range strings.FieldsFunc(t.expand(text), func(r rune) bool { return strings.ContainsRune(" \t\r\n=:,;|&<>()'\"`", r) }) {
		if strings.HasPrefix(piece, "//") { // of file://
			piece = "/" + strings.TrimLeft(piece, "/")
		}
		if decoded, err := url.PathUnescape(piece); err == nil {
			piece = decoded
		}
		if filepath.IsAbs(piece) && t.inCheckout(piece) {
			return true
		}
	}
	return false
}

// expand replaces ${NAME} for the look at a path.
func (t *Trust) expand(text string) string {
	if t.Lookup == nil || !strings.Contains(text, "${") {
		return text
	}
	return os.Expand(text, func(name string) string {
		value, _ := t.Lookup(name)
		return value
	})
}

func within(root, path string) bool { return RelativeTo(root, path) != "" }

// InWorkspace returns a check of the files that a run reads: with its links resolved, one must be a regular file of the
// workspace, and none of git's own, where a token may stand. Its errors quote nothing of the file.
func InWorkspace(workspace string) func(path string) (string, error) {
	return func(path string) (string, error) {
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			return "", err
		}
		root, err := filepath.EvalSymlinks(workspace)
		if err != nil {
			return "", err
		}
		rel := RelativeTo(root, resolved)
		switch {
		case rel == "":
			return "", &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it leads out of the workspace")}
		case strings.HasPrefix(rel, ".git/") || strings.Contains(rel, "/.git/"):
			return "", &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it belongs to git")}
		}
		info, err := os.Stat(resolved)
		if err != nil {
			return "", err
		}
		if !info.Mode().IsRegular() {
			return "", &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("no regular file")}
		}
		return resolved, nil
	}
}
