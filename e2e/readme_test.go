package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/contractpin/verify/e2e/workflow"
)

// README's transcript is what its commands say, with the servers that they name. "..." stands for any lines.
func TestREADME_tourIsWhatHappens(t *testing.T) {
	dir := t.TempDir()
	path := "PATH=" + filepath.Dir(binary(t, "contractpin")) + ":" + os.Getenv("PATH")
	code, commands := 0, 0
	for _, block := range blocks(t, "../README.md", "console") {
		for i, part := range strings.Split("\n"+block.text, "\n$ ") {
			shown, want, _ := strings.Cut(part, "\n")
			if i == 0 {
				continue
			}
			if shown == "contractpin verify files" { // "Here the lock's entry of files was edited"
				lock := filepath.Join(dir, "contractpin.lock")
				write(t, lock, strings.Replace(read(t, lock), "server-filesystem@2025.11.25", "server-filesystem@2026.8.31", 1), 0o644)
			}
			commands++
			r := command(t, dir, []string{path}, "sh", "-c", fmt.Sprintf("exec 2>&1; (exit %d); %s", code, shown))
			if code = r.code; shown == "echo $?" {
				code = 0
			}
			if !like(want, r.stdout) {
				t.Errorf("README says:\n$ %s\n%s\nbut it is:\n%s", shown, want, r.stdout)
			}
		}
	}
	if commands < 7 {
		t.Errorf("only %d commands found: is this test still looking at README?", commands)
	}
}

// like tells whether said is what a transcript shows. Where a server was slow, its line says so.
func like(shown, said string) bool {
	form := regexp.QuoteMeta(strings.TrimSpace(shown))
	form = regexp.MustCompile(`(?m)^ *\\\.\\\.\\\.$`).ReplaceAllString(form, `(?s:.*)`)
	form = regexp.MustCompile(`(?m)^[✓✗] .*$`).ReplaceAllString(form, `$0(?: \(.*\))?`)
	return regexp.MustCompile("^" + form + "$").MatchString(strings.TrimSpace(said))
}

// From "I have an .mcp.json" to a green check, then a server is upgraded: as README says it.
func TestNewcomer_fromClientConfigurationToACaughtUpgrade(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".mcp.json"), `{"mcpServers":{
  "memory":{"command":"npx","args":["-y","@modelcontextprotocol/server-memory@2026.8.31"]},
  "thinking":{"command":"npx","args":["-y","@modelcontextprotocol/server-sequential-thinking@2026.8.31"]},
  "files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem@2025.11.25","."]}}}`, 0o644)
	began := time.Now()
	took := func(step string) { // packages come from the network or a warm cache, so no bound would mean anything
		t.Logf("%-40s %5.1f s", step, time.Since(began).Seconds())
		began = time.Now()
	}
	if r := contractpin(t, dir, "init", "--from", ".mcp.json"); r.code != 0 {
		t.Fatalf("init --from: %s", r)
	}
	took("init --from, three servers")
	files := map[string]string{}
	for _, name := range []string{"contractpin.lock", "contractpin.contracts.json", ".mcp.json"} {
		files[name] = read(t, filepath.Join(dir, name))
	}
	// A machine that runs other tests too may need more than a minute for three downloads at once.
	green := strings.Replace(blocks(t, "../README.md", "yaml")[0].text, "contractpin/verify@v1\n", "contractpin/verify@v1\n        with: {timeout: 5m}\n", 1)
	s := newScene(t)
	out, err := workflow.Do(t.Context(), s.workflow([]byte(green), files))
	if err != nil {
		t.Fatal(err)
	}
	if j := out.Jobs[0]; j.Result != "success" {
		t.Fatalf("the first pull request: %s\n%s", j.Result, logOf(j))
	}
	took("green, in the image")

	upgraded := maps.Clone(files)
	upgraded["contractpin.lock"] = strings.Replace(files["contractpin.lock"], "server-filesystem@2025.11.25", "server-filesystem@2026.8.31", 1)
	run := s.workflow([]byte(green), upgraded)
	if out, err = workflow.Do(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	took("red after an upgrade, with a comment")
	outputs(t, out.Jobs[0].Last(), map[string]string{"exit-code": "1", "result": "drift", "drifted": "14"})
	contains(t, "comment", s.comment().Body, "files", "move_file", "destructiveHint", "contractpin init --force files")
}
