//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// wrapper starts a server and waits for it, as npx and shell scripts do.
func wrapper(args []string) int {
	cmd := exec.Command("fakeserver", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}

// A signal ends the wrapper's child too, although that ignores SIGTERM and the end of its input; what could be checked
// is reported, the rest is unreachable.
func TestVerify_signalEndsAllChildrenAndStillReports(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skip("these tests were started with nohup, and so is what they start")
			}
			dir := t.TempDir()
			alive := fifo(t, filepath.Join(dir, "alive"))
			writeLock(t, dir, map[string][]string{
				"stubborn": {"wrapper", "-stubborn", "-hang", "-pids", filepath.Join(dir, "alive"), "x"},
			})
			cmd := exec.Command("contractpin", "verify", "--format", "json")
			cmd.Dir = dir
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(<-alive)
			if _, err := in.ReadString('\n'); err != nil { // the child runs
				t.Fatal(err)
			}
			cmd.Process.Signal(sig)
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("exit: %v, want 1", err)
			}
			if _, err := io.ReadAll(in); err != nil { // ends when nobody holds the other end any more
				t.Fatal(err)
			}
			var r verify.Report
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatalf("%v: %s", err, out.Bytes())
			}
			if s := r.Servers[0]; s.Status != verify.Unreachable || s.Reason.Code != "interrupted" {
				t.Errorf("reported as %s, %+v", s.Status, s.Reason)
			}
		})
	}
}

// fifo makes a named pipe and opens it for reading, which waits for whoever opens it for writing.
func fifo(t *testing.T, path string) <-chan *os.File {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := make(chan *os.File, 1)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			t.Error(err)
		}
		t.Cleanup(func() { f.Close() })
		opened <- f
	}()
	return opened
}

// writeLock pins stdio servers that have no tools.
func writeLock(t *testing.T, dir string, commands map[string][]string) {
	t.Helper()
	l := &lock.Lock{Servers: map[string]*lock.Server{}}
	for name, argv := range commands {
		pins := contract.Pins{}
		l.Servers[name] = &lock.Server{Name: name, Transport: lock.Stdio, Command: argv, Tools: pins, Digest: pins.Digest()}
	}
	if err := lock.Write(filepath.Join(dir, "contractpin.lock"), l.Encode()); err != nil {
		t.Fatal(err)
	}
}
