package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/contractpin/verify/internal/verify"
)

func from(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestReadInputs_values(t *testing.T) {
	got, err := readInputs(from(map[string]string{
		"lock-file": " a/b.lock ", "servers": "one\n\n two \r\n", "allow-new": "TRUE", "config": ".mcp.json\na b.json", "require-pinned": "true", "comment": "always", "comment-behavior": "new",
		"pr-number": "12", "job-summary": "false", "annotations": "False", "fail-on-drift": "false", "timeout": "1m30s",
		"concurrency": "3", "protocol": "modern", "shard": "3/8", "headers": "s=Authorization: Bearer x\nt=X-A: b",
		"pass-env": "A, B\nC", "isolate": "false", "docker-servers": "true", "allow-untrusted-commands": "true",
		"report-file": "r.json", "sarif-file": "r.sarif", "issue-on-drift": "true", "github-token": "t",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := inputs{
		lockFile: "a/b.lock", servers: []string{"one", "two"}, allowNew: true,
		configs: []string{".mcp.json", "a b.json"}, requirePinned: true, comment: always, commentBehavior: another,
		commentKey: "a/b.lock#3/8", prNumber: 12, timeout: 90 * time.Second, concurrency: 3, protocol: "modern",
		shard: &verify.Shard{Index: 3, Count: 8}, headers: []string{"s=Authorization: Bearer x", "t=X-A: b"},
		passEnv: []string{"A", "B", "C"}, dockerServers: true, allowUntrusted: true, reportFile: "r.json", sarifFile: "r.sarif",
		issueOnDrift: true, token: "t",
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(inputs{})); d != "" {
		t.Error(d)
	}
}

func TestReadInputs_emptyIsTheDefault(t *testing.T) {
	unset, err := readInputs(from(nil))
	if err != nil {
		t.Fatal(err)
	}
	blank, err := readInputs(func(string) string { return "  \n" })
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(unset, blank, cmp.AllowUnexported(inputs{})); d != "" {
		t.Error(d)
	}
	if unset.token != "" || unset.lockFile != "contractpin.lock" || !unset.isolate || unset.commentKey != "contractpin.lock" {
		t.Errorf("%+v", unset)
	}
}

func TestReadInputs_refusesWhatItDoesNotKnow(t *testing.T) {
	for name, value := range map[string]string{
		"allow-new": "yes", "require-pinned": "yes", "comment": "sometimes", "comment-behavior": "replace", "pr-number": "#12", "job-summary": "1",
		"annotations": "on", "fail-on-drift": "no", "timeout": "60", "concurrency": "0", "protocol": "2025-06-18", "shard": "9/8",
		"isolate": "maybe", "docker-servers": "y", "allow-untrusted-commands": "-", "issue-on-drift": "t",
	} {
		_, err := readInputs(from(map[string]string{name: value}))
		if err == nil || !strings.Contains(err.Error(), "input "+name) || !strings.Contains(err.Error(), value) {
			t.Errorf("%s: %q: %v", name, value, err)
		}
	}
	for _, together := range []map[string]string{
		{"shard": "1/2", "reports": "*.json"}, {"config": ".mcp.json", "reports": "*.json"}, {"require-pinned": "true", "reports": "*.json"},
		{"config": "none", "require-pinned": "true"},
	} {
		if _, err := readInputs(from(together)); err == nil {
			t.Errorf("%v together were taken", together)
		}
	}
}
