package mcp

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// strays are descendants of a server that left its process group (setsid) while their parents were still there.
type strays []stray

type stray struct {
	pid   int
	since string // its start time, which tells it from a later process of the same number
}

// strays looks for them. It costs a few reads below /proc for a server with few processes.
func (g *group) strays(cmd *exec.Cmd) strays {
	var found strays
	seen := map[int]bool{}
	for pids := []int{cmd.Process.Pid}; len(pids) > 0 && len(seen) < 10000; {
		pid := pids[0]
		pids = pids[1:]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, name := range tasks {
			list, _ := os.ReadFile(name)
			for _, field := range bytes.Fields(list) {
				if child, err := strconv.Atoi(string(field)); err == nil {
					pids = append(pids, child)
				}
			}
		}
		if since, group := stat(pid); pid != cmd.Process.Pid && since != "" && group != g.pid {
			found = append(found, stray{pid, since})
		}
	}
	return found
}

// stat returns a process's start time and process group; "" when it is gone, or waits to be reaped.
func stat(pid int) (since string, group int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	// The name in parentheses may hold anything; the fields that follow it count from the third (proc_pid_stat(5)).
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' {
		return "", 0
	}
	group, _ = strconv.Atoi(string(fields[2]))
	return string(fields[19]), group
}

// kill ends them and waits until they are gone, a little.
func (s strays) kill() {
	for range 40 {
		left := false
		for _, p := range s {
			if since, _ := stat(p.pid); since == p.since {
				left = true
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		if !left {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
