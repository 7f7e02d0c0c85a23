package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// realDrift is a pair of released versions of one server. The texts are not ours, so they are not in the tree.
func realDrift(t testing.TB, server, was, is string) *verify.Report {
	t.Helper()
	dir := os.Getenv("CONTRACTPIN_CORPUS")
	if dir == "" {
		t.Skip("CONTRACTPIN_CORPUS does not name a folder with tools/list results of real servers")
	}
	read := func(version string) *contract.Listing {
		raw, err := os.ReadFile(filepath.Join(dir, server+"@"+version+".json"))
		if err != nil {
			t.Fatal(err)
		}
		l, err := contract.ParseDump(raw)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	old := map[string]*contract.Listing{server: read(was)}
	o := verify.Options{Texts: contracts(old).Tool}
	r := verify.Run(t.Context(), lockOf(t, old), serve(map[string]verify.Answer{server: {Listing: read(is)}}), o)
	r.Lock = DefaultLock
	return r
}

func TestMarkdown_realDriftCanBeJudgedFromOneScreen(t *testing.T) {
	for _, c := range []struct {
		server, was, is string
		says            []string // within the first screen
	}{
		{"server-filesystem", "2025.11.25", "2026.8.31", []string{"14 tools drifted", "`/openWorldHint` appeared as `false`", "`/destructiveHint` `false` → `true`"}},
		{"github-mcp-server", "v1.5.0", "v1.6.0", []string{"111 tools drifted", "**110 tools**", "`/idempotentHint` appeared as `false`"}},
		{"playwright-mcp", "0.0.82", "0.0.83", []string{"2 tools drifted", "input widened"}},
		{"chrome-devtools-mcp", "1.10.1", "1.11.0", []string{"30 tools drifted, 2 added", "**30 tools**", "`/additionalProperties` `{}` → `false`"}},
		{"tavily-mcp", "0.2.10", "0.2.21", []string{"5 tools added, 4 removed", "4 of 4 tools that are gone may have been renamed"}},
	} {
		r := realDrift(t, c.server, c.was, c.is)
		comment := Comment(r, testContext)
		screen := strings.Join(strings.SplitN(comment, "\n", 31)[:30], "\n")
		for _, want := range c.says {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: the first screen does not say %q:\n%s", c.server, want, screen)
			}
		}
		for _, md := range []string{comment, Summary(r, testContext)} {
			for _, b := range checkHTML(rendered(t, md)) {
				t.Errorf("%s: %s", c.server, b)
			}
		}
		if dir := os.Getenv("CONTRACTPIN_LOOK"); dir != "" {
			look(t, dir, c.server, r)
		}
	}
}

// look writes every rendering of a report into a folder, for eyes.
func look(t testing.TB, dir, name string, r *verify.Report) {
	t.Helper()
	for ext, out := range map[string]string{
		".comment.md": Comment(r, testContext), ".summary.md": Summary(r, testContext), ".txt": text(t, r, TextOptions{Width: 100}),
		".ansi": text(t, r, TextOptions{Width: 100, Color: true}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name+ext), []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
