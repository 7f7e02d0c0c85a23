package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxDepth bounds the folders in folders that a remover goes into: it keeps each of them open.
const maxDepth = 4096

// removeAll removes every file and every System V object of a user that has no processes. A process of its own does it,
// since a server may leave folders in folders until whoever removes them runs out of files and memory.
func removeAll(u *account, h *host) error {
	cmd := exec.Command(h.self)
	cmd.Args = append([]string{nameRemove, strconv.Itoa(u.uid), u.home}, h.temps...)
	cmd.Env, cmd.Dir = []string{}, "/"
	if out, err := cmd.Output(); err != nil {
		return fmt.Errorf("remove what it left: %w: %s", err, out)
	}
	return nil
}

// remove is the process that removeAll starts: a user, its home, folders where anyone may leave files.
func remove(args []string) int {
	if len(args) < 2 {
		return exitLauncher
	}
	uid, err := strconv.Atoi(args[0])
	if err != nil || uid <= 0 {
		return exitLauncher
	}
	err = unix.Prlimit(0, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: maxDepth, Max: maxDepth}, nil)
	err = errors.Join(err, os.RemoveAll(args[1]))
	for _, dir := range args[2:] {
		err = errors.Join(err, removeOwned(dir, uid))
	}
	if err = errors.Join(err, removeIPC(uid)); err == nil {
		return 0
	}
	// Not the names of files, which a server chose.
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		err = errno
	}
	fmt.Print(err)
	return 1
}

// removeOwned removes what a user owns in a folder that others can write to at the same time, hence os.Root. Folders of
// other users are theirs: what was put there goes with them.
func removeOwned(dir string, uid int) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = d.Info()
		}
		if errors.Is(err, fs.ErrNotExist) { // gone meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		owner := int(info.Sys().(*syscall.Stat_t).Uid)
		if owner == uid && path != "." {
			err = root.RemoveAll(path)
		}
		if err == nil && d.IsDir() && owner != 0 {
			return fs.SkipDir
		}
		return err
	})
}
