package main

import (
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/github/fakegithub"
	"github.com/contractpin/verify/internal/lock"
)

func TestReview_greenRePinIsStillTold(t *testing.T) {
	s := newStep(t)
	s.gh.Parents[mergeSHA] = []string{parentSHA, headSHA}
	s.base(one(calm), nil)
	s.gh.Files[parentSHA] = s.gh.Files[baseSHA]
	s.gh.Files[baseSHA] = map[string]string{"contractpin.lock": "not this one"}
	s.pin(one(poisoned))
	s.write("s.json", poisoned)
	s.want(0)
	if len(s.gh.Comments) != 1 {
		t.Fatalf("%d comments\n%s", len(s.gh.Comments), s.stdout)
	}
	body := s.gh.Comments[0].Body
	if !strings.Contains(body, "id_rsa") || !strings.Contains(body, "pick") {
		t.Errorf("the comment does not show what was re-pinned:\n%s", body)
	}
	r := s.report().Review
	if r == nil || r.Base != parentSHA || r.Head != headSHA || len(r.Servers) != 1 || r.Servers[0].Live != "match" || len(r.Servers[0].Changes) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestReview_launchChange(t *testing.T) {
	s := newStep(t)
	s.base(one(calm), func(l *lock.Server) { l.Path = "other.json" })
	s.pin(one(calm))
	s.write("s.json", calm)
	s.want(0)
	r := s.report().Review
	if r == nil || len(r.Servers) != 1 || len(r.Servers[0].Launch) != 1 || r.Servers[0].Launch[0].Field != "path" {
		t.Fatalf("%+v", r)
	}
	if len(s.gh.Comments) != 1 || !strings.Contains(s.gh.Comments[0].Body, "other.json") {
		t.Errorf("%v", s.gh.Comments)
	}
}

func TestReview_newLockAddsEverything(t *testing.T) {
	s := newStep(t)
	s.gh.Files[baseSHA] = map[string]string{"README.md": "x"}
	s.pin(one(calm))
	s.write("s.json", calm)
	s.want(0)
	if r := s.report().Review; r == nil || len(r.Servers) != 1 || r.Servers[0].Kind != "added" || len(s.gh.Comments) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestReview_untouchedLockIsNoReview(t *testing.T) {
	s := newStep(t)
	s.base(one(calm), nil)
	s.pin(one(calm))
	s.write("s.json", calm)
	s.want(0)
	if s.report().Review != nil || len(s.gh.Writes()) != 0 {
		t.Errorf("%v", s.gh.Writes())
	}
}

func TestReview_contractsFileAloneCounts(t *testing.T) {
	s := newStep(t)
	s.base(one(calm), nil)
	delete(s.gh.Files[baseSHA], "contractpin.contracts.json")
	s.pin(one(calm))
	s.write("s.json", calm)
	s.want(0)
	if r := s.report().Review; r == nil || !r.Empty() || len(r.Warnings) != 1 || len(s.gh.Comments) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestReview_whatCannotBeReadIsSaid(t *testing.T) {
	for name, break_ := range map[string]func(*step){
		"no right to read":    func(*step) {},
		"base lock is broken": func(s *step) { s.gh.Files[baseSHA] = map[string]string{"contractpin.lock": "{"} },
	} {
		s := newStep(t)
		break_(s)
		s.pin(one(calm))
		s.write("s.json", calm)
		s.want(0)
		r := s.report().Review
		if r == nil || len(r.Warnings) != 1 || len(s.annotations("warning")) != 0 {
			t.Errorf("%s: %+v\n%s", name, r, s.stdout)
		}
	}
}

func TestReview_outsideAPullRequestThereIsNone(t *testing.T) {
	s := newStep(t)
	s.event("push", `{"after":"`+headSHA+`","repository":{"full_name":"acme/widgets","default_branch":"main"}}`)
	s.pin(one(calm))
	s.write("s.json", calm)
	s.want(0)
	if s.report().Review != nil || len(s.gh.Requests) != 0 {
		t.Errorf("%v", s.gh.Requests)
	}
}

func TestReview_lockInARepositoryBelowTheWorkspace(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_LOCK-FILE", "checkout/contractpin.lock")
	text, _ := pinned(t, one(calm), nil)
	s.write("checkout/.git/HEAD", "ref: x")
	s.write("checkout/contractpin.lock", text)
	s.write("checkout/s.json", calm)
	s.gh.Files[baseSHA] = map[string]string{"contractpin.lock": text}
	s.want(0)
	if r := s.report().Review; r != nil {
		t.Errorf("%+v", r)
	}
}

func TestReview_largeLockComesAsABlob(t *testing.T) {
	s := newStep(t)
	text, contracts := pinned(t, one(calm), nil)
	large := strings.Replace(text, "{\n", "{\n"+strings.Repeat(" ", 2<<20), 1)
	s.gh.Files[baseSHA] = map[string]string{"contractpin.lock": large, "contractpin.contracts.json": contracts}
	s.pin(one(poisoned))
	s.write("s.json", poisoned)
	s.want(0)
	if r := s.report().Review; r == nil || len(r.Servers) != 1 {
		t.Errorf("%+v\n%s", r, s.stdout)
	}
}

func TestIssue_nightlyOpensAndCloses(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_ISSUE-ON-DRIFT", "true", "GITHUB_REF", "refs/heads/main")
	s.event("schedule", `{"schedule":"0 5 * * 1","repository":{"full_name":"acme/widgets","default_branch":"main"}}`)
	s.pin(one(calm))
	s.write("s.json", poisoned)
	s.want(1)
	if len(s.gh.Issues) != 1 || s.gh.Issues[0].State != "open" || !strings.Contains(s.gh.Issues[0].Body, "id_rsa") {
		t.Fatalf("%+v\n%s", s.gh.Issues, s.stdout)
	}
	s.set("GITHUB_RUN_ID", "101")
	s.want(1)
	s.write("s.json", calm)
	s.set("GITHUB_RUN_ID", "102", "INPUT_SERVERS", "s") // a part of the lock proves nothing about the rest
	s.want(0)
	if len(s.gh.Issues) != 1 || s.gh.Issues[0].State != "open" {
		t.Errorf("%+v", s.gh.Issues)
	}
	s.set("GITHUB_RUN_ID", "103", "INPUT_SERVERS", "")
	s.want(0)
	if len(s.gh.Issues) != 1 || s.gh.Issues[0].State != "closed" {
		t.Errorf("%+v", s.gh.Issues)
	}
}

func TestIssue_needsItsPermission(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_ISSUE-ON-DRIFT", "true")
	s.event("schedule", `{"repository":{"full_name":"acme/widgets"}}`)
	s.gh.Fail = func(r fakegithub.Request) *fakegithub.Failure {
		if r.Method == "POST" {
			return &fakegithub.Failure{Status: 403, Body: `{"message":"Resource not accessible by integration"}`}
		}
		return nil
	}
	s.pin(one(calm))
	s.write("s.json", poisoned)
	s.want(1)
	if w := s.annotations("warning"); len(w) != 1 || !strings.Contains(w[0], "issues: write") {
		t.Errorf("%s", s.stdout)
	}
}

func TestIssue_pullRequestsOpenNone(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_ISSUE-ON-DRIFT", "true")
	s.base(one(calm), nil)
	s.pin(one(calm))
	s.write("s.json", poisoned)
	s.want(1)
	if len(s.gh.Issues) != 0 {
		t.Errorf("%+v", s.gh.Issues)
	}
}
