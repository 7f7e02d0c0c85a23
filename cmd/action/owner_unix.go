//go:build unix

package main

import (
	"os"
	"syscall"
)

// owner is a user and a group; the zero value gives nothing away.
type owner struct {
	known    bool
	uid, gid int
}

// ownerOf names who owns a folder, when we are root and so can give files away.
func ownerOf(path string) owner {
	info, err := os.Stat(path)
	if err != nil || os.Geteuid() != 0 {
		return owner{}
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return owner{}
	}
	return owner{true, int(s.Uid), int(s.Gid)}
}

func (o owner) give(root *os.Root, name string) error {
	if !o.known {
		return nil
	}
	return root.Lchown(name, o.uid, o.gid)
}
