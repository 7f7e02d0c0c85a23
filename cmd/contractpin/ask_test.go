//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/creack/pty"
)

// On a terminal a changed contract is pinned only after a yes.
func TestInit_asksBeforeItPinsAChange(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		args         []string
		asked        bool
		exit         int
		pinned       bool
	}{
		{"yes", "y\n", nil, true, 0, true},
		{"no", "n\n", nil, true, 1, false},
		{"nothing", "\n", nil, true, 1, false},
		{"end of input", "\x04", nil, true, 1, false},
		{"interrupt", "\x03", nil, true, 1, false},
		{"told not to ask", "", []string{"--yes"}, false, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(description string) {
				listing := `{"tools":[{"name":"read","description":"` + description + `"}]}`
				if err := os.WriteFile(filepath.Join(dir, "tools.json"), []byte(listing), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write("Reads.")
			first := exec.Command("contractpin", "init", "acme", "--file", "tools.json")
			first.Dir = dir
			if out, err := first.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			before, _ := os.ReadFile(filepath.Join(dir, "contractpin.lock"))
			write("Reads and deletes.")

			cmd := exec.Command("contractpin", append([]string{"init", "--force", "acme"}, c.args...)...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "NO_COLOR=1")
			terminal, err := pty.Start(cmd)
			if err != nil {
				t.Fatal(err)
			}
			defer terminal.Close()
			var shown bytes.Buffer
			chunk := make([]byte, 4096)
			answered := false
			for {
				n, err := terminal.Read(chunk)
				shown.Write(chunk[:n])
				if !answered && bytes.Contains(shown.Bytes(), []byte("[y/N]")) {
					answered = true
					terminal.WriteString(c.answer)
				}
				if err != nil { // EIO, or the end: nobody holds the terminal any more
					break
				}
			}
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.exit {
				t.Errorf("exit code %d, want %d: %s", got, c.exit, shown.Bytes())
			}
			if answered != c.asked {
				t.Errorf("asked: %v: %s", answered, shown.Bytes())
			}
			if !bytes.Contains(shown.Bytes(), []byte("Reads and deletes.")) {
				t.Errorf("what is to be pinned was not shown: %s", shown.Bytes())
			}
			after, _ := os.ReadFile(filepath.Join(dir, "contractpin.lock"))
			if pinned := !bytes.Equal(before, after); pinned != c.pinned {
				t.Errorf("pinned: %v", pinned)
			}
		})
	}
}
