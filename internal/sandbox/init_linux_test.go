package sandbox

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// initCommand runs this test's binary as process 1 would be run.
func initCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"/usr/local/bin/" + nameInit}, args...)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestInit_exitsAsItsChild(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 2": 2, "kill -TERM $$": 128 + 15, "kill -KILL $$": 128 + 9} {
		err := initCommand(t, "sh", "-c", script).Run()
		if got := exitCode(err); got != want {
			t.Errorf("%s: exit code %d, want %d", script, got, want)
		}
	}
	cmd := initCommand(t, "no-such-command-anywhere")
	cmd.Stderr = nil
	if got := exitCode(cmd.Run()); got != exitNotFound {
		t.Errorf("unknown command: exit code %d, want %d", got, exitNotFound)
	}
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return -1
}

func TestInit_handsOnSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1} {
		cmd := initCommand(t, "sh", "-c", `trap 'exit 40' TERM; trap 'exit 41' INT; trap 'exit 42' HUP; trap 'exit 43' USR1; echo ready; while :; do sleep 0.01; done`)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("wrote %q: %v", line, err)
		}
		cmd.Process.Signal(sig)
		want := map[syscall.Signal]int{syscall.SIGTERM: 40, syscall.SIGINT: 41, syscall.SIGHUP: 42, syscall.SIGUSR1: 43}[sig]
		if got := exitCode(cmd.Wait()); got != want {
			t.Errorf("%v: exit code %d, want %d", sig, got, want)
		}
	}
}

func TestInit_collectsOrphans(t *testing.T) {
	// The orphan's parent is gone when it ends; it can be signalled for as long as nobody has collected it.
	out, err := initCommand(t, "sh", "-c", `
		orphan=$(sh -c 'sleep 0.01 >/dev/null & echo $!')
		while kill -0 $orphan 2>/dev/null; do sleep 0.01; done
		echo collected`).Output()
	if err != nil || string(out) != "collected\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestInit_passesArgumentsOn(t *testing.T) {
	out, err := initCommand(t, "printf", "%s|", "init", "--url", "a b").Output()
	if err != nil || string(out) != "init|--url|a b|" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestMain_isSomebodyElsesUnderAnotherName(t *testing.T) {
	for _, argv := range [][]string{nil, {""}, {"action"}, {"/usr/local/bin/contractpin", nameLaunch}, {"contractpin-init.exe"}} {
		if _, mine := Main(argv); mine {
			t.Errorf("%s is taken for a part of the sandbox", strings.Join(argv, " "))
		}
	}
}
