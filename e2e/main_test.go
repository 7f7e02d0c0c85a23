package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bin holds contractpin and action, built from the tree under test.
var bin string

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "contractpin-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-o", dir+"/", "./cmd/...")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build ./cmd/...: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// result is what a finished command left.
type result struct {
	code           int
	stdout, stderr string
}

func (r result) String() string {
	return fmt.Sprintf("exit %d\nstdout:\n%s\nstderr:\n%s", r.code, r.stdout, r.stderr)
}

// contractpin runs the command in dir with the machine's environment, less what a CI adds, and env.
func contractpin(t *testing.T, dir string, env []string, args ...string) result {
	t.Helper()
	return command(t, dir, env, append([]string{filepath.Join(bin, "contractpin")}, args...)...)
}

func command(t *testing.T, dir string, env []string, argv ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GITHUB_") && !strings.HasPrefix(v, "INPUT_") && !strings.HasPrefix(v, "CI=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
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

// nodeModule is a path under e2e/node_modules, which `make e2e-tools` fills.
func nodeModule(t *testing.T, elem ...string) string {
	t.Helper()
	return installed(t, append([]string{"node_modules"}, elem...)...)
}

// tool is a program under e2e/.bin, which `make e2e-tools` fills.
func tool(t *testing.T, name string) string { return installed(t, ".bin", name) }

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
