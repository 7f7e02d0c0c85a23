package mcp_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
)

// told returns what a server found at the names of Tell, as "NAME=value" by name.
func told(l *mcp.Listed) map[string]string {
	out := map[string]string{}
	for _, t := range l.Listing.Tools {
		if name, value, ok := strings.Cut(t.Name, "="); ok {
			out[name] = value
		}
	}
	return out
}

func lookup(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if v, ok := vars[name]; ok {
			return v, true
		}
		if name == "PATH" || name == "HOME" || name == "SYSTEMROOT" {
			return os.LookupEnv(name)
		}
		return "", false
	}
}

func TestList_serverSeesTheAllowListAndNothingElse(t *testing.T) {
	t.Parallel()
	vars := map[string]string{
		"LANG": "C.UTF-8", "LC_ALL": "C", "HTTPS_PROXY": "http://proxy:8080", "NO_PROXY": "localhost", "SSL_CERT_FILE": "/ca.pem",
		"http_proxy": "http://user:not-a-secret@proxy:8080", "GITHUB_TOKEN": "t", "AWS_SECRET_ACCESS_KEY": "k", "INPUT_HEADERS": "h",
		"ACTIONS_RUNTIME_TOKEN": "a", "NODE_OPTIONS": "--require x", "PASSED": "p", "INPUT_NAMED": "n", "TERM": "() { :; }",
	}
	s := stdioServer(t, scenario{Tell: []string{
		"LANG", "LC_ALL", "HTTPS_PROXY", "http_proxy", "NO_PROXY", "SSL_CERT_FILE", "HOME", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY",
		"INPUT_HEADERS", "ACTIONS_RUNTIME_TOKEN", "NODE_OPTIONS", "PASSED", "INPUT_NAMED", "TERM", "FROM_LOCK", "LITERAL",
	}})
	s.Env["FROM_LOCK"] = "<${PASSED}>"
	s.Env["LITERAL"] = "$${PASSED} ${PASSED:-x} $PASSED ${}"
	l := mustList(t, s, mcp.Options{Lookup: lookup(vars), PassEnv: []string{"PASSED", "INPUT_NAMED", "UNSET"}, Matches: anything})
	got := told(l)
	for name, want := range map[string]string{
		"LANG": "C.UTF-8", "LC_ALL": "C", "HTTPS_PROXY": "http://proxy:8080", "NO_PROXY": "localhost", "SSL_CERT_FILE": "/ca.pem",
		"HOME": os.Getenv("HOME"), "PASSED": "p", "INPUT_NAMED": "n", "FROM_LOCK": "<p>", "LITERAL": "${PASSED} ${PASSED:-x} $PASSED ${}",
	} {
		if got[name] != want {
			t.Errorf("%s=%q, want %q", name, got[name], want)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("the server sees %v too", got)
	}
	if w := strings.Join(l.Warnings, "\n"); !strings.Contains(w, "http_proxy holds a password") || strings.Contains(w, "not-a-secret") {
		t.Errorf("%q", l.Warnings)
	}
}

func TestList_referenceThatCannotBeResolvedNamesIt(t *testing.T) {
	t.Parallel()
	vars := map[string]string{"EMPTY": "", "GITHUB_TOKEN": "t", "INPUT_X": "x", "ACTIONS_Y": "y"}
	for name, message := range map[string]string{
		"UNSET": "which is not set", "EMPTY": "which is empty",
		"GITHUB_TOKEN": "kept from servers", "INPUT_X": "kept from servers", "ACTIONS_Y": "kept from servers",
	} {
		ref := "${" + name + "}"
		for place, s := range map[string]*lock.Server{
			"env.KEY":    {Transport: lock.Stdio, Command: []string{"x"}, Env: map[string]string{"KEY": ref}},
			"command[1]": {Transport: lock.Stdio, Command: []string{"x", "--key=" + ref}},
			"url":        {Transport: lock.HTTP, URL: "http://127.0.0.1:1/" + ref},
		} {
			e := mustFail(t, s, mcp.Options{Lookup: lookup(vars)}, mcp.Unreachable, mcp.CodeEnvUnset)
			if !strings.HasPrefix(e.Message, place+" refers to "+ref) || !strings.Contains(e.Message, message) || e.Hint == "" {
				t.Errorf("%q, hint %q", e.Message, e.Hint)
			}
		}
	}
}

func TestList_referenceInCommandWarns(t *testing.T) {
	t.Parallel()
	s := stdioServer(t, scenario{})
	s.Command = append(s.Command, "--key", "${KEY}", "$${KEY}")
	l := mustList(t, s, mcp.Options{Lookup: lookup(map[string]string{"KEY": "not-a-secret"}), Matches: anything})
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "command[2]") || !slices.Equal(l.Command, s.Command) {
		t.Errorf("%q, command %q", l.Warnings, l.Command)
	}
}

