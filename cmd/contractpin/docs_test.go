package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	shown = regexp.MustCompile("(?ms)^```(?:sh|console)\n(.*?)^```$")
	word  = regexp.MustCompile(`(?:[^\s"'|;&<>]|"[^"]*"|'[^']*')+`)
)

// TestDocs_everyCommandIsOneThatWeTake holds each contractpin command of the pages to the flags and arguments that there
// are. What the commands then do is the scripts' business.
func TestDocs_everyCommandIsOneThatWeTake(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shown.FindAllStringSubmatch(string(data), -1) {
			for line := range strings.Lines(block[1]) {
				line = strings.TrimPrefix(line, "$ ")
				if !strings.HasPrefix(line, "contractpin ") {
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
	}
	if found < 10 {
		t.Errorf("only %d commands found: is this test still looking at the pages?", found)
	}
}

func helpOf(t *testing.T, args []string) (code int, stderr string) {
	var said bytes.Buffer
	c := &Command{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &said, LookupEnv: func(string) (string, bool) { return "", false }}
	code = c.Main(t.Context(), append(args, "--help"))
	return code, said.String()
}
