package sandbox

import (
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killPatience bounds how long a killed process may take to be gone: one that hangs in the kernel never is.
const killPatience = 5 * time.Second

// endAll ends every process of the server's user, however it hid: a process group misses what called setsid. Only
// kill(-1) by the same user finds all at one stroke, and a server could kill who does that. So a process of its own does,
// whose effective user is the server's and whose real and saved user is a guard's, which the server cannot signal.
func endAll(self string, u *account) error {
	cmd := exec.Command(self)
	cmd.Args = []string{nameKill, strconv.Itoa(u.uid), strconv.Itoa(u.guard)}
	cmd.Env, cmd.Dir = []string{}, "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("end the processes of user %d: %w: %s", u.uid, err, out)
	}
	return nil
}

// kill is the process that endAll starts.
func kill(args []string) int {
	if len(args) != 2 {
		return exitLauncher
	}
	uid, err1 := strconv.Atoi(args[0])
	guard, err2 := strconv.Atoi(args[1])
	if err1 != nil || err2 != nil || uid <= 0 || guard <= 0 {
		fmt.Printf("bad users %q\n", args)
		return exitLauncher
	}
	if err := becomeKiller(uid, guard); err != nil {
		fmt.Println(err)
		return exitLauncher
	}
	deadline := time.Now().Add(killPatience)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if err := unix.Kill(-1, unix.SIGKILL); err != nil && err != unix.ESRCH { // never itself, nor process 1
			fmt.Println(err)
			return 1
		}
		// What kill says of -1 does not tell whether anybody is left; this does, zombies included.
		if _, err := unix.Getpriority(unix.PRIO_USER, uid); err == unix.ESRCH {
			return 0
		}
		if time.Now().After(deadline) {
			fmt.Printf("some are left after %v\n", killPatience)
			return 1
		}
		time.Sleep(pause)
	}
}

// becomeKiller makes sure that kill(-1) can reach the server's processes and no others: root's would reach all.
func becomeKiller(uid, guard int) error {
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("setgroups: %w", err)
	}
	if err := syscall.Setresgid(guard, guard, guard); err != nil {
		return fmt.Errorf("setresgid: %w", err)
	}
	if err := syscall.Setresuid(guard, uid, guard); err != nil {
		return fmt.Errorf("setresuid: %w", err)
	}
	if r, e, s := unix.Getresuid(); r != guard || e != uid || s != guard {
		return fmt.Errorf("users are %d %d %d, not %d %d %d", r, e, s, guard, uid, guard)
	}
	effective, err := capabilities()
	if err != nil {
		return err
	}
	if effective != 0 {
		return fmt.Errorf("capabilities are left: %x", effective)
	}
	return nil
}

// capabilities is the effective set of the calling thread.
func capabilities() (uint64, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return 0, fmt.Errorf("capget: %w", err)
	}
	return uint64(data[1].Effective)<<32 | uint64(data[0].Effective), nil
}
