package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// TestMain makes this binary a server too: one that says that it was started, and then never answers.
func TestMain(m *testing.M) {
	if canary := os.Getenv("TEST_CANARY"); canary != "" {
		if err := os.WriteFile(canary, []byte("started"), 0o644); err != nil {
			os.Exit(3)
		}
		io.Copy(io.Discard, os.Stdin) // until whoever started it is done
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program makes a pinned server a program that leaves a canary.
func program(t *testing.T, canary string) func(*lock.Server) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return func(s *lock.Server) {
		s.Transport, s.Path, s.Command = lock.Stdio, "", []string{self}
		s.Env = map[string]string{"TEST_CANARY": canary}
	}
}

func (s *step) pinWith(servers map[string]string, change func(*lock.Server)) string {
	s.t.Helper()
	text, _ := pinned(s.t, servers, change)
	s.write("contractpin.lock", text)
	return text
}

func (s *step) only(status verify.Status, code string) {
	s.t.Helper()
	r := s.report()
	if len(r.Servers) != 1 || r.Servers[0].Status != status || r.Servers[0].Reason == nil || r.Servers[0].Reason.Code != code {
		s.t.Errorf("want %s, %s: %+v\n%s", status, code, r.Servers, s.stdout)
	}
}

func TestPrivileged_changedLaunchStartsNothing(t *testing.T) {
	for _, event := range []string{"pull_request_target", "issue_comment", "workflow_run"} {
		for name, tt := range map[string]struct {
			trusted func(*step, func(*lock.Server)) // what the repository's own branch has
			code    string
		}{
			"changed": {func(s *step, like func(*lock.Server)) {
				text, _ := pinned(s.t, one(calm), func(l *lock.Server) { like(l); l.Command = append(l.Command, "--safe") })
				s.gh.Files[mergeSHA] = map[string]string{"contractpin.lock": text}
			}, "launch-changed"},
			"new": {func(s *step, _ func(*lock.Server)) {
				text, _ := pinned(s.t, map[string]string{"other": calm}, nil)
				s.gh.Files[mergeSHA] = map[string]string{"contractpin.lock": text}
			}, "not-trusted"},
			"unreadable": {func(*step, func(*lock.Server)) {}, "no-trusted-lock"},
			"no token":   {func(s *step, _ func(*lock.Server)) { s.set("INPUT_GITHUB-TOKEN", "") }, "no-trusted-lock"},
		} {
			t.Run(event+"/"+name, func(t *testing.T) {
				s := newStep(t)
				canary := filepath.Join(filepath.Dir(s.ws), "canary")
				like := program(t, canary)
				s.set("INPUT_TIMEOUT", "2s")
				s.event(event, map[string]string{
					"pull_request_target": pullRequestPayload("someone/widgets"),
					"issue_comment":       `{"issue":{"number":12,"pull_request":{}},"repository":{"full_name":"acme/widgets"}}`,
					"workflow_run":        `{"workflow_run":{"head_sha":"` + headSHA + `"},"repository":{"full_name":"acme/widgets"}}`,
				}[event])
				tt.trusted(s, like)
				s.pinWith(one(calm), like)
				s.want(1)
				s.only(verify.Blocked, tt.code)
				if s.read(canary) != "" {
					t.Error("the server was started")
				}
				if s.output("failure-reason") != "blocked" {
					t.Error(s.output("failure-reason"))
				}
			})
		}
	}
}

func TestPrivileged_workspaceFolderIsTheCheckout(t *testing.T) {
	s := newStep(t)
	s.event("pull_request_target", pullRequestPayload("someone/widgets"))
	canary := filepath.Join(filepath.Dir(s.ws), "canary")
	like := program(t, canary)
	text := s.pinWith(one(calm), func(l *lock.Server) { like(l); l.Command = append(l.Command, "${WORKSPACE_FOLDER}/server.js") })
	s.write("server.js", "")
	s.gh.Files[mergeSHA] = map[string]string{"contractpin.lock": text}
	s.want(1)
	s.only(verify.Blocked, "reaches-checkout")
	if s.read(canary) != "" {
		t.Error("the server was started")
	}
}

func TestPrivileged_theSameLaunchStartsAwayFromTheCheckout(t *testing.T) {
	for name, allowed := range map[string]bool{"trusted": false, "allowed": true} {
		s := newStep(t)
		s.event("pull_request_target", pullRequestPayload("someone/widgets"))
		canary := filepath.Join(filepath.Dir(s.ws), "canary")
		if !allowed {
			canary = "canary" // in the folder that it starts in
		}
		s.set("INPUT_TIMEOUT", "1s")
		text := s.pinWith(one(calm), program(t, canary))
		if allowed {
			s.set("INPUT_ALLOW-UNTRUSTED-COMMANDS", "true")
		} else {
			s.gh.Files[mergeSHA] = map[string]string{"contractpin.lock": text}
		}
		s.want(1)
		s.only(verify.Unreachable, "timeout")
		if started := s.read(canary) != ""; started != allowed {
			t.Errorf("%s: canary in the workspace %v", name, started)
		}
	}
}

func TestPrivileged_fileServerOfTheTrustedLockIsChecked(t *testing.T) {
	s := newStep(t)
	s.event("pull_request_target", pullRequestPayload("someone/widgets"))
	text := s.pinWith(one(calm), nil)
	s.gh.Files[mergeSHA] = map[string]string{"contractpin.lock": text}
	s.write("s.json", poisoned)
	s.want(1)
	if r := s.report(); r.Servers[0].Status != verify.Drift {
		t.Errorf("%+v", r.Servers)
	}
}

func TestPullRequest_sameRepositoryMayChangeTheLaunch(t *testing.T) {
	s := newStep(t)
	canary := filepath.Join(filepath.Dir(s.ws), "canary")
	s.base(one(calm), nil)
	s.set("INPUT_TIMEOUT", "1s")
	s.pinWith(one(calm), program(t, canary))
	s.want(1)
	if s.read(canary) == "" {
		t.Errorf("it was not started\n%s", s.stdout)
	}
	if r := s.report().Review; r == nil || len(r.Servers[0].Launch) == 0 {
		t.Errorf("%+v", r)
	}
}

func TestIsolate_withoutRootOrImageFailsClosed(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_ISOLATE", "true")
	canary := filepath.Join(filepath.Dir(s.ws), "canary")
	s.pinWith(one(calm), program(t, canary))
	s.want(1)
	s.only(verify.Unreachable, "no-isolation")
	if s.read(canary) != "" {
		t.Error("the server was started")
	}
}

func TestSecrets_areInNothingThatIsWritten(t *testing.T) {
	const header, env, token = "hdr-s3cret-0001", "env-s3cret-0002", "ghs_t0ken0001"
	var got []string
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
		w.Write([]byte("no " + r.Header.Get("Authorization") + " " + base64.StdEncoding.EncodeToString([]byte("x:"+header)) + " " +
			url.QueryEscape(env+"&") + " " + r.URL.Path + " " + token))
	}))
	defer echo.Close()
	s := newStep(t)
	s.base(one(calm), nil)
	s.set("INPUT_HEADERS", "s=Authorization: Bearer "+header, "MY_KEY", env)
	s.pinWith(one(calm), func(l *lock.Server) {
		l.Transport, l.Path, l.URL = lock.HTTP, "", echo.URL+"/${MY_KEY}/mcp"
	})
	s.want(1)
	if len(got) == 0 || got[0] != "Bearer "+header {
		t.Fatalf("the server got %q\n%s", got, s.stdout)
	}
	shown := s.shown()
	for _, secret := range []string{header, env, token, base64.StdEncoding.EncodeToString([]byte("x:" + header))[4:]} {
		if strings.Contains(shown, secret) {
			i := strings.Index(shown, secret)
			t.Errorf("%s: %q", secret, shown[max(0, i-80):i+len(secret)])
		}
	}
	for _, secret := range []string{header, "Bearer " + header, env, token} {
		if !strings.Contains(s.stdout, "::add-mask::"+secret+"\n") {
			t.Errorf("%s is not masked", secret)
		}
	}
	if r := s.report(); r.Servers[0].Status != verify.Unreachable {
		t.Errorf("%+v", r.Servers)
	}
}

