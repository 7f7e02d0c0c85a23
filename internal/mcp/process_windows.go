package mcp

import (
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is the job object that a server's process tree runs in.
type group struct {
	job windows.Handle
	cmd *exec.Cmd
}

func (g *group) prepare(*exec.Cmd) {}

func (g *group) started(cmd *exec.Cmd) {
	g.cmd = cmd
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return // only the process itself can be ended
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = assign(job, uint32(cmd.Process.Pid))
	}
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	g.job = job
}

func assign(job windows.Handle, pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

// terminate does nothing: Windows has no signal that asks a process without a console to end.
func (g *group) terminate() {}

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	if g.cmd != nil {
		_ = g.cmd.Process.Kill()
	}
}

func (g *group) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

func (g *group) alive() bool { return false }

// interruptRead ends the process: a read of an anonymous pipe cannot be interrupted, it returns when the last writer is gone.
func (p *process) interruptRead() {
	p.ending.Store(true)
	p.group.kill()
}
