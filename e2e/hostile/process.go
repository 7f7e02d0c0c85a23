package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Bounds that a server must not get beyond; the sandbox's own are lower or equal.
const (
	fileBound    = 512 << 20
	openBound    = 1100
	processBound = 600
)

func proc(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// anyProcess tries something on every process that is not ours and succeeds with the first. Folders of processes may be
// there although /proc cannot be listed, so it counts.
func anyProcess(name string, try func(path string) (string, error)) func(*Target) (string, error) {
	return func(*Target) (string, error) {
		last := errNothing
		for pid := 1; pid < 2000; pid++ {
			if _, err := os.Lstat(proc(pid, "")); err != nil {
				continue
			}
			if _, err := os.Lstat(filepath.Join("/proc/self/task", strconv.Itoa(pid))); err == nil { // a thread of ours
				continue
			}
			detail, err := try(proc(pid, name))
			if err == nil {
				return fmt.Sprintf("process %d: %s", pid, detail), nil
			}
			if !errors.Is(err, errNothing) {
				last = err
			}
		}
		return "", last
	}
}

func searchFile(path string) (string, error) { return readSecret(path) }

func commandLine(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if len(data) == 0 { // a zombie's, or a kernel thread's
		return "", errNothing
	}
	return fmt.Sprintf("%d bytes", len(data)), nil
}

// searchMemory reads the writable regions of a process, where a program keeps what it works with.
func searchMemory(mem string) (string, error) {
	f, err := os.Open(mem)
	if err != nil {
		return "", err
	}
	defer f.Close()
	maps, err := os.Open(filepath.Join(filepath.Dir(mem), "maps"))
	if err != nil {
		return "", err
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		from, to, _ := strings.Cut(fields[0], "-")
		a, err1 := strconv.ParseUint(from, 16, 63)
		b, err2 := strconv.ParseUint(to, 16, 63)
		if err1 != nil || err2 != nil || !strings.HasPrefix(fields[1], "rw") || b-a > 64<<20 {
			continue
		}
		data := make([]byte, b-a)
		n, _ := f.ReadAt(data, int64(a))
		if detail, err := search(data[:n]); err == nil {
			return detail, nil
		}
	}
	return "", errNothing
}

// openFiles opens what another process has open.
func openFiles(dir string) (string, error) {
	fds, err := os.ReadDir(dir)
	if err != nil {
		// The folder may be closed and what is in it not.
		for fd := range 10 {
			if _, e := os.Readlink(filepath.Join(dir, strconv.Itoa(fd))); e == nil {
				return "a link can be read", nil
			}
		}
		return "", err
	}
	for _, fd := range fds {
		if link, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil {
			return link, nil
		}
	}
	return "", errNothing
}

// ownFiles reads what was left open for us beside stdin, stdout and stderr.
func ownFiles(*Target) (string, error) {
	for fd := 3; fd < 256; fd++ {
		buf := make([]byte, 64<<10)
		if n, err := syscall.Pread(fd, buf, 0); err == nil && n > 0 {
			if detail, err := search(buf[:n]); err == nil {
				return detail, nil
			}
		}
	}
	return "", errNothing
}

func trace(pid int) (string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.PtraceAttach(pid); err != nil {
		return "", err
	}
	var ws syscall.WaitStatus
	syscall.Wait4(pid, &ws, syscall.WALL, nil)
	return "", syscall.PtraceDetach(pid)
}

// vmRead reads a word of our own binary's place in another process; the action's is mapped at the same one.
func vmRead(pid int) (string, error) {
	word := make([]byte, 8)
	local := []unix.Iovec{{Base: &word[0], Len: 8}}
	remote := []unix.RemoteIovec{{Base: 0x400000, Len: 8}}
	if _, err := unix.ProcessVMReadv(pid, local, remote, 0); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", binary.LittleEndian.Uint64(word)), nil
}

func bigFile(*Target) (string, error) {
	path := filepath.Join(os.Getenv("HOME"), "big")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer os.Remove(path)
	defer f.Close()
	_, err = f.WriteAt([]byte{1}, fileBound)
	return "", err
}

func manyFiles(*Target) (string, error) {
	var open []*os.File
	defer func() {
		for _, f := range open {
			f.Close()
		}
	}()
	for range openBound {
		f, err := os.Open("/dev/null")
		if err != nil {
			return "", fmt.Errorf("after %d: %w", len(open), err)
		}
		open = append(open, f)
	}
	return "", nil
}

func manyProcesses(*Target) (string, error) {
	var started []*exec.Cmd
	defer func() {
		for _, c := range started {
			c.Process.Kill()
		}
		for _, c := range started {
			c.Wait()
		}
	}()
	for range processBound {
		c := exec.Command("sleep", "1000")
		if err := c.Start(); err != nil {
			return "", fmt.Errorf("after %d: %w", len(started), err)
		}
		started = append(started, c)
	}
	return "", nil
}

// manyThreads does it in a process of its own, since Go's runtime ends with the thread that it cannot have.
func manyThreads(*Target) (string, error) {
	out, err := exec.Command(self(), "threads").CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(string(out), "\n")
		return "", fmt.Errorf("%w: %s", err, first)
	}
	return "", nil
}

func threads() {
	ready := make(chan bool)
	for range processBound {
		go func() {
			runtime.LockOSThread()
			ready <- true
			select {}
		}()
	}
	for range processBound {
		<-ready
	}
}
