package github

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	shaA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	shaB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	shaC = "cccccccccccccccccccccccccccccccccccccccc"
	shaM = "dddddddddddddddddddddddddddddddddddddddd"
)

const repository = `"repository":{"full_name":"acme/widgets","default_branch":"main"}`

func pullRequest(headRepo string) string {
	return `"pull_request":{"number":12,"user":{"login":"dev"},"head":{"sha":"` + shaA + `","repo":` + headRepo +
		`},"base":{"sha":"` + shaB + `","repo":{"full_name":"acme/widgets"}}},` + repository
}

func TestParseEvent_everyPayload(t *testing.T) {
	own := Event{PR: 12, HeadSHA: shaA, BaseSHA: shaB, BaseRepo: "acme/widgets", HeadRepo: "acme/widgets", Author: "dev", DefaultBranch: "main"}
	with := func(change func(*Event)) Event { e := own; change(&e); return e }
	plain := Event{BaseRepo: "acme/widgets", HeadRepo: "acme/widgets", DefaultBranch: "main"}
	tests := []struct {
		name, payload string
		want          Event
	}{
		{"pull_request", `{"action":"opened","number":12,` + pullRequest(`{"full_name":"acme/widgets"}`) + `}`, own},
		{"pull_request", `{"after":"` + shaC + `",` + pullRequest(`{"full_name":"someone/widgets"}`) + `}`,
			with(func(e *Event) { e.HeadRepo = "someone/widgets" })},
		{"pull_request", `{` + pullRequest(`null`) + `}`, with(func(e *Event) { e.HeadRepo = "" })},
		{"pull_request_target", `{` + pullRequest(`{"full_name":"acme/widgets"}`) + `}`, own},
		{"pull_request_review", `{"review":{},` + pullRequest(`{"full_name":"acme/widgets"}`) + `}`, own},
		{"merge_group", `{"merge_group":{"head_sha":"` + shaA + `","head_ref":"refs/heads/gh-readonly-queue/main/pr-12-x"},` + repository + `}`,
			Event{HeadSHA: shaA, BaseRepo: "acme/widgets", HeadRepo: "acme/widgets", DefaultBranch: "main"}},
		{"push", `{"after":"` + shaA + `","ref":"refs/heads/main",` + repository + `}`,
			Event{HeadSHA: shaA, BaseRepo: "acme/widgets", HeadRepo: "acme/widgets", DefaultBranch: "main"}},
		{"schedule", `{"schedule":"0 5 * * 1",` + repository + `}`, plain},
		{"workflow_dispatch", `{"inputs":null,"ref":"refs/heads/main",` + repository + `}`, plain},
		{"issue_comment", `{"issue":{"number":12,"user":{"login":"dev"},"pull_request":{"url":"x"}},"comment":{},` + repository + `}`,
			Event{PR: 12, Author: "dev", BaseRepo: "acme/widgets", HeadRepo: "acme/widgets", DefaultBranch: "main"}},
		{"issue_comment", `{"issue":{"number":12,"user":{"login":"dev"}},"comment":{},` + repository + `}`, plain},
		{"workflow_run", `{"workflow_run":{"head_sha":"` + shaA + `","head_branch":"fix","pull_requests":[],"head_repository":{"full_name":"someone/widgets","owner":{"login":"someone"}}},` + repository + `}`,
			Event{HeadSHA: shaA, BaseRepo: "acme/widgets", HeadRepo: "someone/widgets", HeadOwner: "someone", HeadBranch: "fix", DefaultBranch: "main"}},
		{"workflow_run", `{"workflow_run":{"head_sha":"` + shaA + `","head_branch":"fix","head_repository":null},` + repository + `}`,
			Event{HeadSHA: shaA, HeadBranch: "fix", BaseRepo: "acme/widgets", HeadRepo: "acme/widgets", DefaultBranch: "main"}},
		{"pull_request", `{"pull_request":{"number":-1,"head":{"sha":"--output=x"},"base":{"sha":"main"}}}`, Event{}},
		{"repository_dispatch", `{}`, Event{}},
	}
	for _, tt := range tests {
		got, err := ParseEvent(tt.name, []byte(tt.payload))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		tt.want.Name = tt.name
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s %s: (-want +got)\n%s", tt.name, tt.payload, d)
		}
	}
}

