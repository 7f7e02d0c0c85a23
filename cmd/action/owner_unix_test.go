//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAction_filesOfTheWorkspaceGetItsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	s := newStep(t)
	if err := os.Chown(s.ws, 1234, 2345); err != nil {
		t.Fatal(err)
	}
	s.pin(one(calm))
	s.write("s.json", calm)
	s.want(0)
	for _, name := range []string{"out", "out/report.json"} {
		if got := ownerOf(filepath.Join(s.ws, name)); got.uid != 1234 || got.gid != 2345 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
