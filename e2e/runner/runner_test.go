package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shell runs a script in a new job.
func shell(t *testing.T, script string) *Outcome {
	t.Helper()
	return shellIn(t, newJob(t), script)
}

func newJob(t *testing.T) *Job {
	t.Helper()
	j, err := NewJob(t.TempDir(), Context{Token: "ghs_0123456789"})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func shellIn(t *testing.T, j *Job, script string) *Outcome {
	t.Helper()
	o, err := j.Shell(t.Context(), ShellStep{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func names(o *Outcome) []string {
	var out []string
	for _, c := range o.Commands {
		out = append(out, c.Name)
	}
	return out
}

func TestLog_findsCommandsWhereTheRunnerDoes(t *testing.T) {
	for _, c := range []struct {
		printed string
		want    []string
	}{
		{`::notice::hi\n`, []string{"notice"}},
		{`  \t::notice::hi\n`, []string{"notice"}},
		{`\xc2\xa0::notice::hi\n`, []string{"notice"}},
		{`say ::notice::hi\n`, nil},
		{`::NOTICE file=a::hi\n`, []string{"notice"}},
		{`::notice hi\n`, nil},
		{`::unknown::hi\n`, nil},
		{`progress\r::notice::hi\n`, []string{"notice"}},
		{`text ##[warning]hi\n`, []string{"warning"}},
		{`##[unknown] ##[warning]hi\n`, nil},
		{`::stop-commands::tok3n\n::error::no\n::tok3n::\n::debug::yes\n`, []string{"stop-commands", "tok3n", "debug"}},
		{`::debug::no newline at the end`, []string{"debug"}},
	} {
		o := shell(t, "printf '"+c.printed+"'")
		if got := names(o); !slices.Equal(got, c.want) {
			t.Errorf("%s: commands %q, want %q", c.printed, got, c.want)
		}
	}
	if o := shell(t, "echo ::notice::from stderr >&2"); o.Count("notice") != 1 {
		t.Error("a command on stderr was not obeyed")
	}
}

func TestLog_annotationsHaveTheirPlaceAndTheirLimit(t *testing.T) {
	o := shell(t, `echo "::error file=$GITHUB_WORKSPACE/contractpin.lock,line=12,title=a%2Cb::one%0Atwo"; for i in $(seq 12); do echo "::warning::$i"; done`)
	a := o.Annotations[0]
	if a.File != "contractpin.lock" || a.Line != "12" || a.Title != "a,b" || a.Message != "one\ntwo" {
		t.Errorf("annotation %+v", a)
	}
	if o.Count("warning") != 10 || o.Dropped != 2 {
		t.Errorf("%d warnings kept, %d dropped; want 10 and 2", o.Count("warning"), o.Dropped)
	}
}

func TestLog_masksTokenAndAddedSecretsAlsoEncoded(t *testing.T) {
	o := shell(t, `echo ghs_0123456789; echo "::add-mask::s3cret value"; echo "x s3cret value y"; printf 'ab:s3cret value' | base64; echo s3cret%20value`)
	for _, s := range []string{"ghs_", "s3cret"} {
		if strings.Contains(o.Log, s) {
			t.Errorf("the log shows %q:\n%s", s, o.Log)
		}
	}
	if !strings.Contains(o.Log, "x *** y") {
		t.Errorf("log:\n%s", o.Log)
	}
}

func TestLog_disabledCommandFailsTheStep(t *testing.T) {
	if o := shell(t, "echo '::set-env name=A::b'"); !o.Failed || o.ExitCode != 0 || len(o.Problems) != 1 {
		t.Errorf("outcome %+v", o)
	}
}

func TestFileCommands_outputsEnvAndPath(t *testing.T) {
	j := newJob(t)
	o := shellIn(t, j, `{ echo a=1=2; printf 'b<<EOF\none\ntwo\nEOF\nc<<X\nX\n'; } >>"$GITHUB_OUTPUT"; echo N=v >>"$GITHUB_ENV"; echo /opt/x >>"$GITHUB_PATH"; echo "# hi" >>"$GITHUB_STEP_SUMMARY"`)
	if o.Outputs["a"] != "1=2" || o.Outputs["b"] != "one\ntwo" || o.Outputs["c"] != "" || o.Summary != "# hi\n" || o.Failed {
		t.Errorf("outcome %+v", o)
	}
	if o := shellIn(t, j, `echo "$N ${PATH%%:*}"`); o.Log != "v /opt/x\n" {
		t.Errorf("a later step sees %q", o.Log)
	}
}

func TestFileCommands_hugeSummaryIsDroppedWhole(t *testing.T) {
	o := shell(t, `head -c 1048577 /dev/zero | tr '\0' x >>"$GITHUB_STEP_SUMMARY"`)
	if o.Summary != "" || o.Count("error") != 1 || o.Failed {
		t.Errorf("outcome %+v", o)
	}
}

func TestFileCommands_badSyntaxFails(t *testing.T) {
	for _, script := range []string{
		`echo nonsense >>"$GITHUB_OUTPUT"`,
		`printf 'a<<EOF\nnever closed\n' >>"$GITHUB_OUTPUT"`,
	} {
		if o := shell(t, script); !o.Failed || len(o.Problems) != 1 || o.Summary != "" {
			t.Errorf("%s: outcome %+v", script, o)
		}
	}
}

func TestCheckout_leavesTheTokenInTemp(t *testing.T) {
	j := newJob(t)
	if err := j.Checkout(map[string]string{"a/b.txt": "hi\n"}); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(j.Temp, "git-credentials-*.config"))
	if err != nil || len(found) != 1 {
		t.Fatalf("credentials: %v, %v", found, err)
	}
	if text, err := os.ReadFile(filepath.Join(j.Workspace, "a", "b.txt")); string(text) != "hi\n" {
		t.Errorf("a/b.txt: %q, %v", text, err)
	}
}
