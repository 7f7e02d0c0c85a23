package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// closed are files and folders that were closed to all but root, and how they were before.
type closed struct {
	mu   sync.Mutex
	were []mode
}

type mode struct {
	path string
	mode fs.FileMode
}

// add closes paths. Those that do not exist need no closing; one that stays open is an error.
func (c *closed) add(paths ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(path, info.Mode().Perm()&0o700); err != nil {
			return err
		}
		c.were = append(c.were, mode{path, info.Mode()})
		if info, err = os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			return fmt.Errorf("%s stays open to everyone", path) // a file system that has no modes
		}
	}
	return nil
}

// restore puts every mode back, the last one first.
func (c *closed) restore() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	for i := len(c.were) - 1; i >= 0; i-- {
		if e := os.Chmod(c.were[i].path, c.were[i].mode); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	c.were = nil
	return err
}

// runnerPaths are where the runner keeps what servers must not see: the event, the file commands (which later steps
// obey), its temporary folder (which holds all of those again, and checkout's credentials) and the action's home.
func runnerPaths() []string {
	paths := []string{"/github/runner_temp", "/github/home", "/github/workflow", "/github/file_commands"}
	for _, name := range []string{
		"GITHUB_EVENT_PATH", "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY",
	} {
		if path := os.Getenv(name); filepath.IsAbs(path) {
			paths = append(paths, path) // a runner that lays them out differently
		}
	}
	return paths
}

// closeDocker keeps servers from the Docker socket by closing its folder, which is the container's own, since the
// socket's mode is the host's. Landlock does not cover it: connecting to a socket is no opening of a file.
func (s *Sandbox) closeDocker() error {
	socket, err := filepath.EvalSymlinks(s.cfg.host.docker)
	if err != nil {
		return nil // there is none
	}
	if dir := filepath.Dir(socket); dir == "/run" || strings.HasPrefix(dir, "/run/") {
		return s.closed.add(dir)
	}
	if info, err := os.Stat(socket); err == nil && info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("the Docker socket %s is open to everyone and not in /run, so it cannot be kept from servers", socket)
	}
	return nil
}
