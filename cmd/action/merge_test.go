package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/github/fakegithub"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
)

// shards runs four jobs over a lock of eight servers and returns how many each checked. Server s3 drifts.
func shards(s *step) {
	s.t.Helper()
	all := map[string]string{}
	for i := range 8 {
		all[fmt.Sprintf("s%d", i)] = calm
	}
	s.pin(all)
	for name := range all {
		s.write(name+".json", calm)
	}
	s.write("s3.json", poisoned)
	for i := 1; i <= 4; i++ {
		s.set("INPUT_SHARD", fmt.Sprintf("%d/4", i), "INPUT_REPORT-FILE", fmt.Sprintf("reports/report-%d.json", i), "INPUT_COMMENT", "never")
		want := 0
		if i == run.ShardOf("s3", 4) {
			want = 1
		}
		s.want(want)
	}
	if len(s.gh.Requests) != 0 {
		s.t.Errorf("a shard that comments nowhere asked GitHub: %v", s.gh.Requests)
	}
	s.set("INPUT_SHARD", "", "INPUT_REPORT-FILE", "out/report.json", "INPUT_COMMENT", "", "INPUT_REPORTS", "reports/*.json")
}

func TestMerge_shardsBecomeOneReport(t *testing.T) {
	s := newStep(t)
	shards(s)
	s.gh.Files[baseSHA] = map[string]string{"contractpin.lock": s.read("contractpin.lock"), "contractpin.contracts.json": s.read("contractpin.contracts.json")}
	s.want(1)
	r := s.report()
	if len(r.Servers) != 8 || r.Totals().Drifted != 1 || s.output("servers-checked") != "8" || len(r.Warnings) != 0 {
		t.Errorf("%+v", r)
	}
	if len(s.gh.Comments) != 1 || !strings.Contains(s.gh.Comments[0].Body, "id_rsa") {
		t.Errorf("%+v", s.gh.Comments)
	}
}

func TestMerge_missingShardCouldNotBeChecked(t *testing.T) {
	s := newStep(t)
	shards(s)
	s.write("s3.json", calm)
	os.Remove(filepath.Join(s.ws, "reports", fmt.Sprintf("report-%d.json", run.ShardOf("s3", 4))))
	s.want(1)
	if s.output("failure-reason") != "unreachable" {
		t.Errorf("%s", s.stdout)
	}
}

func TestMerge_anotherLockIsSaid(t *testing.T) {
	s := newStep(t)
	shards(s)
	s.pin(one(calm))
	s.want(1)
	if w := s.annotations("warning"); len(w) != 1 || !strings.Contains(w[0], "another contractpin.lock") {
		t.Errorf("%s", s.stdout)
	}
}

func TestMerge_forgedReportIsExit2(t *testing.T) {
	for name, text := range map[string]string{
		"no report": "{}", "not JSON": "x", "claims a match": `{"report":"contractpin-report/1","lock":"l","result":"match","exit_code":0,"servers":[{"name":"s","transport":"file","status":"drift","locked":{"digest":"","tool_count":0},"counts":{"unchanged":0,"drifted":0,"added":0,"removed":0},"duration_ms":1}]}`,
	} {
		s := newStep(t)
		s.set("INPUT_REPORTS", "r.json")
		s.write("r.json", text)
		s.want(2)
		if len(s.annotations("error")) != 1 {
			t.Errorf("%s: %s", name, s.stdout)
		}
	}
}

// A run without rights writes its report; one with rights, which has checked out nothing, comments on it.
func TestMerge_forkIsCommentedOnByAWorkflowRun(t *testing.T) {
	s := newStep(t)
	s.pullRequest("someone/widgets")
	s.set("INPUT_COMMENT", "never", "INPUT_REPORT-FILE", "report.json")
	lockText, contracts := pinned(t, one(poisoned), nil)
	s.write("contractpin.lock", lockText)
	s.write("s.json", poisoned)
	s.want(0)

	priv := newStep(t)
	priv.set("INPUT_REPORTS", "report.json", "GITHUB_RUN_ID", "101")
	priv.write("report.json", s.read("report.json"))
	priv.event("workflow_run", `{"workflow_run":{"head_sha":"`+headSHA+`","head_branch":"fix","head_repository":{"full_name":"someone/widgets","owner":{"login":"someone"}}},"repository":{"full_name":"acme/widgets"}}`)
	priv.gh.Pulls = []fakegithub.Pull{{Number: 12, HeadSHA: headSHA, Base: baseSHA, Repo: "acme/widgets", HeadRepo: "someone/widgets", Branch: "someone:fix"}}
	priv.base(one(calm), nil)
	priv.gh.Files[headSHA] = map[string]string{"contractpin.lock": lockText, "contractpin.contracts.json": contracts}
	priv.want(0)
	if len(priv.gh.Comments) != 1 || priv.gh.Comments[0].Number != 12 || !strings.Contains(priv.gh.Comments[0].Body, "id_rsa") {
		t.Fatalf("%+v\n%s", priv.gh.Comments, priv.stdout)
	}
	r := priv.report()
	if r.Review == nil || len(r.Review.Servers) != 1 || r.Review.Servers[0].Live != verify.Match || r.Review.Base != baseSHA {
		t.Errorf("%+v", r.Review)
	}
	// The pull request has moved on: nobody is told of an outdated commit.
	priv.gh.Comments, priv.gh.Pulls[0].HeadSHA = nil, mergeSHA
	priv.want(0)
	if len(priv.gh.Comments) != 0 {
		t.Errorf("%+v", priv.gh.Comments)
	}
}
