package github

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/contractpin/verify/internal/verify"
)

// commandsIn reads a log as the runner does and returns the commands in it.
func commandsIn(log string) []string {
	var found []string
	for _, line := range strings.FieldsFunc(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		start := strings.TrimLeftFunc(line, unicode.IsSpace)
		if strings.HasPrefix(start, "::") && strings.Contains(start[2:], "::") {
			found = append(found, start)
		} else if i := strings.Index(start, "##["); i >= 0 && strings.Contains(start[i:], "]") {
			found = append(found, start[i:])
		}
	}
	return found
}

var hostile = []string{
	"::error::owned", "  ::error::owned", "\t::add-mask::a", "\u00a0::error::x", "\u200b::error::x", "\x1b::error::x", "\ufeff::error::x",
	"a\r::error::owned", "a\r\n::error::owned", "x ##[error]owned", "####[group]x", "##[##[error]x", "::stop-commands::t",
	"\u2028::error::x", "\x00::error::x", "\xff::error::x", "a\x0b::error::x", "a\x85::error::x",
}

func TestLog_neverStartsACommand(t *testing.T) {
	for _, text := range hostile {
		var out bytes.Buffer
		r := NewRunner(&out, env(nil))
		fmt.Fprintln(r.Log(), text)
		if got := commandsIn(out.String()); got != nil {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestLog_keepsOrdinaryLines(t *testing.T) {
	for _, text := range []string{"tool a::b drifted", "naïve 文字", "", "# heading", "[x] ## ok", "a\tb"} {
		if got := Harmless(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func FuzzHarmless(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		r := NewRunner(&out, env(nil))
		fmt.Fprintf(r.Log(), "%s\n", text)
		if got := commandsIn(out.String()); got != nil {
			t.Errorf("%q became %q", text, got)
		}
		if lines := strings.Count(text, "\n") + 1; strings.Count(out.String(), "\n") != lines {
			t.Errorf("%q: %q", text, out.String())
		}
	})
}

// FuzzAnnotate reads what it wrote as the runner does: one command, with the fields that it was given and no other.
func FuzzAnnotate(f *testing.F) {
	for i, text := range hostile {
		f.Add(text, hostile[(i+3)%len(hostile)], "dir/a.lock", "half a line")
	}
	f.Add("a,line=9::x", "%0A::error::b", "a,title=b::c", "x%")
	f.Fuzz(func(t *testing.T, title, message, file, before string) {
		var out bytes.Buffer
		r := NewRunner(&out, env(nil))
		fmt.Fprint(r.Log(), before)
		r.Annotate(Annotation{Level: Error, Title: title, Message: message, File: file, Line: 3})
		commands := commandsIn(out.String())
		if len(commands) != 1 {
			t.Fatalf("%q", commands)
		}
		head, body, _ := strings.Cut(commands[0][len("::"):], "::")
		kind, properties, _ := strings.Cut(head, " ")
		got := map[string]string{"": unescape(body)}
		for p := range strings.SplitSeq(properties, ",") {
			key, value, _ := strings.Cut(p, "=")
			got[key] = unescape(value)
		}
		want := map[string]string{"": r.oneLine(message, maxMessage), "title": r.oneLine(title, maxTitle)}
		if file != "" {
			want["file"], want["line"] = file, "3"
		}
		for key, value := range want { // the runner trims what it reads
			if strings.TrimSpace(value) != strings.TrimSpace(got[key]) {
				t.Errorf("%q is %q, want %q", key, got[key], value)
			}
		}
		if kind != "error" || len(got) != len(want) {
			t.Errorf("%q of %q", kind, got)
		}
	})
}

// unescape undoes the runner's escapes.
func unescape(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}

func TestLog_commandEndsAnUnfinishedLine(t *testing.T) {
	var out bytes.Buffer
	r := NewRunner(&out, env(nil))
	fmt.Fprint(r.Log(), "one ")
	fmt.Fprint(r.Log(), "line")
	r.Warn("careful")
	r.Logf("next")
	want := "one line\n::warning title=contractpin::careful\nnext\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestAnnotate_escapesWhatItIsGiven(t *testing.T) {
	var out bytes.Buffer
	r := NewRunner(&out, env(nil))
	r.Redact(func(s string) string { return strings.ReplaceAll(s, "s3cret", "***") })
	r.Annotate(Annotation{Level: Error, Title: "a,b::c\nd", Message: "100%\r\n::error::owned s3cret", File: "dir/my,lock:1", Line: 3})
	want := `::error file=dir/my%2Clock%3A1,line=3,title=a%2Cb%3A%3Ac\u{000A}d::100%25\u{000D}\u{000A}::error::owned ***` + "\n"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

func TestAnnotate_beyondWhatGitHubShowsGoesToTheLog(t *testing.T) {
	var out bytes.Buffer
	r := NewRunner(&out, env(nil))
	for i := range 12 {
		r.Annotate(Annotation{Level: Warning, Title: "t", Message: fmt.Sprint(i)})
	}
	if got := len(commandsIn(out.String())); got != 10 {
		t.Errorf("%d warnings", got)
	}
	if !strings.Contains(out.String(), "\nwarning: t: 11\n") {
		t.Errorf("%q", out.String())
	}
}

func TestMask_coversEachLineOnce(t *testing.T) {
	var out bytes.Buffer
	r := NewRunner(&out, env(nil))
	r.Mask("first\n second \r\n\n")
	r.Mask("first")
	if want := "::add-mask::first\n::add-mask::second\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestOutput_refusesWhatCouldForgeAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	r := NewRunner(&bytes.Buffer{}, env(map[string]string{"GITHUB_OUTPUT": path}))
	for _, bad := range []string{"1\nexit-code=0", "1\r", "\u2028", "a\x00"} {
		if r.Output("result", bad) == nil {
			t.Errorf("%q was written", bad)
		}
	}
	if err := r.Output("result", "drift"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "result=drift\n" {
		t.Errorf("%q", got)
	}
}

func TestSummary_nothingToWriteToIsNoError(t *testing.T) {
	r := NewRunner(&bytes.Buffer{}, env(nil))
	if err := r.Summary("x"); err != nil {
		t.Error(err)
	}
	if err := r.Output("a", "b"); err != nil {
		t.Error(err)
	}
	gone := NewRunner(&bytes.Buffer{}, env(map[string]string{"GITHUB_STEP_SUMMARY": filepath.Join(t.TempDir(), "no", "file")}))
	if err := gone.Summary("x"); err == nil {
		t.Error("no error for a folder that is not there")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestRunner_closedLogIsNoReasonToFail(t *testing.T) {
	r := NewRunner(broken{}, env(nil))
	r.Warn("x")
	r.Mask("secret")
	r.Logf("y")
}

func TestAnnotations_countWhatGitHubWouldDrop(t *testing.T) {
	r := &verify.Report{}
	for i := range 3 {
		s := verify.Server{Name: fmt.Sprintf("s%d", i), Status: verify.Drift, Line: 10 * i}
		for j := range 20 {
			s.Changes = append(s.Changes, verify.Change{Tool: fmt.Sprintf("t%d", j), Kind: "added", Line: 10*i + j})
		}
		r.Servers = append(r.Servers, s)
	}
	r.Servers = append(r.Servers, verify.Server{Name: "z", Status: verify.Unreachable, Line: 99, Reason: &verify.Failure{Code: "timeout", Message: "no answer"}})
	got := Annotations(r, Placement{File: "contractpin.lock"})
	if len(got) != 10 {
		t.Fatalf("%d annotations", len(got))
	}
	if last := got[9].Message; last != "52 more: see the log and the job summary" {
		t.Errorf("%q", last)
	}
	// Every failing server is there, the unreachable one too.
	for i, line := range []int{0, 10, 20, 99} {
		if got[i].Line != line || got[i].File != "contractpin.lock" {
			t.Errorf("annotation %d: %+v", i, got[i])
		}
	}
}

func TestAnnotations_words(t *testing.T) {
	r := &verify.Report{Warnings: []string{"w"}, Servers: []verify.Server{{
		Name: "s", Status: verify.Drift, Changes: []verify.Change{
			{Tool: "new", Kind: "added", Allowed: true, Line: 2},
			{Tool: "old", Kind: "removed", Line: 3},
			{Tool: "p\u0456ck", Kind: "drifted", Line: 4, Labels: []string{"behaviour hint flipped"},
				Fields: []verify.FieldChange{{Field: "annotations", Kind: "changed"}, {Field: "outputSchema", Kind: "added"}}},
		},
	}}}
	got := Annotations(r, Placement{File: "l", DriftPass: true})
	want := []Annotation{
		{Warning, "contractpin", "w", "l", 0},
		{Warning, "contractpin: s removed", "tool old of server s was removed: the lock pins it, the server no longer has it", "l", 3},
		{Warning, "contractpin: s drifted", `tool p\u{0456}ck of server s drifted: annotations, outputSchema (added); behaviour hint flipped`, "l", 4},
		{Notice, "contractpin: s added", "tool new of server s was added: it is not in the lock", "l", 2},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
