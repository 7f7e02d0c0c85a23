package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// initProcess is process 1 of the image: it runs the command given, or this program itself (the action), hands on every
// signal, collects every process that ends, whoever started it, and exits as its child did. With process 1 the kernel
// ends all others.
func initProcess(args []string) int {
	path, argv := "", args
	var err error
	if len(args) == 0 {
		path, err = os.Executable()
		argv = []string{path}
	} else {
		path, err = exec.LookPath(args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "contractpin:", err)
		return exitNotFound
	}
	// Under another process 1 (docker run --init) orphans come here all the same.
	unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals) // before the child exists, so that none is lost
	child, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: foreground()})
	if err != nil {
		fmt.Fprintf(os.Stderr, "contractpin: start %s: %v\n", path, err)
		return exitNotStarted
	}
	go forward(signals, child)
	return reap(child)
}

// foreground gives a terminal's keys to the child alone, so that Ctrl-C is not both sent and handed on.
func foreground() *syscall.SysProcAttr {
	if _, err := unix.IoctlGetTermios(0, unix.TCGETS); err != nil {
		return nil
	}
	return &syscall.SysProcAttr{Foreground: true, Ctty: 0}
}

func forward(signals <-chan os.Signal, child int) {
	for s := range signals {
		switch s {
		case syscall.SIGCHLD, syscall.SIGURG, syscall.SIGPIPE, syscall.SIGTTIN, syscall.SIGTTOU: // ours
		default:
			syscall.Kill(child, s.(syscall.Signal))
		}
	}
}

func reap(child int) int {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case err == syscall.EINTR || err == nil && pid != child:
		case err != nil:
			fmt.Fprintln(os.Stderr, "contractpin: wait:", err)
			return exitLauncher
		case ws.Signaled():
			return 128 + int(ws.Signal())
		default:
			return ws.ExitStatus()
		}
	}
}
