package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// server is one isolated server, from Prepare to its cleanup.
type server struct {
	sandbox *Sandbox
	account *account
	orders  *os.File
	relay   *relay
	once    sync.Once
}

// isolate makes the command one that starts a launcher, which becomes the server.
func (v *server) isolate(cmd *exec.Cmd) error {
	s, u := v.sandbox, v.account
	if cmd.Env == nil || len(cmd.ExtraFiles) > 0 {
		return errors.New("a server to isolate needs an environment of its own and no files")
	}
	if err := makeHome(u); err != nil {
		return fmt.Errorf("make a home: %w", err)
	}
	dir, err := v.startDir(cmd.Dir)
	if err != nil {
		return err
	}
	o := &orders{
		Path: cmd.Path, Args: cmd.Args, Env: v.environment(cmd.Env), Dir: dir, UID: u.uid, Landlock: s.landlock,
		Grants: append(slices.Clip(s.grants), grant{Path: u.home, Rights: landAll, Needed: true}),
	}
	if s.cfg.DockerServers && isDocker(cmd.Args) {
		if v.relay, err = openRelay(s.cfg.host.docker, u); err != nil {
			return fmt.Errorf("hand on the Docker socket: %w", err)
		}
		o.Args = v.relay.mark(o.Args)
		o.Env = setenv(o.Env, "DOCKER_HOST", "unix://"+v.relay.path)
	}
	if v.orders, err = o.file(); err != nil {
		return err
	}
	cmd.Path, cmd.Args, cmd.Env, cmd.Dir = s.cfg.host.self, []string{nameLaunch}, []string{}, "/"
	cmd.ExtraFiles = []*os.File{v.orders}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Setsid = false, true
	return nil
}

// startDir gives a server its own empty folder in place of one of ours, which only we can enter.
func (v *server) startDir(dir string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	ws := v.sandbox.cfg.Workspace
	if within(os.TempDir(), dir) && (ws == "" || !within(ws, dir)) {
		if entries, err := os.ReadDir(dir); err == nil && len(entries) == 0 {
			return v.account.empty(), nil
		}
	}
	return dir, nil
}

// environment is the server's, with the user's own places instead of ours. What differs from ours was set on purpose.
func (v *server) environment(env []string) []string {
	for name, value := range map[string]string{
		"HOME": v.account.home, "TMPDIR": v.account.temp(), "USER": v.account.name, "LOGNAME": v.account.name,
	} {
		if was, ok := getenv(env, name); !ok || was == os.Getenv(name) {
			env = setenv(env, name, value)
		}
	}
	return env
}

// getenv finds the last value of a name, which is the one that counts to os/exec.
func getenv(env []string, name string) (value string, ok bool) {
	for _, e := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// setenv returns a copy in which a name has this value alone.
func setenv(env []string, name, value string) []string {
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if !strings.HasPrefix(e, name+"=") {
			out = append(out, e)
		}
	}
	return append(out, name+"="+value)
}

// end ends everything that the server started and gives back what it had.
func (v *server) end() {
	v.once.Do(func() {
		s := v.sandbox
		if v.orders != nil {
			v.orders.Close()
		}
		err := endAll(s.cfg.host.self, v.account)
		if v.relay != nil {
			if err := v.relay.close(); err != nil {
				s.cfg.Log(fmt.Sprintf("remove a server's containers: %v", err))
			}
		}
		s.mu.Lock()
		delete(s.servers, v)
		s.mu.Unlock()
		if err != nil {
			s.cfg.Log(fmt.Sprintf("%v: this user is not used again", err))
			s.users.retire()
			return
		}
		s.users.giveBack(v.account, &s.cfg.host, s.cfg.Log)
	})
}
