package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes every process that outlives its parent a child of this one, so that it can be found.
func adoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// ours are the processes that tests started themselves and still need.
var ours sync.Map // pid → struct{}

// noOrphans fails the test for every process that a finished command left behind, and ends them.
func noOrphans(t *testing.T) {
	t.Helper()
	for _, p := range children() {
		// What was killed a moment ago may not have gone yet.
		for end := time.Now().Add(2 * time.Second); p.alive() && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		}
		if p.alive() {
			t.Errorf("left running: process %d: %s", p.pid, p.argv)
			unix.Kill(p.pid, unix.SIGKILL)
		}
		var status unix.WaitStatus
		unix.Wait4(p.pid, &status, 0, nil)
	}
}

type process struct {
	pid  int
	argv string
}

// alive tells whether the process runs still; one that ended and was not waited for does not.
func (p process) alive() bool {
	state, _ := stat(p.pid)
	return state != "" && state != "Z" && state != "X"
}

// children are the processes below this one that no test started itself.
func children() []process {
	var out []process
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, e := range entries {
		pid, err := strconv.Atoi(filepath.Base(e))
		if err != nil {
			continue
		}
		if _, known := ours.Load(pid); known {
			continue
		}
		if _, parent := stat(pid); parent == os.Getpid() {
			argv, _ := os.ReadFile(filepath.Join(e, "cmdline"))
			out = append(out, process{pid, strings.ReplaceAll(string(argv), "\x00", " ")})
		}
	}
	return out
}

// stat gives a process's state and parent; "" when it is gone.
func stat(pid int) (state string, parent int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}
