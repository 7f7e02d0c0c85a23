package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	shown  = regexp.MustCompile("(?ms)^```(sh|console)\n(.*?)^```$")
	inline = regexp.MustCompile("`(contractpin [^`\n]+)`")
	word   = regexp.MustCompile(`(?:[^\s"'|;&<>]|"[^"]*"|'[^']*')+`)
)

// pages reads what people copy commands from.
func pages(t *testing.T) map[string]string {
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, name := range append(names, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(name)] = string(data)
	}
	return pages
}

// TestDocs_everyCommandIsOneThatWeTake holds each contractpin command of the pages, those in running text and in
// transcripts among them, to the flags and arguments that there are.
func TestDocs_everyCommandIsOneThatWeTake(t *testing.T) {
	found := 0
	for page, text := range pages(t) {
		commands := ""
		for _, block := range shown.FindAllStringSubmatch(text, -1) {
			commands += block[2]
		}
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			commands += m[1] + "\n"
		}
		for line := range strings.Lines(commands) {
			line = strings.TrimPrefix(line, "$ ")
			if !strings.HasPrefix(line, "contractpin ") || strings.HasPrefix(line, "contractpin COMMAND") {
				continue
			}
			found++
			// Help is shown instead of doing it, but only once all flags before it are known ones.
			args := []string{}
			for _, w := range word.FindAllString(line, -1)[1:] {
				if w == "--" || w == "#" {
					break
				}
				args = append(args, strings.Trim(w, `"'`))
			}
			if code, said := helpOf(t, args); code != 0 {
				t.Errorf("%s: %s: exit %d: %s", page, strings.TrimSpace(line), code, said)
			}
			if code, _ := helpOf(t, append(args, "--no-such-flag")); code == 0 {
				t.Errorf("%s: %s: a flag that there is not would pass", page, strings.TrimSpace(line))
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d commands found: is this test still looking at the pages?", found)
	}
}

func helpOf(t *testing.T, args []string) (code int, stderr string) {
	var said bytes.Buffer
	c := &Command{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &said, LookupEnv: func(string) (string, bool) { return "", false }}
	code = c.Main(t.Context(), append(args, "--help"))
	return code, said.String()
}

// TestDocs_everyBlockOfCommandsRuns runs the pages' blocks of contractpin and git commands as they stand, each in a
// repository with a lock. Servers and files that they name are stand-ins; README's transcript runs with the real ones in e2e.
func TestDocs_everyBlockOfCommandsRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages' commands are for a POSIX shell, and so are the stand-ins")
	}
	for _, program := range []string{"sh", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	scripts := testscript.Params{
		RequireExplicitExec: true,
		Setup:               serveHTTP,
		Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "expand": expand},
	}
	dir := t.TempDir()
	for page, text := range pages(t) {
		for i, block := range shown.FindAllStringSubmatch(text, -1) {
			if block[1] != "sh" || !strings.Contains(block[2], "contractpin init") && !strings.Contains(block[2], "git ") {
				continue
			}
			name := filepath.Join(dir, fmt.Sprintf("%s-%d.txtar", strings.TrimSuffix(page, ".md"), i))
			commands := strings.ReplaceAll(block[2], "https://mcp.example.com/mcp", `"$URL"`)
			if err := os.WriteFile(name, []byte(docsScript+commands), 0o644); err != nil {
				t.Fatal(err)
			}
			scripts.Files = append(scripts.Files, name)
		}
	}
	if len(scripts.Files) < 5 {
		t.Errorf("only %d blocks found: is this test still looking at the pages?", len(scripts.Files))
	}
	testscript.Run(t, scripts)
}

// docsScript runs the block that is appended to it.
const docsScript = `
expand stand-in bin/npx
cp bin/npx bin/uvx
cp bin/npx bin/github-mcp-server
exec chmod 755 bin/npx bin/uvx bin/github-mcp-server
env PATH=$WORK/bin:$PATH TOKEN=a-token-of-mine GITHUB_PAT=another-token NODE_AUTH_TOKEN=a-third-token
exec git init -q
exits 0 contractpin init before --file tools.json
exits 0 sh -eu block.sh
! grep 'a-token-of-mine|another-token|a-third-token' contractpin.lock
-- stand-in --
#!/bin/sh
exec fakeserver $WORK/http.json
-- bin/README --
-- http.json --
{"tools":[{"name":"search","description":"Searches.","inputSchema":{"type":"object"}}]}
-- tools.json --
{"tools":[{"name":"search","description":"Searches.","inputSchema":{"type":"object"}}]}
-- testdata/tools.json --
{"tools":[{"name":"search","description":"Searches.","inputSchema":{"type":"object"}}]}
-- .mcp.json --
{"mcpServers":{"mine":{"command":"npx","args":["-y","@acme/mcp@1.0.0"]}}}
-- block.sh --
`
