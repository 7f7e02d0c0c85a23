package sandbox

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// start starts a command isolated and returns the first line that it writes.
func (w *world) start(cmd *exec.Cmd) (line string, cleanup func()) {
	w.t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	cleanup, err = w.Prepare(context.Background(), cmd)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		w.t.Fatalf("the server wrote %q: %v", line, err)
	}
	return strings.TrimSuffix(line, "\n"), cleanup
}

// nobody tells whether no process of a user is left.
func nobody(uid int) bool {
	_, err := unix.Getpriority(unix.PRIO_USER, uid)
	return err == unix.ESRCH
}

func TestCleanup_endsWhatHid(t *testing.T) {
	for name, script := range map[string]string{
		"in a session of its own":  `setsid sh -c 'sleep 1000 & sleep 1000' >/dev/null 2>&1 </dev/null & echo started; exec sleep 1000`,
		"deaf to signals":          `trap '' TERM INT HUP; echo started; while :; do sleep 1000; done`,
		"orphaned and alone":       `(setsid sh -c 'trap "" TERM; sleep 1000' >/dev/null 2>&1 </dev/null &) ; echo started`,
		"killing all that it can":  `echo started; setsid sh -c 'while :; do kill -9 -1; done' >/dev/null 2>&1 </dev/null & exec sleep 1000`,
		"starting ever new others": `f() { sh -c 'sleep 0' & }; echo started; while :; do f; done 2>/dev/null`,
		"stopped":                  `echo started; kill -STOP $$`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, true)
			cmd := w.sh(script)
			_, cleanup := w.start(cmd)
			cmd.Process.Kill()
			cmd.Wait()
			cleanup()
			if !nobody(testUID) {
				t.Error("processes are left")
			}
			if len(w.log) > 0 {
				t.Errorf("log: %q", w.log)
			}
		})
	}
}

func TestCleanup_leavesOtherServersAlone(t *testing.T) {
	w := newWorld(t, true)
	first, second := w.sh(`echo started; exec cat`), w.sh(`echo started; exec cat`)
	stdin, err := second.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	_, cleanup1 := w.start(first)
	_, cleanup2 := w.start(second)
	defer cleanup2()
	first.Wait() // its stdin is empty
	cleanup1()
	stdin.Close()
	if err := second.Wait(); err != nil {
		t.Errorf("the other server ended with %v", err)
	}
}

func TestClose_endsServersThatStillRun(t *testing.T) {
	w := newWorld(t, true)
	cmd := w.sh(`echo started; exec sleep 1000`)
	_, cleanup := w.start(cmd)
	go cmd.Wait()
	w.Close()
	if !nobody(testUID) {
		t.Error("processes are left")
	}
	cleanup()
	if _, err := w.Prepare(context.Background(), w.sh("true")); err == nil {
		t.Error("a server can be prepared after the run")
	}
}

func oneUser(c *Config) { c.host.users = 1 }

