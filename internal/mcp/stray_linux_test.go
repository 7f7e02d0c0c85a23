package mcp_test

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/mcp"
)

// A wrapper that starts its server in the background of a session of its own, where no signal to the group arrives.
func TestList_childThatLeftTheGroupIsEndedToo(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "setsid"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs " + program)
		}
	}
	pids := filepath.Join(t.TempDir(), "pids")
	s := stdioServer(t, scenario{})
	s.Command = []string{"sh", "-c", `setsid sh -c 'echo $$ >> "$0"; trap "" TERM; while :; do sleep 0.1; done' "$1" <&- >&- 2>&- & "$0"; exit 0`, s.Command[0], pids}
	o := mcp.Options{Matches: func(*contract.Listing) bool {
		for range 1000 { // until the stray is up
			if len(readPIDs(pids)) > 0 {
				return true
			}
			time.Sleep(10 * time.Millisecond)
		}
		return true
	}}
	if l := mustList(t, s, o); names(l) != "alpha beta gamma" {
		t.Error(names(l))
	}
	for _, pid := range readPIDs(pids) {
		if isRunning(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
}
