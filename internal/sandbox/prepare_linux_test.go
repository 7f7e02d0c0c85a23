package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestPrepare_serverHasNoRightsLeft(t *testing.T) {
	w := newWorld(t, false) // /proc/self is closed by Landlock
	uid := strconv.Itoa(testUID)
	status := fields(w.say(`exec cat /proc/self/status`), ":")
	for name, want := range map[string]string{
		"Uid": strings.Repeat(uid+"\t", 3) + uid, "Gid": strings.Repeat(uid+"\t", 3) + uid, "Groups": "",
		"CapInh": "0000000000000000", "CapPrm": "0000000000000000", "CapEff": "0000000000000000",
		"CapBnd": "0000000000000000", "CapAmb": "0000000000000000", "NoNewPrivs": "1", "Umask": "0077",
	} {
		// The second server of a world is the next user, and so on: only the digits of its number differ.
		if got := status[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	limits := w.say(`exec cat /proc/self/limits`)
	for name, want := range map[string]string{
		"Max processes": "512", "Max open files": "1024", "Max file size": "536870912", "Max core file size": "0",
	} {
		if got := strings.Fields(line(limits, name))[len(strings.Fields(name)):]; got[0] != want || got[1] != want {
			t.Errorf("%s are %v, want %s and no way to raise it", name, got[:2], want)
		}
	}
	if got := w.say(`exec cat /proc/self/oom_score_adj`); got != "1000" {
		t.Errorf("oom_score_adj is %s: something of ours may be ended before the server", got)
	}
	if got := w.say(`exec ls /proc/self/fd`); got != "0\n1\n2\n3" { // 3 is ls reading the folder
		t.Errorf("open files are %q", got)
	}
	if got := w.say(`cut -d" " -f1,6 /proc/$$/stat`); len(strings.Fields(got)) != 2 || strings.Fields(got)[0] != strings.Fields(got)[1] {
		t.Errorf("process and session are %s: it leads no session of its own", got)
	}
}

// fields reads lines of a name and a value.
func fields(text, sep string) map[string]string {
	out := map[string]string{}
	for l := range strings.Lines(text) {
		name, value, _ := strings.Cut(l, sep)
		out[name] = strings.TrimSpace(value)
	}
	return out
}

func line(text, prefix string) string {
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, prefix) {
			return l
		}
	}
	return prefix + " missing missing"
}

// attempts are things that a server may try, and whether it must succeed with Landlock, and without.
var attempts = []struct {
	script       string // $1 is the world's folder
	with, within bool
}{
	{`cat "$1/workspace/contractpin.lock"`, true, true},
	{`cat "$1/workspace/sub/src/code"`, true, true},
	{`cat "$1/workspace/sub/vendor/code"`, true, true},
	{`ls "$1/workspace"`, true, true},
	{`cat "$1/workspace/.git/config"`, false, false},
	{`cat "$1/workspace/sub/vendor/.git/config"`, false, false},
	{`cat "$1/workspace/link/config"`, false, false},
	{`cat "$1/workspace/sub/worktree/.git"`, false, false},
	{`cat "$1/runner_temp/token"`, false, false},
	{`echo x >>"$1/workspace/contractpin.lock"`, false, false},
	{`echo x >"$1/workspace/new"`, false, false},
	{`echo x >"$1/runner_temp/new"`, false, false},
	{`echo x >/etc/new`, false, false},
	{`echo x >"$1/tmp/new"`, false, true},
	{`echo x >"$1/open"`, false, true},
	{`echo x >"$HOME/new" && cat "$HOME/new" && rm "$HOME/new" && mkdir "$HOME/d" && mv "$HOME/d" "$HOME/e"`, true, true},
	{`echo x >"$TMPDIR/new"`, true, true},
	{`echo x >"/dev/shm/$$" && cat "/dev/shm/$$"`, true, true},
	{`printf '#!/bin/sh\nexit 0\n' >"$HOME/x" && chmod +x "$HOME/x" && "$HOME/x"`, true, true},
	{`echo x >/dev/null && head -c 1 /dev/urandom`, true, true},
	{`echo x >/dev/stdout && echo x >/dev/stderr`, true, true},
	{`cat /proc/meminfo && cat /proc/sys/kernel/osrelease`, true, true},
	{`cat /proc/1/cmdline`, false, true},
	{`cat /proc/1/environ`, false, false},
	{`ls "$HOME/.."`, false, false},
	{`kill -0 1`, false, false},
}

func TestPrepare_opensAndCloses(t *testing.T) {
	for _, landlock := range []bool{true, false} {
		t.Run(fmt.Sprintf("landlock=%v", landlock), func(t *testing.T) {
			w := newWorld(t, landlock)
			w.tempt()
			for _, a := range attempts {
				want := a.with
				if !landlock {
					want = a.within
				}
				out, errs, err := w.run(w.sh(a.script, w.dir))
				if (err == nil) != want {
					t.Errorf("%s: done %v, want %v\n%s%s", a.script, err == nil, want, out, errs)
				}
			}
		})
	}
}

// tempt adds ways around to a world: a link into .git, a .git that is a file, a file that anyone may write.
func (w *world) tempt() {
	w.t.Helper()
	if err := os.Symlink(".git", filepath.Join(w.workspace, "link")); err != nil {
		w.t.Fatal(err)
	}
	mkdir(w.t, filepath.Join(w.workspace, "sub/worktree"), 0o755)
	write(w.t, filepath.Join(w.workspace, "sub/worktree/.git"), "gitdir: elsewhere\n")
	write(w.t, filepath.Join(w.dir, "open"), "")
	if err := os.Chmod(filepath.Join(w.dir, "open"), 0o666); err != nil {
		w.t.Fatal(err)
	}
}

