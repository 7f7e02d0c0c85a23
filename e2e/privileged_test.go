package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contractpin/verify/e2e/fakegithub"
	"github.com/contractpin/verify/e2e/runner"
)

// canary counts what reaches it: a server that must not be launched would call it.
func canary(t *testing.T) (url string, calls *atomic.Int32) {
	t.Helper()
	calls = new(atomic.Int32)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		http.NotFound(w, nil)
	}))
	t.Cleanup(h.Close)
	return h.URL, calls
}

// elsewhere makes the lock of the checkout launch something that the base's lock does not.
func (s *scene) elsewhere(url string, stdio bool) {
	s.t.Helper()
	old, changed := fmt.Sprintf("%q: %q", "url", web.url), fmt.Sprintf("%q: %q", "url", url+"/mcp")
	if stdio {
		old = `"transport": "http",`
		changed = fmt.Sprintf(`"transport": "stdio", "command": ["node", "-e", "fetch('%s')"],`, url)
	}
	lock := strings.Replace(s.files["contractpin.lock"], old, changed, 1)
	if lock == s.files["contractpin.lock"] {
		s.t.Fatalf("the lock does not hold %s", old)
	}
	s.files["contractpin.lock"] = lock
}

func TestPrivileged_changedLaunchIsBlockedAndNothingStarts(t *testing.T) {
	for _, stdio := range []bool{false, true} {
		t.Run(map[bool]string{false: "http", true: "stdio"}[stdio], func(t *testing.T) {
			s := newScene(t)
			s.github.AddPull(fakegithub.Pull{Number: pull, HeadSHA: headSHA, BaseSHA: baseSHA, HeadRepository: fakegithub.Fork, Author: "stranger"})
			s.change = func(c *runner.Context) {
				c.EventName, c.SHA, c.Ref = "pull_request_target", baseSHA, "refs/heads/main"
			}
			url, calls := canary(t)
			s.elsewhere(url, stdio)
			o, _ := s.act(1)
			outputs(t, o, map[string]string{"failure-reason": "blocked", "servers-checked": "2"})
			contains(t, "comment", s.comment().Body, "blocked")
			if n := calls.Load(); n != 0 {
				t.Errorf("the changed server was reached %d times", n)
			}

			s.inputs["allow-untrusted-commands"] = "true" // what a block prevents does happen without it
			s.act(1)
			if calls.Load() == 0 {
				t.Error("allow-untrusted-commands did not let the changed server be launched: the test above proves nothing")
			}
		})
	}
}

func TestPrivileged_ordinaryPullRequestMayChangeTheLaunchAndSaysSoFirst(t *testing.T) {
	s := newScene(t)
	url, calls := canary(t)
	s.elsewhere(url, false)
	s.act(1)
	if calls.Load() == 0 {
		t.Error("the changed server was not reached")
	}
	contains(t, "comment", s.comment().Body, web.url, url+"/mcp")
}

func TestPrivileged_linkOutOfTheWorkspaceShowsNothingOfWhatItPointsTo(t *testing.T) {
	for _, target := range []string{"/proc/self/environ", "/proc/1/environ", "/github/workflow/event.json", "/etc/passwd"} {
		s := newScene(t)
		j := s.job()
		link := filepath.Join(j.Workspace, "invoices.json")
		os.Remove(link)
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		o, err := j.Docker(t.Context(), s.step())
		if err != nil {
			t.Fatal(err)
		}
		if o.ExitCode != 1 {
			t.Errorf("%s: exit %d, want 1:\n%s", target, o.ExitCode, o.Log)
		}
		all := o.Log + o.Summary + read(t, filepath.Join(j.Workspace, "report.json"))
		for _, c := range s.github.Comments(pull) {
			all += c.Body
		}
		for _, secret := range []string{"INPUT_", s.github.Token, "synchronize", "root:x", "PATH="} {
			if strings.Contains(all, secret) {
				t.Errorf("%s: what it holds is shown: %s", target, secret)
			}
		}
	}
}
