package mcp_test

import (
	"os"
	"os/signal"
)

func ignoreTermination() { signal.Ignore(os.Interrupt) }

func isRunning(pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		p.Release()
	}
	return err == nil
}

func openFiles() int { return -1 }
