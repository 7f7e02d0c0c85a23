package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contractpin/verify/e2e/fakegithub"
	"github.com/contractpin/verify/e2e/runner"
	"github.com/contractpin/verify/internal/verify"
)

const marker = "<!-- contractpin-verify key=contractpin.lock -->\n"

// outputs checks those that a workflow decides by.
func outputs(t *testing.T, o *runner.Outcome, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := o.Outputs[name]; got != value {
			t.Errorf("output %s is %q, want %q", name, got, value)
		}
	}
}

func contains(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("the %s does not say %q:\n%s", what, w, text)
		}
	}
}

// unwrapped joins the lines of a diff that were wrapped so that nothing hides at their end.
func unwrapped(markdown string) string { return strings.ReplaceAll(markdown, "\n+    ", " ") }

// poisoned rewrites the description of search_web.
func poisoned(tools []*mcp.Tool) []*mcp.Tool {
	tools[0].Description = poison
	return tools
}

func TestAction_matchIsGreenAndQuiet(t *testing.T) {
	s := newWholeScene(t)
	o, j := s.act(0)
	outputs(t, o, map[string]string{
		"exit-code": "0", "result": "match", "failure-reason": "", "drifted": "0", "added": "0", "removed": "0",
		"unreachable": "0", "servers-checked": "3", "comment-id": "", "report-file": "report.json",
	})
	contains(t, "summary", o.Summary, "✅", "memory", "web", "invoices")
	if n := len(o.Annotations); n != 0 {
		t.Errorf("%d annotations on a green run: %+v", n, o.Annotations)
	}
	if n := fakegithub.Writes(s.github.Requests()); n != 0 {
		t.Errorf("a green run wrote to GitHub %d times", n)
	}
	r := reportOf(t, j)
	if r.Result != verify.ResultMatch || len(r.Servers) != 3 {
		t.Errorf("report: %s, %d servers", r.Result, len(r.Servers))
	}
	validSARIF(t, filepath.Join(j.Workspace, "report.sarif"), 0)
	sameOwner(t, j.Workspace, "report.json", "report.sarif")
}

func TestAction_poisonedDescriptionIsShownWhereReviewersLook(t *testing.T) {
	s := newWholeScene(t)
	s.serve(poisoned)
	o, j := s.act(1)
	outputs(t, o, map[string]string{"exit-code": "1", "result": "drift", "failure-reason": "drift", "drifted": "1", "added": "0"})
	c := s.comment()
	if !strings.HasPrefix(c.Body, marker) {
		t.Errorf("the comment begins with %.80q", c.Body)
	}
	contains(t, "comment", unwrapped(c.Body), "## ❌", "search_web", "description", poison, "-Searches the web and returns the ten best pages.",
		headSHA[:7], "contractpin init --force")
	contains(t, "summary", unwrapped(o.Summary), "❌", "search_web", poison)
	if o.Outputs["comment-id"] == "" || !strings.Contains(o.Outputs["comment-url"], o.Outputs["comment-id"]) {
		t.Errorf("outputs comment-id %q, comment-url %q", o.Outputs["comment-id"], o.Outputs["comment-url"])
	}
	if o.Count("error") == 0 || o.Annotations[0].File != "contractpin.lock" || o.Annotations[0].Line != s.lineOf(`"search_web": {`) {
		t.Errorf("annotations %+v, want one on line %s of the lock", o.Annotations, s.lineOf(`"search_web": {`))
	}
	if r := reportOf(t, j); r.ExitCode != 1 || r.Totals().Drifted != 1 {
		t.Errorf("report: exit code %d, %d drifted", r.ExitCode, r.Totals().Drifted)
	}
	validSARIF(t, filepath.Join(j.Workspace, "report.sarif"), 1)
}

