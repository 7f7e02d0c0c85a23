package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/github/fakegithub"
	"github.com/contractpin/verify/internal/report"
)

func one(dump string) map[string]string { return map[string]string{"s": dump} }

func TestAction_exitCodesAndOutputs(t *testing.T) {
	for _, tt := range []struct {
		name                 string
		live                 string // "": no file
		code                 int
		result, reason       string
		drifted, added, gone string
	}{
		{"match", calm, 0, "match", "", "0", "0", "0"},
		{"drift", poisoned, 1, "drift", "drift", "1", "0", "0"},
		{"added", grown, 1, "drift", "drift", "0", "1", "0"},
		{"removed", `{"tools":[]}`, 1, "drift", "drift", "0", "0", "1"},
		{"malformed", `{"tools":null}`, 1, "drift", "malformed", "0", "0", "0"},
		{"unreachable", "", 1, "drift", "unreachable", "0", "0", "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStep(t)
			s.pin(one(calm))
			if tt.live != "" {
				s.write("s.json", tt.live)
			}
			s.want(tt.code)
			for name, want := range map[string]string{
				"exit-code": map[int]string{0: "0", 1: "1"}[tt.code], "result": tt.result, "failure-reason": tt.reason, "drifted": tt.drifted,
				"added": tt.added, "removed": tt.gone, "servers-checked": "1", "report-file": "out/report.json",
			} {
				if got := s.output(name); got != want {
					t.Errorf("%s=%q, want %q", name, got, want)
				}
			}
			if r := s.report(); string(r.Result) != tt.result || r.ExitCode != tt.code {
				t.Errorf("report: %s %d", r.Result, r.ExitCode)
			}
			if s.summary() == "" {
				t.Error("no summary")
			}
			if n := len(s.annotations("error")); (n > 0) != (tt.code != 0) {
				t.Errorf("%d errors\n%s", n, s.stdout)
			}
		})
	}
}

func TestAction_exit2SaysWhyOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		break_ func(*step)
		reason string
		words  []string
	}{
		"no lock":       {func(s *step) { os.Remove(filepath.Join(s.ws, "contractpin.lock")) }, "invalid-lock", []string{"actions/checkout", "contractpin init"}},
		"wrong version": {func(s *step) { s.write("contractpin.lock", `{"contractpin":"2"}`) }, "invalid-lock", []string{"contractpin.lock"}},
		"bad input":     {func(s *step) { s.set("INPUT_COMMENT", "loud") }, "bad-arguments", []string{"loud", "on-drift"}},
		"bad server":    {func(s *step) { s.set("INPUT_SERVERS", "nobody") }, "bad-arguments", []string{"nobody"}},
		"bad header":    {func(s *step) { s.set("INPUT_HEADERS", "s=Authorization: Bearer secret-0001") }, "bad-arguments", []string{"no http server"}},
		"no report":     {func(s *step) { s.set("INPUT_REPORTS", "reports/*.json") }, "bad-arguments", []string{"no file matches"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStep(t)
			s.pin(one(calm))
			s.write("s.json", calm)
			tt.break_(s)
			s.want(2)
			if got := s.output("failure-reason"); got != tt.reason {
				t.Errorf("failure-reason=%s, want %s", got, tt.reason)
			}
			errors := s.annotations("error")
			if len(errors) != 1 {
				t.Fatalf("%d errors\n%s", len(errors), s.stdout)
			}
			for _, w := range tt.words {
				if !strings.Contains(errors[0], w) {
					t.Errorf("%q not in %s", w, errors[0])
				}
			}
			if s.summary() == "" {
				t.Error("no summary")
			}
			if strings.Contains(s.shown(), "secret-0001") {
				t.Error("the header's value was shown")
			}
			if s.output("exit-code") != "2" || s.output("result") != "error" {
				t.Error(s.read(s.vars["GITHUB_OUTPUT"]))
			}
		})
	}
}

