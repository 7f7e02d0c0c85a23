package github

import (
	"strconv"

	"github.com/contractpin/verify/internal/verify"
)

// Outputs are what a step tells the steps after it: numbers and fixed words, never a server's text. reportFile is the
// path of the written JSON report, or "".
func Outputs(r *verify.Report, reportFile string) [][2]string {
	t := r.Totals()
	return [][2]string{
		{"exit-code", strconv.Itoa(r.ExitCode)},
		{"result", string(r.Result)},
		{"failure-reason", failureReason(r, t)},
		{"drifted", strconv.Itoa(t.Drifted)},
		{"added", strconv.Itoa(t.Added)},
		{"removed", strconv.Itoa(t.Removed)},
		{"unreachable", strconv.Itoa(t.Status[verify.Unreachable])},
		{"servers-checked", strconv.Itoa(len(r.Servers))},
		{"report-file", reportFile},
	}
}

// CommentOutputs are the outputs about the pull request's comment, empty where there is none.
func CommentOutputs(p Posted) [][2]string {
	id := ""
	if p.ID != 0 {
		id = strconv.FormatInt(p.ID, 10)
	}
	return [][2]string{{"comment-id", id}, {"comment-url", p.URL}}
}

// failureReason is the first that applies: it is one of a few words, so that a workflow can branch on it.
func failureReason(r *verify.Report, t verify.Totals) string {
	if r.Error != nil {
		if r.Error.Code == "invalid-lock" {
			return "invalid-lock"
		}
		return "bad-arguments"
	}
	for _, s := range []verify.Status{verify.Drift, verify.Blocked, verify.Malformed, verify.Unreachable} {
		if t.Status[s] > 0 {
			return string(s)
		}
	}
	if r.Uncovered() > 0 {
		return "not-pinned"
	}
	return ""
}

// OnlyDrift tells whether a run fails for drift alone: every server was listed, the lock was fine, and nothing that must be
// pinned is not.
func OnlyDrift(r *verify.Report) bool {
	t := r.Totals()
	return r.ExitCode == verify.ExitDrift && t.Status[verify.Drift]+t.Status[verify.Match] == len(r.Servers) && r.Uncovered() == 0
}
