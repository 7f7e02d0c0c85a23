package e2e

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// A workflow that we publish, in .github or in a page of the docs, must be one that GitHub runs: actionlint knows the
// syntax, the expressions and, from action.yml, our own inputs and outputs.

func TestWorkflows_passActionlint(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows found: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lint(t, strings.TrimPrefix(filepath.ToSlash(file), "../"), string(text))
		for _, use := range uses.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(use[1], "./") && !pinned.MatchString(use[1]) {
				t.Errorf("%s: %s is not pinned by its full commit", file, use[1])
			}
		}
	}
}

func TestDocs_everyWorkflowPassesActionlint(t *testing.T) {
	found := 0
	for _, file := range markdown(t) {
		for _, block := range blocks(t, file, "yaml", "yml") {
			if text, ok := asWorkflow(block.text); ok {
				found++
				lint(t, fmt.Sprintf("%s:%d", file, block.line), text)
			}
		}
	}
	if found == 0 {
		t.Error("no page shows a workflow")
	}
}

var (
	uses   = regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(\S+)`)
	pinned = regexp.MustCompile(`@[0-9a-f]{40}$`)
	// released is how pages name the action; actionlint reads the inputs of the one in the tree.
	released = regexp.MustCompile(`uses: contractpin/verify(/\w+)?@\S+`)
)

// lint checks a workflow as if it stood in .github/workflows. name says where it stands.
func lint(t *testing.T, name, text string) {
	t.Helper()
	project, err := actionlint.NewProject("..")
	if err != nil {
		t.Fatal(err)
	}
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text = released.ReplaceAllString(text, "uses: .$1/")
	found, err := linter.Lint("../.github/workflows/example.yml", []byte(text), project)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		t.Errorf("%s: line %d: %s", name, e.Line, e.Message)
	}
}

// asWorkflow completes what a page shows: a whole workflow as it is, jobs or steps alone put into one. YAML that is
// none of these (a compose file, say) is not for actionlint.
func asWorkflow(text string) (string, bool) {
	has := func(key string) bool { return regexp.MustCompile(`(?m)^` + key + `:`).MatchString(text) }
	const job = "jobs:\n  example:\n    runs-on: ubuntu-latest\n"
	switch {
	case has("on"):
		return text, true
	case has("jobs"):
		return "on: pull_request\n" + text, true
	case has("steps"):
		return "on: pull_request\n" + job + indent(text, 4), true
	case regexp.MustCompile(`^\s*- (uses|name|id|run|if):`).MatchString(text):
		return "on: pull_request\n" + job + "    steps:\n" + indent(text, 6), true
	}
	return "", false
}

func indent(text string, by int) string {
	pad := strings.Repeat(" ", by)
	return pad + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+pad) + "\n"
}

// markdown lists the pages of the tree, relative to e2e.
func markdown(t *testing.T) []string {
	t.Helper()
	var pages []string
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != ".." && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if filepath.Ext(name) == ".md" {
			pages = append(pages, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// fenced is one fenced block of a page.
type fenced struct {
	line int // of its first line
	text string
}

// blocks are the page's fenced blocks in one of the languages, their own indentation taken off.
func blocks(t *testing.T, file string, languages ...string) []fenced {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []fenced
	var open *fenced
	var pad string
	for i, line := range strings.Split(string(data), "\n") {
		text := strings.TrimLeft(line, " ")
		switch {
		case open == nil && strings.HasPrefix(text, "```"):
			pad = line[:len(line)-len(text)]
			open = &fenced{line: i + 2}
			if !slices.Contains(languages, strings.TrimSpace(strings.TrimPrefix(text, "```"))) {
				open.line = 0
			}
		case open != nil && strings.TrimSpace(line) == "```":
			if open.line > 0 {
				out = append(out, *open)
			}
			open = nil
		case open != nil:
			open.text += strings.TrimPrefix(line, pad) + "\n"
		}
	}
	return out
}
