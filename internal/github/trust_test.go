package github

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/lock"
)

func checkout(t *testing.T, files ...string) string {
	t.Helper()
	ws := t.TempDir()
	for _, f := range files {
		path := filepath.Join(ws, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return ws
}

func symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

func TestTrust_block(t *testing.T) {
	ws := checkout(t, "server.js", "sub/index.js", "sub/pins/contractpin.lock")
	outside := checkout(t, "run.sh")
	if err := os.Symlink(filepath.Join(ws, "server.js"), filepath.Join(outside, "link.js")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	stdio := func(argv ...string) *lock.Server {
		return &lock.Server{Name: "s", Transport: lock.Stdio, Command: argv}
	}
	http := func(url string) *lock.Server { return &lock.Server{Name: "s", Transport: lock.HTTP, URL: url} }
	with := func(s *lock.Server, change func(*lock.Server)) *lock.Server { change(s); return s }
	tests := []struct {
		name          string
		trusted, head *lock.Server
		code          string // "": launched
	}{
		{"the same", stdio("npx", "-y", "a@1"), stdio("npx", "-y", "a@1"), ""},
		{"another version", stdio("npx", "-y", "a@1"), stdio("npx", "-y", "a@2"), "launch-changed"},
		{"another environment", stdio("npx", "a"), with(stdio("npx", "a"), func(s *lock.Server) { s.Env = map[string]string{"A": "1"} }), "launch-changed"},
		{"another folder", stdio("npx", "a"), with(stdio("npx", "a"), func(s *lock.Server) { s.Cwd = "x" }), "launch-changed"},
		{"another transport", stdio("npx", "a"), http("https://a.example"), "launch-changed"},
		{"another origin", http("https://a.example/mcp"), http("https://b.example/mcp"), "launch-changed"},
		{"the same URL", http("https://a.example/mcp"), http("https://a.example/mcp"), ""},
		{"a new server", nil, stdio("npx", "a"), "not-trusted"},
		{"a script of the checkout", stdio("node", "../index.js"), stdio("node", "../index.js"), "reaches-checkout"},
		{"the checkout's folder", stdio("fs", ".."), stdio("fs", ".."), "reaches-checkout"},
		{"the workspace by its name", stdio("fs", ws), stdio("fs", ws), "reaches-checkout"},
		{"a link into the checkout", stdio("node", filepath.Join(outside, "link.js")), stdio("node", filepath.Join(outside, "link.js")), "reaches-checkout"},
		{"a file elsewhere", stdio("sh", filepath.Join(outside, "run.sh")), stdio("sh", filepath.Join(outside, "run.sh")), ""},
		{"a file that is not there", stdio("node", "none.js"), stdio("node", "none.js"), ""},
		{"a path behind an option", stdio("node", "--import=file://"+ws+"/server.js"), stdio("node", "--import=file://"+ws+"/server.js"), "reaches-checkout"},
		{"a path in a shell's line", stdio("sh", "-c", "cd "+ws+"; node server.js"), stdio("sh", "-c", "cd "+ws+"; node server.js"), "reaches-checkout"},
		{"a path that a variable holds", stdio("node", "${WS}/server.js"), stdio("node", "${WS}/server.js"), "reaches-checkout"},
		{"a path in the environment", with(stdio("node", "x"), func(s *lock.Server) { s.Env = map[string]string{"NODE_PATH": "/x:" + ws + "/sub"} }),
			with(stdio("node", "x"), func(s *lock.Server) { s.Env = map[string]string{"NODE_PATH": "/x:" + ws + "/sub"} }), "reaches-checkout"},
		{"a folder of the checkout", with(stdio("npx", "a"), func(s *lock.Server) { s.Cwd = "." }), with(stdio("npx", "a"), func(s *lock.Server) { s.Cwd = "." }), "reaches-checkout"},
		{"a file server", &lock.Server{Name: "s", Transport: lock.File, Path: "../index.js"}, &lock.Server{Name: "s", Transport: lock.File, Path: "../index.js"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			trust := &Trust{
				Lock: &lock.Lock{Servers: map[string]*lock.Server{}}, Workspace: ws, Dir: filepath.Join(ws, "sub", "pins"),
				Lookup: func(name string) (string, bool) { return ws, name == "WS" },
			}
			if tt.trusted != nil {
				trust.Lock.Servers["s"] = tt.trusted
			}
			f := trust.Block(tt.head)
			switch {
			case f == nil && tt.code != "":
				t.Errorf("not blocked, want %s", tt.code)
			case f != nil && f.Code != tt.code:
				t.Errorf("blocked: %s: %s; want %q", f.Code, f.Message, tt.code)
			}
		})
	}
}

func TestTrust_withoutATrustedLockAllIsBlocked(t *testing.T) {
	trust := &Trust{Why: "no token"}
	for _, s := range []*lock.Server{{Name: "a", Transport: lock.Stdio, Command: []string{"x"}}, {Name: "b", Transport: lock.File, Path: "x"}} {
		if f := trust.Block(s); f == nil || !strings.Contains(f.Message, "no token") {
			t.Errorf("%s: %+v", s.Name, f)
		}
	}
}

func TestInWorkspace(t *testing.T) {
	ws := checkout(t, "tools.json", "sub/tools.json", ".git/config", "sub/.git/config")
	outside := checkout(t, "secret")
	symlink(t, "sub/tools.json", filepath.Join(ws, "inside.json"))
	symlink(t, filepath.Join(outside, "secret"), filepath.Join(ws, "out.json"))
	symlink(t, outside, filepath.Join(ws, "outdir"))
	symlink(t, ".git/config", filepath.Join(ws, "config.json"))
	symlink(t, "/proc/self/environ", filepath.Join(ws, "environ.json"))
	check := InWorkspace(ws)
	for path, ok := range map[string]bool{
		"tools.json": true, "sub/tools.json": true, "inside.json": true, "out.json": false, "outdir/secret": false, "config.json": false,
		".git/config": false, "sub/.git/config": false, "sub": false, "../" + filepath.Base(outside) + "/secret": false, "environ.json": false,
		"none.json": false,
	} {
		got, err := check(filepath.Join(ws, path))
		if (err == nil) != ok {
			t.Errorf("%s: %q, %v", path, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "{}") {
			t.Errorf("%s: the error quotes the file: %v", path, err)
		}
	}
	if runtime.GOOS != "windows" {
		if _, err := check("/proc/self/environ"); err == nil {
			t.Error("/proc/self/environ was let through")
		}
	}
}
