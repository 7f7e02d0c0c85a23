package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// stubborn stands for npx: it starts a server of its own that ignores SIGTERM and answers nothing.
const stubborn = `#!/bin/sh
node -e 'process.on("SIGTERM", () => {}); require("fs").writeFileSync(process.argv[1], "up"); setInterval(() => {}, 1000)' "$PWD/up" &
wait
`

func TestInterrupt_endsServersThatIgnoreSIGTERM(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "server"), stubborn, 0o755)
			cmd := exec.Command(binary(t, "contractpin"), "init", "s", "--", "./server")
			cmd.Dir, cmd.Env = dir, plainEnv()
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFile(t, filepath.Join(dir, "up"))
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 1 {
				t.Errorf("exit %d, want 1:\n%s", code, out.String())
			}
			noOrphans(t)
			if _, err := os.Stat(filepath.Join(dir, "contractpin.lock")); err == nil {
				t.Error("a lock was written")
			}
		})
	}
}

func waitFile(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s did not come into being within a minute", path)
}