func TestAction_oneCommentIsKeptUpToDate(t *testing.T) {
	s := newScene(t)
	s.serve(poisoned)
	s.act(1)
	first := s.comment()

	s.serve(func(tools []*mcp.Tool) []*mcp.Tool { return poisoned(tools)[:1] })
	s.act(1)
	if c := s.comment(); c.ID != first.ID || c.Edits != 1 || !strings.Contains(c.Body, "read_page") {
		t.Errorf("the second run did not edit the first's comment: edits %d\n%s", c.Edits, c.Body)
	}

	s.run = 100 // a run that was started before those two and ends only now
	s.serve(poisoned)
	s.act(1)
	if c := s.comment(); c.Edits != 1 {
		t.Errorf("an older run overwrote a newer one's comment")
	}

	s.run = 3000
	s.serve(func(tools []*mcp.Tool) []*mcp.Tool { return tools })
	s.act(0)
	if c := s.comment(); c.ID != first.ID || !strings.Contains(c.Body, "## ✅") {
		t.Errorf("a green run did not resolve the comment:\n%s", c.Body)
	}
}

func TestAction_addedToolFails(t *testing.T) {
	s := newScene(t)
	s.serve(func(tools []*mcp.Tool) []*mcp.Tool {
		return append(tools, &mcp.Tool{Name: "send_mail", Description: "Sends a mail.", InputSchema: map[string]any{"type": "object"}})
	})
	o, _ := s.act(1)
	outputs(t, o, map[string]string{"result": "drift", "added": "1", "drifted": "0"})
	contains(t, "comment", s.comment().Body, "send_mail", "Sends a mail.")
}

func TestAction_unreachableServerFailsAndHidesNoOther(t *testing.T) {
	s := newScene(t)
	web.down.Store(true)
	s.files["invoices.json"] = strings.Replace(invoices, "open", "all", 1)
	o, _ := s.act(1)
	outputs(t, o, map[string]string{"result": "drift", "unreachable": "1", "drifted": "1", "failure-reason": "drift"})
	contains(t, "comment", s.comment().Body, "503", "list_invoices", "invoices", "web")
}

func TestAction_corruptLockIsExit2WithItsPlace(t *testing.T) {
	s := newScene(t)
	s.files["contractpin.lock"] = strings.Replace(s.files["contractpin.lock"], `"sha256:`, `"sha256:x`, 1)
	o, _ := s.act(2)
	outputs(t, o, map[string]string{"exit-code": "2", "result": "error", "failure-reason": "invalid-lock"})
	if o.Count("error") != 1 {
		t.Errorf("annotations %+v, want one error", o.Annotations)
	}
	contains(t, "summary", o.Summary, "contractpin.lock", "sha256:x")
}

func TestAction_missingLockHintsAtCheckoutAndInit(t *testing.T) {
	s := newScene(t)
	delete(s.files, "contractpin.lock")
	o, _ := s.act(2)
	contains(t, "summary", o.Summary, "actions/checkout", "contractpin init")
}

func TestAction_greenPullRequestThatRepinsIsReviewed(t *testing.T) {
	s := newScene(t)
	s.serve(poisoned)
	s.repin("web")
	o, _ := s.act(0)
	outputs(t, o, map[string]string{"result": "match"})
	contains(t, "comment", unwrapped(s.comment().Body), "search_web", poison, "-Searches the web and returns the ten best pages.")
}

func TestAction_forkAndDependabotWarnAndKeepTheVerdict(t *testing.T) {
	for name, change := range map[string]func(*scene){
		"fork": func(s *scene) {
			s.github.AddPull(fakegithub.Pull{Number: pull, HeadSHA: headSHA, BaseSHA: baseSHA, HeadRepository: fakegithub.Fork, Author: "stranger"})
			s.change = func(c *runner.Context) { c.Actor = "stranger" }
		},
		"dependabot": func(s *scene) { s.change = func(c *runner.Context) { c.Actor = "dependabot[bot]" } },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.github.ReadOnly = true
			change(s)
			s.serve(poisoned)
			o, _ := s.act(1)
			outputs(t, o, map[string]string{"result": "drift", "drifted": "1", "comment-id": ""})
			if o.Count("warning") != 1 {
				t.Errorf("%d warnings, want one that names the cause: %+v", o.Count("warning"), o.Annotations)
			}
			if n := len(s.github.Comments(pull)); n != 0 {
				t.Errorf("%d comments", n)
			}
		})
	}
}

