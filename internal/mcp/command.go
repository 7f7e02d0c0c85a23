package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/secret"
)

// launch is a stdio server ready to be started, any number of times.
type launch struct {
	argv     []string // expanded; argv[0] as the lock has it, but absolute where it was relative
	path     string   // what argv[0] was found as
	env      []string
	dir      string
	neutral  string // temporary folder to remove, or ""
	warnings []string
}

// prepare resolves a stdio server's launch description (SPEC §5). The folder it makes is removed by release.
func (o *Options) prepare(s *lock.Server) (*launch, error) {
	l := &launch{}
	var err error
	if l.env, l.warnings, err = o.childEnv(s); err != nil {
		return nil, err
	}
	for i, arg := range s.Command {
		if slices.ContainsFunc(references(arg), func(name string) bool { return !secret.Public(name) }) {
			l.warnings = append(l.warnings, fmt.Sprintf("command[%d] holds the value of a variable: other processes of this machine can read it in the process list; env keeps it out of there", i))
		}
		expanded, err := o.expand(fmt.Sprintf("command[%d]", i), arg)
		if err != nil {
			return nil, err
		}
		l.argv = append(l.argv, expanded)
	}
	if len(l.argv) == 0 || l.argv[0] == "" {
		return nil, notFound("")
	}
	base, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, &Error{Kind: Unreachable, Code: CodeStart, Message: err.Error()}
	}
	if isPath(l.argv[0]) && !filepath.IsAbs(l.argv[0]) {
		l.argv[0] = filepath.Join(base, filepath.FromSlash(l.argv[0]))
	}
	if l.path, err = lookPath(l.argv[0], l.env); errors.Is(err, fs.ErrPermission) {
		return nil, &Error{
			Kind: Unreachable, Code: CodeStart, Message: quote(s.Command[0]) + " may not be executed",
			Hint: "set its executable bit (git update-index --chmod=+x), or name its interpreter first",
		}
	} else if err != nil {
		return nil, notFound(s.Command[0])
	}
	return l, l.chooseDir(base, s)
}

// chooseDir sets the working directory. A package runner obeys node_modules/.bin, .npmrc and project files of the folder
// it starts in, so without a cwd it starts in an empty one.
func (l *launch) chooseDir(base string, s *lock.Server) error {
	switch {
	case s.Cwd != "":
		l.dir = filepath.FromSlash(s.Cwd)
		if !filepath.IsAbs(l.dir) {
			l.dir = filepath.Join(base, l.dir)
		}
		if info, err := os.Stat(l.dir); err != nil || !info.IsDir() {
			return &Error{Kind: Unreachable, Code: CodeStart, Message: fmt.Sprintf("cwd %s is no folder", quote(s.Cwd))}
		}
	case isPackageRunner(l.argv):
		dir, err := os.MkdirTemp("", neutralPrefix)
		if err != nil {
			return &Error{Kind: Unreachable, Code: CodeStart, Message: err.Error()}
		}
		l.dir, l.neutral = dir, dir
	default:
		l.dir = base
	}
	return nil
}

const neutralPrefix = "contractpin-cwd-"

// IsNeutral tells the empty folders in which package runners start, each launch in one of its own.
func IsNeutral(dir string) bool { return strings.HasPrefix(filepath.Base(dir), neutralPrefix) }

func (l *launch) release() {
	if l.neutral != "" {
		os.RemoveAll(l.neutral)
	}
}

func (l *launch) command() *exec.Cmd {
	return &exec.Cmd{Path: l.path, Args: slices.Clone(l.argv), Env: slices.Clone(l.env), Dir: l.dir}
}

func notFound(name string) *Error {
	return &Error{
		Kind: Unreachable, Code: CodeCommandNotFound,
		Message: "command not found: " + cmp.Or(line(name), "(empty)"),
		Hint: "install it where contractpin runs; the action runs in a container image that has node, npx, python3, uvx, git and docker, " +
			"and nothing of what the job has set up",
	}
}

// isPath tells a path from a name to be looked up in PATH.
func isPath(name string) bool {
	return strings.Contains(name, "/") || runtime.GOOS == "windows" && strings.ContainsAny(name, `\:`)
}

// lookPath finds name in the PATH that the server is going to have, which the lock may set.
func lookPath(name string, env []string) (string, error) {
	if isPath(name) || runtime.GOOS == "windows" {
		return exec.LookPath(name)
	}
	for _, entry := range env {
		list, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			// A relative entry would depend on the folder that we happen to be in.
			if !filepath.IsAbs(dir) {
				continue
			}
			if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return found, nil
			}
		}
	}
	return "", fs.ErrNotExist
}

// isPackageRunner tells whether a command fetches a package and runs it.
func isPackageRunner(argv []string) bool {
	name := program(argv[0])
	if name == "cmd" && len(argv) > 2 && strings.EqualFold(argv[1], "/c") {
		return isPackageRunner(argv[2:]) // how npx is often written on Windows
	}
	var sub string
	for _, arg := range argv[1:] {
		if !strings.HasPrefix(arg, "-") {
			sub = arg
			break
		}
	}
	switch name {
	case "npx", "pnpx", "bunx", "uvx":
		return true
	case "pnpm", "yarn":
		return sub == "dlx"
	case "npm":
		return sub == "exec" || sub == "x"
	case "bun":
		return sub == "x"
	case "pipx":
		return sub == "run"
	case "uv":
		return sub == "tool"
	}
	return false
}

// program is the name of a command without folder and Windows' endings.
func program(command string) string {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	for _, ending := range []string{".cmd", ".exe", ".bat", ".ps1"} {
		if cut := len(name) - len(ending); cut > 0 && strings.EqualFold(name[cut:], ending) {
			return strings.ToLower(name[:cut])
		}
	}
	return name
}

// errNotRegular marks a path that is no plain file; reading a device or a pipe may never end.
var errNotRegular = errors.New("not a regular file")
