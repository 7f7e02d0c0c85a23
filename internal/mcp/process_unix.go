//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
	"time"
)

// group is the process group that a server leads.
type group struct {
	pid int // 0: the process leads no group of its own, only it can be signalled
	cmd *exec.Cmd
}

func (g *group) prepare(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

func (g *group) started(cmd *exec.Cmd) {
	g.cmd = cmd
	// Prepare may have chosen a session of its own instead, whose leader leads a group too.
	if a := cmd.SysProcAttr; a != nil && (a.Setpgid && a.Pgid == 0 || a.Setsid) {
		g.pid = cmd.Process.Pid
	}
}

func (g *group) signal(sig syscall.Signal) error {
	if g.pid == 0 {
		return g.cmd.Process.Signal(sig)
	}
	return syscall.Kill(-g.pid, sig)
}

func (g *group) terminate() { _ = g.signal(syscall.SIGTERM) }
func (g *group) kill()      { _ = g.signal(syscall.SIGKILL) }
func (g *group) close()     {}

// alive tells whether anybody is left in the group. The direct child must have been reaped.
func (g *group) alive() bool {
	// EPERM: somebody is there who may not be signalled.
	return g.pid != 0 && syscall.Kill(-g.pid, 0) != syscall.ESRCH
}

// interruptRead makes a pending read of stdout return.
func (p *process) interruptRead() { _ = p.stdout.SetReadDeadline(time.Unix(1, 0)) }
