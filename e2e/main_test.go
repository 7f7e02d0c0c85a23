package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// temp holds what the whole test run shares; it goes at its end.
var temp string

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "contractpin-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	temp = dir
	if err := adoptOrphans(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// binaries builds contractpin and action from the tree under test, once.
var binaries = sync.OnceValues(func() (string, error) {
	build := exec.Command("go", "build", "-o", temp+"/", "./cmd/...")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/...: %w\n%s", err, out)
	}
	return temp, nil
})

// binary is the path of contractpin or action.
func binary(t *testing.T, name string) string {
	t.Helper()
	dir, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// result is what a finished command left.
type result struct {
	code           int
	stdout, stderr string
}

func (r result) String() string {
	return fmt.Sprintf("exit %d\nstdout:\n%s\nstderr:\n%s", r.code, r.stdout, r.stderr)
}

// contractpin runs the command in dir and fails the test when it leaves a process behind.
func contractpin(t *testing.T, dir string, args ...string) result {
	t.Helper()
	r := command(t, dir, nil, append([]string{binary(t, "contractpin")}, args...)...)
	noOrphans(t)
	return r
}

// command runs argv to its end with the machine's environment, less what a CI adds, and env.
func command(t *testing.T, dir string, env []string, argv ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(plainEnv(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s: no end within three minutes\n%s", strings.Join(argv, " "), stderr.String())
	}
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v", argv[0], err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// plainEnv is the environment without a CI's variables, with the pinned Node in front.
func plainEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GITHUB_") && !strings.HasPrefix(v, "INPUT_") && !strings.HasPrefix(v, "CI=") {
			env = append(env, v)
		}
	}
	node, err := filepath.Abs("node_modules/node/bin")
	if err != nil {
		panic(err)
	}
	return append(env, "PATH="+node+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// nodeModule is a path under e2e/node_modules, which `make e2e-tools` fills.
func nodeModule(t *testing.T, elem ...string) string {
	t.Helper()
	return installed(t, append([]string{"node_modules"}, elem...)...)
}

// tool is a program under e2e/.bin, which `make e2e-tools` fills.
func tool(t *testing.T, name string) string {
	t.Helper()
	return installed(t, ".bin", name)
}

func installed(t *testing.T, elem ...string) string {
	t.Helper()
	p, err := filepath.Abs(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p); err != nil {
		t.Fatalf("e2e/%s is not installed: run `make e2e-tools` first (%v)", filepath.Join(elem...), err)
	}
	return p
}

// write puts a file in place.
func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