func TestParseEvent_badPayloadKeepsTheName(t *testing.T) {
	for _, bad := range []string{"", "{", "[]", `{"pull_request":{"number":"12"}}`, `{"pull_request":7}`} {
		e, err := ParseEvent("pull_request_target", []byte(bad))
		if err == nil {
			t.Errorf("%q: no error", bad)
		}
		if !e.Privileged() || e.PR != 0 {
			t.Errorf("%q: %+v", bad, e)
		}
	}
}

func TestEvent_forkIsAnotherRepository(t *testing.T) {
	for _, tt := range []struct {
		base, head string
		fork       bool
	}{{"a/w", "a/w", false}, {"a/w", "b/w", true}, {"a/w", "", true}, {"", "", false}} {
		if got := (Event{BaseRepo: tt.base, HeadRepo: tt.head}).Fork(); got != tt.fork {
			t.Errorf("%q ← %q: fork %v", tt.base, tt.head, got)
		}
	}
}

func env(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestReadContext_unreadableEventKeepsTheRest(t *testing.T) {
	c, err := ReadContext(env(map[string]string{
		"GITHUB_EVENT_NAME": "pull_request_target", "GITHUB_EVENT_PATH": filepath.Join(t.TempDir(), "none.json"),
		"GITHUB_REPOSITORY": "acme/widgets", "GITHUB_SHA": shaA, "GITHUB_RUN_ID": "7", "GITHUB_SERVER_URL": "https://ghe.example/",
	}))
	if err == nil || !strings.Contains(err.Error(), "event payload") {
		t.Errorf("error %v", err)
	}
	if c.Owner != "acme" || c.Repo != "widgets" || c.SHA != shaA || !c.Event.Privileged() || c.Attempt != 1 {
		t.Errorf("%+v", c)
	}
	if got, want := c.RunURL(), "https://ghe.example/acme/widgets/actions/runs/7"; got != want {
		t.Errorf("run URL %s, want %s", got, want)
	}
}

func TestReadContext_refusesWhatCannotStandInAURL(t *testing.T) {
	for _, bad := range []string{"acme", "acme/..", "a/b/c", "a b/c", "/x", "x/"} {
		c, _ := ReadContext(env(map[string]string{"GITHUB_REPOSITORY": bad, "GITHUB_SHA": "HEAD"}))
		if c.Owner != "" || c.Repo != "" || c.SHA != "" {
			t.Errorf("%q: %+v", bad, c)
		}
	}
}

func TestContext_defaultBranch(t *testing.T) {
	for _, tt := range []struct {
		event, ref string
		want       bool
	}{
		{"schedule", "refs/heads/main", true}, {"push", "refs/heads/main", true}, {"push", "refs/heads/fix", false},
		{"push", "refs/tags/main", false}, {"workflow_dispatch", "refs/heads/main", true}, {"pull_request", "refs/pull/1/merge", false},
		{"merge_group", "refs/heads/gh-readonly-queue/main/x", false},
	} {
		c := Context{Ref: tt.ref, Event: Event{Name: tt.event, DefaultBranch: "main"}}
		if c.OnDefaultBranch() != tt.want {
			t.Errorf("%s on %s: %v", tt.event, tt.ref, !tt.want)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add("pull_request", []byte(`{`+pullRequest(`null`)+`}`))
	f.Add("workflow_run", []byte(`{"workflow_run":{"head_sha":"`+shaA+`","head_repository":null},`+repository+`}`))
	f.Add("issue_comment", []byte(`{"issue":{"number":1,"pull_request":null}}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		e, err := ParseEvent(name, data)
		if e.PR < 0 || (e.HeadSHA != "" && commit(e.HeadSHA) == "") || (err != nil && e != (Event{Name: name})) {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

func TestRepoPath_isRelativeToTheNearestRepository(t *testing.T) {
	ws := t.TempDir()
	for _, dir := range []string{".git", "lib/.git", "lib/sub", "plain"} {
		if err := os.MkdirAll(filepath.Join(ws, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"contractpin.lock": "contractpin.lock", "plain/a.lock": "plain/a.lock", "lib/a.lock": "a.lock", "lib/sub/a.lock": "sub/a.lock",
		"../a.lock": "",
	} {
		if got := RepoPath(ws, filepath.Join(ws, path)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