func TestPrepare_everyVersionOfLandlockClosesTheCheckout(t *testing.T) {
	newest, err := landlockVersion()
	if err != nil {
		t.Skip("Landlock: ", err)
	}
	for version := 1; version <= newest; version++ {
		w := newWorld(t, true, func(c *Config) { c.host.landlock = func() (int, error) { return version, nil } })
		if _, _, err := w.run(w.sh(`cat contractpin.lock && echo x >"$HOME/x"`)); err != nil {
			t.Errorf("version %d: a server cannot work", version)
		}
		if _, _, err := w.run(w.sh(`cat .git/config`)); err == nil {
			t.Errorf("version %d: .git can be read", version)
		}
		if said := len(w.log) > 0; said != (version < landScopes) {
			t.Errorf("version %d: log is %q", version, w.log)
		}
	}
}

func TestPrepare_withoutLandlockSaysSoOnceAndRestores(t *testing.T) {
	w := newWorld(t, false)
	git := filepath.Join(w.workspace, ".git")
	for range 2 {
		w.say(`true`)
	}
	if len(w.log) != 1 || !strings.Contains(w.log[0], "no Landlock for this test") {
		t.Errorf("log is %q, want one line", w.log)
	}
	for _, path := range []string{git, w.hidden} {
		if got := perm(t, path); got != 0o700 {
			t.Errorf("%s has mode %v while servers run", path, got)
		}
	}
	w.Close()
	for _, path := range []string{git, w.hidden} {
		if got := perm(t, path); got != 0o755 {
			t.Errorf("%s has mode %v after the run", path, got)
		}
	}
}

func perm(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestPrepare_doesNothingBeforeTheFirstServer(t *testing.T) {
	w := newWorld(t, false)
	if perm(t, w.hidden) != 0o755 || len(w.log) > 0 {
		t.Error("something was closed or said although no server is to be started")
	}
	if _, err := os.Stat(w.cfg.host.homes); err == nil {
		t.Error("homes were made")
	}
}

func TestPrepare_failsClosed(t *testing.T) {
	w := newWorld(t, true, func(c *Config) { c.host.image = func() error { return errors.New("not the image") } })
	_, err := w.Prepare(context.Background(), w.sh("true"))
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != NoIsolation || e.Hint == "" {
		t.Errorf("error is %#v", err)
	}
}

func TestPrepare_withoutRootFailsClosed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("this is root")
	}
	_, err := New(Config{}).Prepare(context.Background(), (&world{}).sh("true"))
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != NoIsolation {
		t.Errorf("error is %v", err)
	}
}

func TestPrepare_aWorkspaceAroundASecretIsRefused(t *testing.T) {
	w := newWorld(t, true, func(c *Config) { c.Workspace = filepath.Dir(c.Workspace) })
	if _, err := w.Prepare(context.Background(), w.sh("true")); err == nil {
		t.Error("no error")
	}
}

func TestPrepare_environment(t *testing.T) {
	w := newWorld(t, true)
	home := filepath.Join(w.cfg.host.homes, strconv.Itoa(testUID))
	if got, want := w.say(`echo $HOME $TMPDIR $USER $LOGNAME`), home+" "+home+"/tmp mcp00 mcp00"; got != want {
		t.Errorf("environment is %q, want %q", got, want)
	}
	cmd := w.sh(`echo $HOME $TMPDIR`)
	cmd.Env = append(cmd.Env, "HOME=/from/the/lock", "TMPDIR=/also")
	if out, errs, err := w.run(cmd); err != nil || out != "/from/the/lock /also\n" {
		t.Errorf("what the lock sets is %q (%v %s)", out, err, errs)
	}
}

func TestPrepare_argumentsAndEnvironmentArriveByteForByte(t *testing.T) {
	w := newWorld(t, true)
	odd := "a\xff\u202e'\n\"b"
	cmd := w.sh(`printf '%s|%s' "$1" "$ODD"`, odd)
	cmd.Env = append(cmd.Env, "ODD="+odd)
	if out, errs, err := w.run(cmd); err != nil || out != odd+"|"+odd {
		t.Errorf("got %q (%v %s)", out, err, errs)
	}
}

func TestPrepare_anEmptyTemporaryFolderBecomesTheServersOwn(t *testing.T) {
	w := newWorld(t, true)
	cmd := w.sh(`pwd; touch here`)
	cmd.Dir = t.TempDir()
	out, errs, err := w.run(cmd)
	if err != nil || !strings.HasSuffix(out, "/empty\n") {
		t.Errorf("started in %q (%v %s)", out, err, errs)
	}
}

func TestPrepare_whatCannotBeStartedSaysWhy(t *testing.T) {
	w := newWorld(t, true)
	write(t, filepath.Join(w.dir, "workspace/script"), "#!/bin/sh\n") // not executable
	for path, want := range map[string]string{
		"/nowhere/at/all":                           "no such file",
		filepath.Join(w.dir, "workspace/script"):    "permission denied",
		filepath.Join(w.dir, "runner_temp", "tool"): "permission denied",
	} {
		if strings.Contains(path, "tool") {
			write(t, path, "#!/bin/sh\n")
			os.Chmod(path, 0o755)
		}
		cmd := w.sh("")
		cmd.Path = path
		_, errs, err := w.run(cmd)
		if err == nil || !strings.Contains(errs, path) || !strings.Contains(errs, want) {
			t.Errorf("%s: %v, stderr %q", path, err, errs)
		}
	}
}