func TestSecrets_inTheWrongInput(t *testing.T) {
	s := newStep(t)
	s.pin(one(calm))
	s.set("INPUT_COMMENT", "ghs_t0ken0001", "GITHUB_API_URL", "ghs_t0ken0001")
	s.want(2)
	if strings.Contains(s.shown(), "t0ken0001") {
		t.Errorf("%s", s.shown())
	}
}

func TestSecrets_theTokenIsNoVariableOfTheLock(t *testing.T) {
	s := newStep(t)
	s.set("GITHUB_TOKEN", "ghs_t0ken0002", "ACTIONS_RUNTIME_TOKEN", "rt-t0ken-0003", "INPUT_SERVERS", "s")
	for _, name := range []string{"GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "INPUT_SERVERS"} {
		s.pinWith(one(calm), func(l *lock.Server) {
			l.Transport, l.Path, l.URL = lock.HTTP, "", "http://127.0.0.1:1/${"+name+"}"
		})
		s.want(1)
		s.only(verify.Unreachable, "env-unset")
	}
}

func TestLog_noServerStartsACommand(t *testing.T) {
	s := newStep(t)
	s.base(one(calm), nil)
	s.pin(one(calm))
	s.write("s.json", `{"tools":[{"name":"::error::owned"},{"name":"##[error]owned"},{"name":"a\n::error::owned"},{"name":"b\r::add-mask::a"},
		{"name":"pick","description":"\n::error::owned\n ##[error]owned\r::set-output name=exit-code::0\n<!-- contractpin-verify key=contractpin.lock -->"}]}`)
	s.want(1)
	for _, line := range strings.FieldsFunc(s.stdout, func(c rune) bool { return c == '\n' || c == '\r' }) {
		text := strings.TrimSpace(line)
		if strings.Contains(text, "##[") || strings.HasPrefix(text, "::error::") || strings.HasPrefix(text, "::set-output") || strings.HasPrefix(text, "::add-mask::a") {
			t.Errorf("%q", line)
		}
	}
	if n := strings.Count(s.read(s.vars["GITHUB_OUTPUT"]), "\n"); n != 11 || s.output("exit-code") != "1" {
		t.Errorf("%s", s.read(s.vars["GITHUB_OUTPUT"]))
	}
	if n := strings.Count(s.gh.Comments[0].Body, "<!-- contractpin-verify key="); n != 1 {
		t.Errorf("%d markers", n)
	}
}

func TestAction_interruptedStillTells(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGTERM here")
	}
	s := newStep(t)
	canary := filepath.Join(filepath.Dir(s.ws), "canary")
	s.pinWith(map[string]string{"s": calm}, program(t, canary))
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	done := make(chan int)
	go func() {
		done <- action(ctx, func(name string) (string, bool) { v, ok := s.vars[name]; return v, ok }, &out)
	}()
	for deadline := time.Now().Add(20 * time.Second); s.read(canary) == ""; {
		if time.Now().After(deadline) {
			t.Fatal("the server did not start")
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	if code := <-done; code != 1 {
		t.Errorf("exit %d\n%s", code, out.String())
	}
	s.stdout = out.String()
	s.only(verify.Unreachable, "interrupted")
	if s.summary() == "" || s.output("failure-reason") != "unreachable" || len(s.gh.Writes()) != 0 || len(s.annotations("warning")) != 0 {
		t.Errorf("%s", s.stdout)
	}
}
