//go:build !linux

package mcp

import "os/exec"

// strays are descendants that left the group; only Linux tells us about them.
type strays []struct{}

func (g *group) strays(*exec.Cmd) strays { return nil }
func (strays) kill()                     {}