func TestAction_commentLivesAndIsResolved(t *testing.T) {
	s := newStep(t)
	s.base(one(calm), nil)
	s.pin(one(calm))
	step := func(run, live string, code int, writes ...string) string {
		t.Helper()
		before := len(s.gh.Writes())
		s.set("GITHUB_RUN_ID", run)
		s.write("s.json", live)
		s.want(code)
		if got := strings.Join(s.gh.Writes()[before:], ", "); got != strings.Join(writes, ", ") {
			t.Fatalf("run %s wrote %s, want %s\n%s", run, got, writes, s.stdout)
		}
		if len(s.gh.Comments) == 0 {
			return ""
		}
		return s.gh.Comments[0].Body
	}
	const create, edit = "POST /repos/acme/widgets/issues/12/comments", "PATCH /repos/acme/widgets/issues/comments/9001"
	step("101", calm, 0)
	body := step("102", poisoned, 1, create)
	if !strings.HasPrefix(body, report.Marker("contractpin.lock")+"\n") || !strings.Contains(body, "id_rsa") || !strings.Contains(body, "Picks one.") {
		t.Errorf("%s", body)
	}
	if s.output("comment-id") != "9001" || !strings.HasPrefix(s.output("comment-url"), "https://github.example/") {
		t.Error(s.read(s.vars["GITHUB_OUTPUT"]))
	}
	step("103", poisoned, 1, edit)
	step("103", poisoned, 1) // the very same: no write
	step("101", poisoned, 1) // an older run that ends late
	body = step("104", calm, 0, edit)
	if strings.Contains(body, "id_rsa") {
		t.Errorf("not resolved: %s", body)
	}
	if len(s.gh.Comments) != 1 {
		t.Errorf("%d comments", len(s.gh.Comments))
	}
}

func TestAction_commentModes(t *testing.T) {
	for _, tt := range []struct {
		mode, live string
		comments   int
	}{{"never", poisoned, 0}, {"always", calm, 1}, {"on-drift", calm, 0}, {"on-drift", poisoned, 1}} {
		s := newStep(t)
		s.base(one(calm), nil)
		s.set("INPUT_COMMENT", tt.mode)
		s.pin(one(calm))
		s.write("s.json", tt.live)
		s.run()
		if len(s.gh.Comments) != tt.comments {
			t.Errorf("%s: %d comments", tt.mode, len(s.gh.Comments))
		}
	}
}

func TestAction_withoutATokenNothingIsAsked(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_GITHUB-TOKEN", "")
	s.pin(one(calm))
	s.write("s.json", poisoned)
	s.want(1)
	if len(s.gh.Requests) != 0 {
		t.Errorf("%d requests", len(s.gh.Requests))
	}
}

func TestAction_eventsWithoutAPullRequest(t *testing.T) {
	for event, payload := range map[string]string{
		"merge_group": `{"merge_group":{"head_sha":"` + headSHA + `"},"repository":{"full_name":"acme/widgets"}}`,
		"push":        `{"after":"` + headSHA + `","repository":{"full_name":"acme/widgets"}}`,
		"schedule":    `{"schedule":"0 5 * * 1","repository":{"full_name":"acme/widgets"}}`,
	} {
		s := newStep(t)
		s.event(event, payload)
		s.pin(one(calm))
		s.write("s.json", poisoned)
		s.want(1)
		if len(s.gh.Requests) != 0 || s.summary() == "" {
			t.Errorf("%s: %v", event, s.gh.Requests)
		}
	}
}

func TestAction_unreadableEventIsAWarning(t *testing.T) {
	s := newStep(t)
	s.event("pull_request", "{")
	s.pin(one(calm))
	s.write("s.json", calm)
	s.want(0)
	if w := s.annotations("warning"); len(w) != 1 || !strings.Contains(w[0], "event payload") {
		t.Errorf("%s", s.stdout)
	}
}

func TestAction_whatFailsAfterTheVerdictIsOneWarning(t *testing.T) {
	refuse := func(method string, status int) func(*step) {
		return func(s *step) {
			s.gh.Fail = func(r fakegithub.Request) *fakegithub.Failure {
				if r.Method == method && strings.Contains(r.Path, "comments") {
					return &fakegithub.Failure{Status: status, Body: `{"message":"Resource not accessible by integration"}`}
				}
				return nil
			}
		}
	}
	for name, tt := range map[string]struct {
		break_ func(*step)
		words  string
	}{
		"no right":   {refuse("POST", 403), "pull-requests: write"},
		"fork":       {func(s *step) { refuse("POST", 403)(s); s.pullRequest("someone/widgets") }, "fork"},
		"Dependabot": {func(s *step) { refuse("POST", 403)(s); s.set("GITHUB_ACTOR", "dependabot[bot]") }, "Dependabot"},
		"bad token":  {refuse("GET", 401), "not valid"},
		"report-file in a file": {func(s *step) {
			s.write("f", "")
			s.set("INPUT_REPORT-FILE", "f/report.json")
		}, "report-file"},
		"no folder for the summary": {func(s *step) { s.set("GITHUB_STEP_SUMMARY", filepath.Join(s.ws, "no", "summary")) }, "GITHUB_STEP_SUMMARY"},
		"no folder for the outputs": {func(s *step) { s.set("GITHUB_OUTPUT", filepath.Join(s.ws, "no", "output")) }, "GITHUB_OUTPUT"},
		"no API":                    {func(s *step) { s.set("GITHUB_API_URL", "nowhere") }, "GITHUB_API_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStep(t)
			s.base(one(calm), nil)
			s.pin(one(calm))
			s.write("s.json", poisoned)
			tt.break_(s)
			s.want(1)
			w := s.annotations("warning")
			if len(w) == 0 || !strings.Contains(w[0], tt.words) || strings.Contains(s.stdout, "pull_request_target") {
				t.Errorf("%s", s.stdout)
			}
			if len(w) > 1 && name != "no folder for the outputs" {
				t.Errorf("%d warnings: %s", len(w), s.stdout)
			}
		})
	}
}

