package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/contractpin/verify/internal/github"
	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/verify"
)

// publish tells of the verdict, in an order that loses the least when the job is stopped midway, and returns the step's
// exit code. Whatever fails here is a warning.
func (j *job) publish(ctx context.Context, r *verify.Report) int {
	j.log(r)
	j.outputs(github.Outputs(r, j.writeFiles(r)))
	if j.in.jobSummary {
		if err := j.gh.Summary(report.Summary(r, j.context(false))); err != nil {
			j.warnf("the job summary could not be written: %v", err)
		}
	}
	code := j.exitCode(r)
	j.annotate(r, code)
	var posted github.Posted
	if ctx.Err() == nil { // a job that is being stopped has seconds left
		posted = j.comment(ctx, r)
	}
	j.outputs(github.CommentOutputs(posted))
	if ctx.Err() == nil {
		j.issue(ctx, r)
	}
	return code
}

func (j *job) log(r *verify.Report) {
	var b bytes.Buffer
	if err := report.Text(&b, r, report.TextOptions{Width: 120}); err != nil {
		j.warnf("the result could not be written to the log: %v", err)
	}
	j.gh.Log().Write(b.Bytes())
}

func (j *job) outputs(pairs [][2]string) {
	for _, p := range pairs {
		if err := j.gh.Output(p[0], p[1]); err != nil {
			j.warnf("an output could not be set: %v", err)
		}
	}
}

// exitCode is the report's, unless the workflow wants drift alone to pass.
func (j *job) exitCode(r *verify.Report) int {
	if !j.in.failOnDrift && github.OnlyDrift(r) {
		return verify.ExitMatch
	}
	return r.ExitCode
}

func (j *job) annotate(r *verify.Report, code int) {
	passes := code != r.ExitCode
	if j.in.annotations || r.Error != nil {
		place := github.Placement{File: github.RelativeTo(j.ws, j.lock), DriftPass: passes}
		for _, a := range github.Annotations(r, place) {
			j.gh.Annotate(a)
		}
	}
	if passes {
		j.warnf("the contracts drifted; the step passes all the same, as fail-on-drift: false asks")
	}
}

func (j *job) context(updated bool) report.Context {
	return report.Context{
		Key: j.in.commentKey, HeadSHA: j.at.HeadSHA(), RunID: j.at.RunID, RunAttempt: j.at.Attempt, RunURL: j.at.RunURL(),
		LockPath: j.in.lockFile, Updated: updated, Env: j.environment(),
	}
}

// environment is what the summary says about where the servers ran.
func (j *job) environment() [][2]string {
	isolation := "off: servers could do whatever this step can"
	if j.in.isolate {
		isolation = "on: each server a user of its own"
	}
	rows := [][2]string{
		{"Event", j.at.Event.Name}, {"Workflow", j.at.Workflow}, {"Job", j.at.Job}, {"System", runtime.GOOS + "/" + runtime.GOARCH},
	}
	if len(j.in.reports) == 0 {
		rows = append(rows, [2]string{"Isolation", isolation}, [2]string{"Time limit", j.in.timeout.String()})
	}
	return rows
}

// sticky is the report as a text that one comment or issue keeps.
func (j *job) sticky(r *verify.Report) github.Sticky {
	body := func(updated bool) func() string {
		return sync.OnceValue(func() string { return j.secrets.Redact(report.Comment(r, j.context(updated))) })
	}
	first, later := body(false), body(true)
	return github.Sticky{
		Marker: report.Marker(j.in.commentKey),
		Body: func(updated bool) string {
			if updated {
				return later()
			}
			return first()
		},
		Run: github.RunRef{ID: j.at.RunID, Attempt: j.at.Attempt},
		State: func(body string) (github.RunRef, bool) {
			s, ok := report.ParseState(body)
			return github.RunRef{ID: s.RunID, Attempt: s.Attempt}, ok
		},
		Create: true,
		New:    j.in.commentBehavior == another,
	}
}

// comment tells the pull request. A green run that does not edit the lock only brings an earlier comment up to date.
func (j *job) comment(ctx context.Context, r *verify.Report) github.Posted {
	pr := j.at.Event.PR
	if j.client == nil || pr == 0 || j.in.comment == never {
		return github.Posted{}
	}
	s := j.sticky(r)
	s.Create = j.in.comment == always || r.ExitCode != verify.ExitMatch || j.edited
	posted, err := j.client.Comment(ctx, pr, s)
	if err != nil {
		j.warnf("the comment on pull request %d could not be written: %s", pr, j.client.Cause(err, "pull-requests: write"))
		return github.Posted{}
	}
	j.gh.Logf("comment on pull request %d: %s %s", pr, posted.Outcome, posted.URL)
	return posted
}

// issue keeps the issue of runs on the default branch. Only a run that checked everything may close it.
func (j *job) issue(ctx context.Context, r *verify.Report) {
	if !j.in.issueOnDrift || j.client == nil {
		return
	}
	if j.at.Event.PR != 0 || !j.at.OnDefaultBranch() {
		j.gh.Logf("issue-on-drift: this run is not about the default branch, so no issue is written")
		return
	}
	green := r.ExitCode == verify.ExitMatch
	if green && (j.in.shard != nil || len(j.in.servers) > 0 || r.Shard != nil) {
		return
	}
	posted, err := j.client.Issue(ctx, fmt.Sprintf("contractpin: %s no longer matches its servers", j.in.lockFile), green, j.sticky(r))
	if err != nil {
		j.warnf("the issue could not be written: %s", j.client.Cause(err, "issues: write"))
		return
	}
	if posted.Outcome != github.Nothing {
		j.gh.Logf("issue %s: %s %s", strconv.FormatInt(posted.ID, 10), posted.Outcome, posted.URL)
	}
}
