package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// The names under which this binary is process 1, a launcher, a killer or a remover.
const (
	nameInit   = "contractpin-init"
	nameLaunch = "contractpin-launch"
	nameKill   = "contractpin-kill"
	nameRemove = "contractpin-remove"
)

func dispatch(argv []string) (int, bool) {
	if len(argv) == 0 {
		return 0, false
	}
	switch filepath.Base(argv[0]) {
	case nameInit:
		return initProcess(argv[1:]), true
	case nameLaunch:
		return launch(), true
	case nameKill:
		return kill(argv[1:]), true
	case nameRemove:
		return remove(argv[1:]), true
	}
	return 0, false
}

// state is what a run has set up.
type state struct {
	setup    func() error // once
	users    *users
	landlock int     // its version; 0: none
	grants   []grant // but for a server's own home
	closed   closed

	mu      sync.Mutex
	ended   bool
	servers map[*server]bool // that run
}

func (s *Sandbox) init() {
	s.cfg.host.orImage()
	s.servers = map[*server]bool{}
	s.setup = sync.OnceValue(s.setUp)
}

// setUp looks at what is around us and closes what has to be closed.
func (s *Sandbox) setUp() error {
	h := &s.cfg.host
	if err := h.able(); err != nil {
		return noIsolation(err)
	}
	if err := errors.Join(os.MkdirAll(h.homes, 0o711), os.Chmod(h.homes, 0o711)); err != nil {
		return noIsolation(err)
	}
	s.users = newUsers(h)
	found, err := s.lookAtWorkspace()
	if err != nil {
		return noIsolation(err)
	}
	s.grants = append(append(systemGrants(), h.grants...), found.grants...)
	if err := s.closeDocker(); err != nil {
		return noIsolation(err)
	}
	version, missing := h.landlock()
	if s.landlock = version; missing == nil {
		s.sayVersion()
		return nil
	}
	return s.closeInstead(missing, append(found.gits, found.unseen...))
}

func noIsolation(err error) error {
	return &Error{
		Code:    NoIsolation,
		Message: err.Error(),
		Hint:    "set isolate: false if you trust the servers with everything this job can see",
	}
}

func (s *Sandbox) lookAtWorkspace() (checkout, error) {
	if s.cfg.Workspace == "" {
		return checkout{}, nil
	}
	root, err := filepath.EvalSymlinks(s.cfg.Workspace)
	if err != nil {
		return checkout{}, err
	}
	for _, secret := range append([]string{s.cfg.host.homes}, s.cfg.host.hide...) {
		if within(root, secret) {
			return checkout{}, fmt.Errorf("the workspace %s holds %s, which servers must not see", root, secret)
		}
	}
	found, err := walk(root, maxWalked)
	if err != nil {
		return checkout{}, err
	}
	if len(found.unseen) > 0 {
		s.cfg.Log(fmt.Sprintf("servers cannot read %s and %d more folders of the checkout: it has more than %d entries",
			found.unseen[0], len(found.unseen)-1, maxWalked))
	}
	if info, err := os.Stat(root); err == nil && info.Mode().Perm()&0o005 != 0o005 {
		s.cfg.Log(fmt.Sprintf("servers cannot read the checkout: %s is closed to other users (mode %#o)", root, info.Mode().Perm()))
	}
	return found, nil
}

// within tells whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

func (s *Sandbox) sayVersion() {
	if s.landlock >= landScopes {
		return
	}
	what := "abstract Unix sockets stay open to servers"
	if s.landlock < landTruncate {
		what += ", and so does emptying a file that anyone may write"
	}
	s.cfg.Log(fmt.Sprintf("this kernel's Landlock is version %d of the %d that isolation uses: %s", s.landlock, landScopes, what))
}

// closeInstead does by modes what Landlock would have done, and says what modes cannot do.
func (s *Sandbox) closeInstead(why error, secrets []string) error {
	if err := s.closed.add(append(s.cfg.host.hide, secrets...)...); err != nil {
		return noIsolation(fmt.Errorf("without Landlock (%w) it has to be closed to servers, and cannot be: %w", why, err))
	}
	s.cfg.Log(fmt.Sprintf("%v: each server still runs as a user of its own, and the runner's folders and every .git are closed "+
		"for the run, but servers can see the command lines of other processes and all that anyone in the container may read, "+
		"reach each other by abstract Unix sockets, and write to the temporary folders", why))
	if n, first := writable(s.cfg.Workspace); n > 0 {
		s.cfg.Log(fmt.Sprintf("%d files or folders of the checkout can be written by any server, since their modes let anyone, such as %s", n, first))
	}
	return nil
}

// writable counts what anyone may write to.
func writable(root string) (n int, first string) {
	if root == "" {
		return 0, ""
	}
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().Perm()&0o002 != 0 {
			if n++; n == 1 {
				first = path
			}
		}
		return nil
	})
	return n, first
}

func (s *Sandbox) prepare(ctx context.Context, cmd *exec.Cmd) (func(), error) {
	if err := s.setup(); err != nil {
		return nil, err
	}
	u, err := s.users.lend(ctx)
	if err != nil {
		return nil, err
	}
	v := &server{sandbox: s, account: u}
	s.mu.Lock()
	ended := s.ended
	if !ended {
		s.servers[v] = true
	}
	s.mu.Unlock()
	if ended {
		s.users.giveBack(u, &s.cfg.host, s.cfg.Log)
		return nil, noIsolation(errors.New("the run is over"))
	}
	if err := v.isolate(cmd); err != nil {
		v.end()
		return nil, err
	}
	return v.end, nil
}

func (s *Sandbox) close() {
	s.mu.Lock()
	s.ended = true
	var left []*server
	for v := range s.servers {
		left = append(left, v)
	}
	s.mu.Unlock()
	for _, v := range left {
		v.end()
	}
	if err := s.closed.restore(); err != nil {
		s.cfg.Log(fmt.Sprintf("put back the modes of what was closed for the run: %v", err))
	}
}