func TestAction_failOnDrift(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_FAIL-ON-DRIFT", "false")
	s.pin(map[string]string{"s": calm, "t": calm})
	s.write("s.json", poisoned)
	s.write("t.json", calm)
	s.want(0)
	if s.output("exit-code") != "1" || s.output("failure-reason") != "drift" || len(s.annotations("warning")) == 0 || len(s.annotations("error")) != 0 {
		t.Errorf("%s", s.stdout)
	}
	if len(s.gh.Comments) != 1 {
		t.Errorf("%d comments", len(s.gh.Comments))
	}
	os.Remove(filepath.Join(s.ws, "t.json"))
	s.want(1)
}

func TestAction_summaryAndAnnotationsCanBeTurnedOff(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_JOB-SUMMARY", "false", "INPUT_ANNOTATIONS", "false")
	s.pin(one(calm))
	s.write("s.json", poisoned)
	s.want(1)
	if s.summary() != "" || len(s.annotations("error")) != 0 {
		t.Errorf("%s\n%s", s.summary(), s.stdout)
	}
}

func TestAction_annotatesTheToolsLine(t *testing.T) {
	s := newStep(t)
	text, _ := pinned(t, one(calm), nil)
	s.write("locks/a.lock", text)
	s.write("locks/s.json", poisoned)
	s.set("INPUT_LOCK-FILE", "locks/a.lock")
	s.want(1)
	line := 0
	for i, l := range strings.Split(text, "\n") {
		if strings.Contains(l, `"pick": {`) {
			line = i + 1
		}
	}
	errors := s.annotations("error")
	if want := "::error file=locks/a.lock,line=" + itoa(line) + ",title="; len(errors) != 1 || !strings.HasPrefix(errors[0], want) {
		t.Errorf("%s, want %s", errors, want)
	}
}

func TestAction_reportFollowsNoLink(t *testing.T) {
	s := newStep(t)
	s.pin(one(calm))
	s.write("s.json", calm)
	outside := filepath.Join(filepath.Dir(s.ws), "victim")
	s.write(outside, "mine")
	if err := os.Mkdir(filepath.Join(s.ws, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(s.ws, "out", "report.json")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	s.want(0)
	if s.read(outside) != "mine" {
		t.Error("the report was written through a link")
	}
	if s.report().ExitCode != 0 {
		t.Error("no report")
	}
	// A folder that leads out is refused.
	os.RemoveAll(filepath.Join(s.ws, "out"))
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(s.ws, "out")); err != nil {
		t.Fatal(err)
	}
	s.want(0)
	if s.read(filepath.Join(filepath.Dir(outside), "report.json")) != "" || len(s.annotations("warning")) != 1 {
		t.Errorf("%s", s.stdout)
	}
}

func TestAction_lockThatIsALinkOutOfTheWorkspace(t *testing.T) {
	s := newStep(t)
	secret := filepath.Join(filepath.Dir(s.ws), "secret")
	s.write(secret, "hunter2-hunter2")
	for _, name := range []string{"s.json", "contractpin.lock"} {
		os.Remove(filepath.Join(s.ws, "s.json"))
		s.pin(one(calm))
		s.write("s.json", calm)
		if err := os.Remove(filepath.Join(s.ws, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, filepath.Join(s.ws, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		s.want(map[string]int{"contractpin.lock": 2, "s.json": 1}[name])
		if strings.Contains(s.shown(), "hunter2") {
			t.Errorf("%s: the file's content was shown: %s", name, s.shown())
		}
	}
	// The contracts file is no input to a verdict.
	os.Remove(filepath.Join(s.ws, "contractpin.lock"))
	s.pin(one(calm))
	os.Remove(filepath.Join(s.ws, "contractpin.contracts.json"))
	if err := os.Symlink(secret, filepath.Join(s.ws, "contractpin.contracts.json")); err != nil {
		t.Fatal(err)
	}
	s.want(0)
	if strings.Contains(s.stdout+s.summary(), "hunter2") || !strings.Contains(s.stdout, "leads out") {
		t.Errorf("%s", s.stdout)
	}
}
