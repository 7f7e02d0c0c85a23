package sandbox

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Bounds of one server: of its user, where the kernel counts by user.
const (
	maxProcesses = 512       // threads count too
	maxFiles     = 1024      // open at once in one process
	maxFileSize  = 512 << 20 // bytes of one file
)

// Exit statuses of a launcher that could not become the server, as shells use them.
const (
	exitLauncher   = 125
	exitNotStarted = 126
	exitNotFound   = 127
)

// ordersFD is where a launcher finds its orders.
const ordersFD = 3

// orders say what a launcher is to become. They come through a descriptor, since a process's arguments and first environment
// can be read by others.
type orders struct {
	Path     string
	Args     []string
	Env      []string
	Dir      string
	UID      int // and GID
	Landlock int // its version; 0: none
	Grants   []grant
}

// file puts the orders where a child can read them from the start.
func (o *orders) file() (*os.File, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(o); err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("orders", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	f := os.NewFile(uintptr(fd), "orders")
	if _, err := f.WriteAt(b.Bytes(), 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// launch gives up every right and becomes the server. It returns only when it could not.
func launch() int {
	// Capabilities, no_new_privs and Landlock belong to a thread; the one that executes decides for the server.
	runtime.LockOSThread()
	var o orders
	f := os.NewFile(ordersFD, "orders")
	if err := gob.NewDecoder(f).Decode(&o); err != nil {
		return complain(exitLauncher, fmt.Errorf("orders: %w", err))
	}
	f.Close()
	if err := o.confine(); err != nil {
		return complain(exitLauncher, err)
	}
	err := syscall.Exec(o.Path, o.Args, o.Env)
	err = fmt.Errorf("start %s: %w", o.Path, err)
	if errors.Is(err, os.ErrNotExist) {
		return complain(exitNotFound, err)
	}
	return complain(exitNotStarted, err)
}

func complain(code int, err error) int {
	fmt.Fprintln(os.Stderr, "contractpin: cannot isolate or start the server:", err)
	return code
}

// confine does, in this order, what can no longer be undone afterwards.
func (o *orders) confine() error {
	if err := emptyBoundingSet(); err != nil {
		return err
	}
	handOverPipes(o.UID)
	// The server goes first when memory runs out. Where that file cannot be written, the kernel chooses.
	os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	if err := limit(); err != nil {
		return err
	}
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(o.UID, o.UID, o.UID), syscall.Setresuid(o.UID, o.UID, o.UID)); err != nil {
		return fmt.Errorf("become user %d: %w", o.UID, err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := os.Chdir(o.Dir); err != nil {
		return err
	}
	if o.Landlock > 0 {
		if err := restrict(o.Landlock, o.Grants); err != nil {
			return err
		}
	}
	closeOnExec()
	return nil
}

// emptyBoundingSet keeps any later program, setuid or with file capabilities, from regaining a capability.
func emptyBoundingSet() error {
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err == unix.EINVAL && c > unix.CAP_CHOWN { // past the last one that this kernel knows
			break
		}
		if err != nil {
			return fmt.Errorf("drop capability %d from the bounding set: %w", c, err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && err != unix.EINVAL {
		return fmt.Errorf("clear the ambient set: %w", err)
	}
	return nil
}

// dropCapabilities empties what changing the user left: the inheritable set, and all the others again.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("capset: %w", err)
	}
	return nil
}

// handOverPipes lets the server open /dev/stdout and the like again: a pipe belongs to who made it.
func handOverPipes(uid int) {
	for fd := range 3 {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO {
			unix.Fchown(fd, uid, uid)
		}
	}
}

func limit() error {
	for _, l := range []struct {
		name     string
		resource int
		max      uint64
	}{
		{"NPROC", unix.RLIMIT_NPROC, maxProcesses},
		{"NOFILE", unix.RLIMIT_NOFILE, maxFiles},
		{"FSIZE", unix.RLIMIT_FSIZE, maxFileSize},
		{"CORE", unix.RLIMIT_CORE, 0},
	} {
		if err := unix.Prlimit(0, l.resource, &unix.Rlimit{Cur: l.max, Max: l.max}, nil); err != nil {
			return fmt.Errorf("limit %s to %d: %w", l.name, l.max, err)
		}
	}
	unix.Umask(0o077)
	return nil
}

// closeOnExec keeps every file but stdin, stdout and stderr from the server. Those that Go opened are marked anyway; this
// is for what was inherited.
func closeOnExec() {
	if unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := 3; fd < maxFiles; fd++ { // kernels before 5.11
		unix.CloseOnExec(fd)
	}
}
