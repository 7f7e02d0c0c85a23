package main

import (
	"os"
	"syscall"
)

// peak is the largest resident size of a process that has ended, in bytes.
func peak(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss * 1024
	}
	return 0
}
