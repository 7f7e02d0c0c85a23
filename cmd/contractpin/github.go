package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/contractpin/verify/internal/github"
	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/verify"
)

// tellGitHub writes what the action would: outputs, the job summary, annotations. It is done when asked for alone
// (--github), never because a variable says that this is a job. The runner reads commands from stderr as well, so stdout
// stays the report's. Whatever fails is a warning.
func (c *Command) tellGitHub(r *verify.Report, f *verifyFlags) {
	getenv := func(name string) string {
		v, _ := c.LookupEnv(name)
		return v
	}
	gh := github.NewRunner(c.Stderr, getenv)
	at, err := github.ReadContext(getenv)
	if err != nil {
		gh.Warn(fmt.Sprintf("what the runner says about this run cannot all be read: %v", err))
	}
	file := ""
	if f.format == "json" {
		file = f.output
	}
	for _, o := range append(github.Outputs(r, file), github.CommentOutputs(github.Posted{})...) {
		if err := gh.Output(o[0], o[1]); err != nil {
			gh.Warn(fmt.Sprintf("an output could not be set: %v", err))
		}
	}
	context := report.Context{
		Key: f.lock, HeadSHA: at.HeadSHA(), RunID: at.RunID, RunAttempt: at.Attempt, RunURL: at.RunURL(), LockPath: f.lock,
		Env: [][2]string{
			{"Event", at.Event.Name}, {"Workflow", at.Workflow}, {"Job", at.Job}, {"System", runtime.GOOS + "/" + runtime.GOARCH},
			{"Isolation", "none: servers ran as the job's own user"}, {"Time limit", f.timeout.String()},
		},
	}
	if err := gh.Summary(report.Summary(r, context)); err != nil {
		gh.Warn(fmt.Sprintf("the job summary could not be written: %v", err))
	}
	for _, a := range github.Annotations(r, github.Placement{File: inWorkspace(at.Workspace, f.lock)}) {
		gh.Annotate(a)
	}
}

// inWorkspace names the lock as annotations do: from inside the checkout.
func inWorkspace(workspace, lock string) string {
	abs, err := filepath.Abs(lock)
	if workspace == "" || err != nil {
		return ""
	}
	// The runner may name the checkout by a link, as macOS does for /tmp.
	for _, p := range []*string{&workspace, &abs} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	if _, err := os.Stat(abs); err != nil {
		return ""
	}
	return github.RelativeTo(workspace, abs)
}