func TestList_workingDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"bin", "work", "a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"server", "npx", "pnpm"} {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if os.Link(exe, filepath.Join(dir, "bin", name)) != nil && os.Symlink(exe, filepath.Join(dir, "bin", name)) != nil {
			t.Skip("no links here")
		}
	}
	for _, c := range []struct {
		command []string
		cwd     string
		entries string
	}{
		{[]string{"bin/server"}, "", "4"},                                // the lock's folder
		{[]string{"./bin/server"}, "bin", "3"},                           // relative to the lock's folder, both
		{[]string{"bin/npx", "-y", "pkg"}, "", "0"},                      // a package runner starts in an empty folder
		{[]string{filepath.Join(dir, "bin", "npx"), "pkg"}, "", "0"},     // by an absolute path too
		{[]string{"bin/npx", "-y", "pkg"}, "work", "0"},                  // unless told otherwise
		{[]string{"bin/npx", "-y", "pkg"}, ".", "4"},                     //
		{[]string{"bin/pnpm", "dlx", "pkg"}, "", "0"},                    //
		{[]string{"bin/pnpm", "--silent", "dlx", "pkg"}, "", "0"},        //
		{[]string{"bin/pnpm", "start", "dlx"}, "", "4"},                  // the project's own script
		{[]string{filepath.Join(dir, "bin", "server"), "npx"}, dir, "4"}, // an absolute cwd
	} {
		s := stdioServer(t, scenario{Tell: []string{"cwd"}})
		s.Command, s.Cwd = c.command, c.cwd
		l, err := mcp.List(t.Context(), s, mcp.Options{Dir: dir, Matches: anything})
		if err != nil {
			t.Errorf("%q: %v", c.command, err)
		} else if got := told(l)["cwd"]; got != c.entries {
			t.Errorf("%q with cwd %q starts in a folder of %s entries, want %s", c.command, c.cwd, got, c.entries)
		}
	}
	s := stdioServer(t, scenario{})
	s.Cwd = "no/such"
	mustFail(t, s, mcp.Options{Dir: dir}, mcp.Unreachable, mcp.CodeStart)
}

func TestList_prepareMayRefuseAndIsCleanedUpAfter(t *testing.T) {
	t.Parallel()
	s := stdioServer(t, scenario{})
	refusal := &mcp.Error{Kind: mcp.Unreachable, Code: "no-isolation", Message: "no way"}
	e := mustFail(t, s, mcp.Options{Prepare: func(context.Context, *exec.Cmd) (func(), error) { return nil, refusal }},
		mcp.Unreachable, "no-isolation")
	if e.Message != "no way" {
		t.Error(e.Message)
	}
	mustFail(t, s, mcp.Options{Prepare: func(context.Context, *exec.Cmd) (func(), error) { return nil, errors.New("x") }},
		mcp.Unreachable, mcp.CodeStart)

	for _, path := range []string{s.Command[0], "/no/such/file"} {
		cleaned := 0
		_, err := mcp.List(t.Context(), s, mcp.Options{Matches: anything, Prepare: func(_ context.Context, cmd *exec.Cmd) (func(), error) {
			cmd.Path = path
			return func() {
				cleaned++
				if cmd.Process != nil && cmd.ProcessState == nil {
					t.Error("cleaned up before the command was waited for")
				}
			}, nil
		}})
		if cleaned != 1 || (err == nil) != (path == s.Command[0]) {
			t.Errorf("%s: cleaned up %d times, error %v", path, cleaned, err)
		}
	}
}
