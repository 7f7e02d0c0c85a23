package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if code, mine := Main(os.Args); mine {
		os.Exit(code)
	}
	os.Exit(underInit(m))
}

// underInit runs the tests below a process like the image's process 1: the servers' orphans must be collected, and what
// the machine's own process 1 does about them is its business.
func underInit(m *testing.M) int {
	const mark = "CONTRACTPIN_TEST_UNDER_INIT"
	exe, err := os.Executable()
	if err != nil || os.Getenv(mark) != "" {
		os.Unsetenv(mark)
		return m.Run()
	}
	os.Setenv(mark, "1")
	return initProcess(append([]string{exe}, os.Args[1:]...))
}

// world is a host for tests: users without names, homes and folders of the test's own.
type world struct {
	*Sandbox
	t         *testing.T
	dir       string // all below it can be reached by servers
	workspace string
	hidden    string
	log       []string

	mu sync.Mutex
}

// testUID is the first of a world's users. Nobody else may run as one of them meanwhile.
const testUID = 61600

// newWorld makes one, with or without Landlock.
func newWorld(t *testing.T, landlock bool, change ...func(*Config)) *world {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can isolate servers: run the tests as root to see this one")
	}
	if have, err := capabilities(); err != nil || have&(1<<unix.CAP_SETPCAP) == 0 {
		t.Skip("root lacks the capabilities that isolating takes here")
	}
	w := &world{t: t, dir: publicDir(t)}
	w.workspace, w.hidden = filepath.Join(w.dir, "workspace"), filepath.Join(w.dir, "runner_temp")
	for _, d := range []string{"workspace/.git", "workspace/sub/vendor/.git", "workspace/sub/src", "runner_temp", "tmp"} {
		mkdir(t, filepath.Join(w.dir, d), 0o755)
	}
	for _, f := range []string{
		"workspace/contractpin.lock", "workspace/.git/config", "workspace/sub/vendor/.git/config", "workspace/sub/vendor/code",
		"workspace/sub/src/code", "runner_temp/token",
	} {
		write(t, filepath.Join(w.dir, f), "content of "+f+"\n")
	}
	if err := os.Chmod(filepath.Join(w.dir, "tmp"), 0o1777); err != nil {
		t.Fatal(err)
	}
	version := landlockVersion
	if _, err := landlockVersion(); landlock && err != nil {
		t.Skip("Landlock: ", err)
	}
	if !landlock {
		version = func() (int, error) { return 0, errors.New("no Landlock for this test") }
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	say := func(line string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.log = append(w.log, line)
	}
	c := Config{Workspace: w.workspace, Log: say, host: host{
		self: self, homes: filepath.Join(w.dir, "mcp"), firstUID: testUID, users: 4, temps: []string{filepath.Join(w.dir, "tmp"), "/dev/shm"},
		docker: filepath.Join(w.dir, "no-docker.sock"), hide: []string{w.hidden}, landlock: version, image: func() error { return nil },
	}}
	for _, f := range change {
		f(&c)
	}
	w.Sandbox = New(c)
	t.Cleanup(func() {
		w.Close()
		if w.users != nil {
			w.users.removal.Wait()
		}
	})
	return w
}

// publicDir is a temporary folder that other users can reach, which t.TempDir's are not.
func publicDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sandbox")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdir(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(dir, mode); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sh is a command that runs a script, with an environment as the action makes one.
func (w *world) sh(script string, args ...string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, "sh"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	cmd.Dir = w.workspace
	return cmd
}

// run runs a command isolated, to its end, and returns what it wrote.
func (w *world) run(cmd *exec.Cmd) (stdout, stderr string, err error) {
	w.t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cleanup, err := w.Prepare(context.Background(), cmd)
	if err != nil {
		w.t.Fatalf("Prepare: %v", err)
	}
	err = cmd.Run()
	cleanup()
	return out.String(), errs.String(), err
}

// say runs a script and returns what it wrote to stdout, without the last line feed.
func (w *world) say(script string, args ...string) string {
	w.t.Helper()
	out, errs, err := w.run(w.sh(script, args...))
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", script, err, errs)
	}
	return strings.TrimSuffix(out, "\n")
}
