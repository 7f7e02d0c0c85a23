package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/verify"
)

const namesNew = "{\"mcpServers\": {\n\"new\": {\"command\": \"npx\", \"args\": [\"-y\", \"acme@1.0.0\"]}}}"

// gaps are the kinds of the report's coverage by configuration.
func (s *step) gaps() string {
	s.t.Helper()
	var out []string
	for _, g := range s.report().Coverage {
		out = append(out, g.Config+" "+string(g.Kind))
	}
	return strings.Join(out, ", ")
}

func TestConfig_whatTheCheckoutHoldsIsHeldAgainstTheLock(t *testing.T) {
	for name, tt := range map[string]struct {
		config, want string
	}{
		"left out": {"", ".mcp.json not-pinned, .vscode/mcp.json unreadable"},
		"none":     {"none", ""},
		"named":    {"sub/claude_desktop_config.json\n", "sub/claude_desktop_config.json not-pinned"},
		"missing":  {"other.json", "other.json unreadable"},
	} {
		s := newStep(t)
		s.set("INPUT_CONFIG", tt.config)
		s.pin(one(calm))
		s.write("s.json", calm)
		s.write(".mcp.json", namesNew)
		s.write("sub/claude_desktop_config.json", namesNew)
		s.write(".vscode/mcp.json", "{")
		s.want(0)
		if got := s.gaps(); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if n := len(s.annotations("warning")); (n > 0) != (tt.want != "") || len(s.annotations("error")) > 0 {
			t.Errorf("%s: %s", name, s.stdout)
		}
	}
}

func TestConfig_requiredIsExit1(t *testing.T) {
	s := newStep(t)
	s.set("INPUT_REQUIRE-PINNED", "true", "INPUT_FAIL-ON-DRIFT", "false") // it is no drift
	s.base(one(calm), nil)
	s.pin(one(calm))
	s.write("s.json", calm)
	s.want(0)
	if w := s.annotations("warning"); len(w) != 1 || !strings.Contains(w[0], "no client configuration") {
		t.Errorf("%s", s.stdout)
	}
	s.write(".mcp.json", namesNew)
	s.want(1)
	if s.output("failure-reason") != "not-pinned" || s.report().Result != verify.ResultDrift {
		t.Errorf("%s", s.stdout)
	}
	errors := s.annotations("error")
	if len(errors) != 1 || !strings.HasPrefix(errors[0], "::error file=.mcp.json,line=2,") || !strings.Contains(errors[0], "contractpin init --from .mcp.json new") {
		t.Errorf("%s", errors)
	}
	if len(s.gh.Comments) != 1 || !strings.Contains(s.gh.Comments[0].Body, "contractpin init --from .mcp.json new") {
		t.Errorf("%+v", s.gh.Comments)
	}
	if !strings.Contains(s.summary(), "require-pinned") {
		t.Error(s.summary())
	}
}

func TestConfig_thatLeadsOutOfTheWorkspaceIsNotRead(t *testing.T) {
	s := newStep(t)
	secret := filepath.Join(filepath.Dir(s.ws), "secret")
	s.write(secret, `{"mcpServers":{"hunter2-hunter2":{}}}`)
	s.pin(one(calm))
	s.write("s.json", calm)
	if err := os.Symlink(secret, filepath.Join(s.ws, ".mcp.json")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	s.want(0)
	if strings.Contains(s.shown(), "hunter2") || s.gaps() != ".mcp.json unreadable" {
		t.Errorf("%s: %s", s.gaps(), s.shown())
	}
	s.set("INPUT_REQUIRE-PINNED", "true")
	s.want(1)
}