func TestPrepare_waitsForAUserAndFindsNothingOfTheLast(t *testing.T) {
	w := newWorld(t, false, oneUser)
	cmd := w.sh(`mkdir -p "$HOME/a/b" "$1/tmp/c/d" && touch "$HOME/a/b/c" "$1/tmp/c/d/e" "$1/tmp/f" && echo x >"/dev/shm/left" && echo started; exec sleep 1000`, w.dir)
	_, cleanup := w.start(cmd)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.Prepare(ctx, w.sh("true")); !errors.Is(err, context.Canceled) {
		t.Errorf("a second server: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	cleanup()
	if got := w.say(`id -u; find "$HOME" "$1/tmp" /dev/shm -user "$(id -u)" ! -path "$HOME" ! -path "$HOME/tmp" ! -path "$HOME/empty"`, w.dir); got != strconv.Itoa(testUID) {
		t.Errorf("the next server with this user finds %q", got)
	}
}

func TestPrepare_aUserThatCannotBeCleanedUpIsNeverLentAgain(t *testing.T) {
	w := newWorld(t, true, oneUser, func(c *Config) {
		c.host.temps = append(c.host.temps, filepath.Join(c.Workspace, "contractpin.lock")) // no folder
	})
	w.say("true")
	_, err := w.Prepare(context.Background(), w.sh("true"))
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != NoIsolation {
		t.Errorf("error is %v", err)
	}
	if len(w.log) != 1 {
		t.Errorf("log is %q, want one line", w.log)
	}
}

func TestPrepare_aServerThatCannotBeRemovedHarmsNobody(t *testing.T) {
	w := newWorld(t, true)
	cleanup, err := w.Prepare(context.Background(), w.sh(`true`))
	if err != nil {
		t.Fatal(err)
	}
	dig(t, filepath.Join(w.cfg.host.homes, strconv.Itoa(testUID)), maxDepth+1)
	cleanup()
	w.users.removal.Wait()
	if len(w.log) != 1 || !strings.Contains(w.log[0], "user 61600 is not used again") {
		t.Errorf("log is %q", w.log)
	}
	if got := w.say(`id -u`); got != strconv.Itoa(testUID+1) {
		t.Errorf("the next server runs as %s", got)
	}
	if err := exec.Command("rm", "-rf", w.cfg.host.homes).Run(); err != nil {
		t.Error(err)
	}
}

// dig makes folders in folders, deeper than any path could name.
func dig(t *testing.T, dir string, depth int) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for range depth {
		if err == nil {
			err = unix.Mkdirat(at, "d", 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		var next int
		next, err = unix.Openat(at, "d", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		unix.Close(at)
		at = next
	}
	unix.Close(at)
}

func TestServer_isBounded(t *testing.T) {
	w := newWorld(t, true)
	if _, errs, err := w.run(w.sh(`exec dd if=/dev/zero of="$HOME/big" bs=1 count=1 seek=536870912`)); err == nil {
		t.Errorf("a file larger than the bound was written %s", errs)
	}
	if _, errs, err := w.run(w.sh(`exec dd if=/dev/zero of="$HOME/big" bs=1 count=1 seek=536870911`)); err != nil {
		t.Errorf("a file as large as the bound was not written %s", errs)
	}
	out, _, _ := w.run(w.sh(`i=0; while :; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); echo $i; done`))
	lines := strings.Fields(out)
	if n := len(lines); n < 200 || n >= maxProcesses {
		t.Errorf("a server started %d processes, want some hundred, less than %d", n, maxProcesses)
	}
}

func TestCleanup_leavesNoFileOpen(t *testing.T) {
	w := newWorld(t, true)
	w.say("true")
	w.users.removal.Wait()
	before := openFiles(t)
	for range 3 {
		w.say("true")
	}
	w.users.removal.Wait()
	if after := openFiles(t); after > before {
		t.Errorf("%d files were open, %d are", before, after)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}

func TestRemoveIPC(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a System V object somebody else's")
	}
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Skip("System V shared memory: ", err)
	}
	var d unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &d); err != nil {
		t.Fatal(err)
	}
	d.Perm.Uid = testUID + 3
	if _, err := unix.SysvShmCtl(id, unix.IPC_SET, &d); err != nil {
		t.Fatal(err)
	}
	queue, _, errno := unix.Syscall(unix.SYS_MSGGET, 0, unix.IPC_CREAT|0o600, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	defer unix.Syscall(unix.SYS_MSGCTL, queue, unix.IPC_RMID, 0)
	if err := removeIPC(testUID + 3); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &d); err == nil {
		t.Error("shared memory is left")
	}
	var stat [256]byte
	if _, _, errno := unix.Syscall(unix.SYS_MSGCTL, queue, unix.IPC_STAT, uintptr(unsafe.Pointer(&stat))); errno != 0 {
		t.Error("somebody else's queue is gone: ", errno)
	}
}