func TestAction_gitHubThatFailsForAWhileGetsItsCommentAllTheSame(t *testing.T) {
	s := newScene(t)
	s.serve(poisoned)
	comments := regexp.MustCompile(`/comments$`)
	s.github.Fail(fakegithub.Fault{Method: "GET", Path: comments, Times: 1, Status: http.StatusBadGateway})
	s.github.Fail(fakegithub.Fault{Method: "POST", Path: comments, Times: 1, Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": "1"}})
	s.act(1)
	s.comment()
}

func TestAction_gitHubThatKeepsFailingIsAWarning(t *testing.T) {
	for _, status := range []int{http.StatusNotFound, http.StatusUnprocessableEntity} {
		s := newScene(t)
		s.serve(poisoned)
		s.github.Fail(fakegithub.Fault{Method: "POST", Times: 1000, Status: status, Path: regexp.MustCompile(`/comments$`)})
		o, _ := s.act(1)
		if o.Count("warning") != 1 {
			t.Errorf("HTTP %d: %d warnings, want one: %+v", status, o.Count("warning"), o.Annotations)
		}
	}
}

func TestAction_cancelledRunStillReports(t *testing.T) {
	s := newScene(t)
	s.files["stuck.sh"] = "#!/bin/sh\ntrap '' TERM INT\ntouch /dev/shm/up\nwhile :; do sleep 1; done\n"
	s.files["contractpin.lock"] = strings.NewReplacer(`"npx"`, `"./stuck.sh"`, `"transport": "http"`, `"transport": "stdio",
      "command": ["./stuck.sh"]`).Replace(s.files["contractpin.lock"])
	j, step := s.job(), s.step()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	step.Started = func(container string) {
		go func() {
			waitInContainer(container, "/dev/shm/up")
			cancel()
		}()
	}
	o, err := j.Docker(ctx, step)
	if err != nil {
		t.Fatal(err)
	}
	if o.ExitCode != 1 {
		t.Errorf("exit %d, want 1:\n%s", o.ExitCode, o.Log)
	}
	outputs(t, o, map[string]string{"exit-code": "1", "unreachable": "1"})
	contains(t, "summary", o.Summary, "interrupted")
}

func reportOf(t *testing.T, j *runner.Job) *verify.Report {
	t.Helper()
	var r verify.Report
	if err := json.Unmarshal([]byte(read(t, filepath.Join(j.Workspace, "report.json"))), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// validSARIF has Microsoft's own validator read the file, and counts its results.
func validSARIF(t *testing.T, path string, results int) {
	t.Helper()
	r := command(t, t.TempDir(), nil, nodeModule(t, ".bin", "sarif-multitool"), "validate", path)
	if r.code != 0 || strings.Contains(r.stdout, ": error ") || !strings.Contains(r.stdout, "Analysis completed successfully") {
		t.Errorf("sarif-multitool: %s", r)
	}
	var log struct {
		Runs []struct{ Results []any }
	}
	if err := json.Unmarshal([]byte(read(t, path)), &log); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, run := range log.Runs {
		n += len(run.Results)
	}
	if n != results {
		t.Errorf("%s holds %d results, want %d", filepath.Base(path), n, results)
	}
}

// sameOwner: files that root owns in a checkout break later runs on a machine that is kept.
func sameOwner(t *testing.T, dir string, names ...string) {
	t.Helper()
	owner := func(p string) uint32 {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Uid
	}
	for _, name := range names {
		if got, want := owner(filepath.Join(dir, name)), owner(dir); got != want {
			t.Errorf("%s belongs to user %d, the checkout to %d", name, got, want)
		}
	}
}
