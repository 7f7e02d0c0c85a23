package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/contractpin/verify/internal/verify"
)

// sarifLog renders and validates a report; the library carries the 2.1.0 schema.
func sarifLog(t testing.TB, r *verify.Report) *sarif.Report {
	t.Helper()
	log := readSARIF(t, r)
	if err := log.Validate(); err != nil {
		t.Error(err)
	}
	return log
}

func readSARIF(t testing.TB, r *verify.Report) *sarif.Report {
	t.Helper()
	var b bytes.Buffer
	if err := SARIF(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Bytes() {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("byte %#x in the output", c)
		}
	}
	if bytes.Contains(b.Bytes(), []byte("##[")) {
		t.Error("a runner command in the output")
	}
	log, err := sarif.FromBytes(b.Bytes(), sarif.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func sarifString(t *testing.T, r *verify.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := SARIF(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSARIF_golden(t *testing.T) {
	r := run(t, verify.Options{}, acme(), same("files"), failing("db", verify.Unreachable, verify.Failure{Code: "timeout", Message: "no answer within 60 s"}))
	sarifLog(t, r)
	golden(t, "sarif/drift.sarif", sarifString(t, r))
}

func TestSARIF_hasEveryRuleAlsoWhenClean(t *testing.T) {
	invalid := &verify.Report{Error: &verify.Failure{Code: "invalid-lock", Message: "broken"}}
	invalid.Finish()
	for name, r := range map[string]*verify.Report{"clean": run(t, verify.Options{}, same("a"), same("b")), "no server": run(t, verify.Options{}), "could not run": invalid, "hostile": hostileReport(t)} {
		for _, run := range sarifLog(t, r).Runs {
			if len(run.Tool.Driver.Rules) != len(rules) {
				t.Errorf("%s: %d rules", name, len(run.Tool.Driver.Rules))
			}
			if name == "clean" && len(run.Results) != 0 || name == "could not run" && len(run.Results) != 1 {
				t.Errorf("%s: %d results", name, len(run.Results))
			}
		}
	}
}

func TestSARIF_runsAndResultsStayWithinGitHubsLimits(t *testing.T) {
	var pairs []pair
	for i := range 50 {
		p := flood(200, 10, 4)
		p.name = fmt.Sprint("s", i)
		pairs = append(pairs, p)
	}
	log := readSARIF(t, run(t, verify.Options{}, pairs...))
	if len(log.Runs) != maxRuns {
		t.Errorf("%d runs", len(log.Runs))
	}
	ids := map[string]bool{}
	all := 0
	for _, r := range log.Runs {
		ids[*r.AutomationDetails.ID] = true
		all += len(r.Results)
		for _, s := range r.Results {
			if n := len(*s.Message.Text); n > maxMessage+2000 {
				t.Errorf("message of %d bytes", n)
			}
		}
	}
	if len(ids) != maxRuns || all != 50*200 {
		t.Errorf("%d ids, %d results", len(ids), all)
	}
	one := readSARIF(t, run(t, verify.Options{}, flood(maxResults+7, 10, 4))).Runs[0].Results
	if last := one[len(one)-1]; len(one) != maxResults || !strings.Contains(*last.Message.Text, "8 more results left out") {
		t.Errorf("%d results, the last one %q", len(one), *last.Message.Text)
	}
}

func TestSARIF_fingerprintsOutliveLinesAndTellDriftsApart(t *testing.T) {
	prints := func(r *verify.Report) (all []string) {
		for _, s := range sarifLog(t, r).Runs[0].Results {
			all = append(all, s.PartialFingerprints["contractpin/v1"])
		}
		return all
	}
	r := run(t, verify.Options{}, acme())
	before := prints(r)
	for i := range r.Servers[0].Changes {
		r.Servers[0].Changes[i].Line += 10
	}
	again := acme()
	again.new[0]["description"] = "Searches otherwise."
	after, other := prints(r), prints(run(t, verify.Options{}, again))
	same := 0
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("fingerprint %d changed with the line", i)
		}
		if before[i] == other[i] {
			same++
		}
	}
	if same != len(before)-1 {
		t.Errorf("%d of %d fingerprints stayed, want all but one", same, len(before))
	}
}

// unescaped finds what a viewer would take for a link or a placeholder.
var unescaped = regexp.MustCompile(`(^|[^\\])\[|(^|[^{]){\d+}`)

func TestSARIF_foreignTextIsNoLinkAndNoPlaceholder(t *testing.T) {
	for _, run := range sarifLog(t, hostileReport(t)).Runs {
		for _, s := range run.Results {
			if m := unescaped.FindString(*s.Message.Text); m != "" {
				t.Errorf("%q in %q", m, *s.Message.Text)
			}
		}
	}
}

func TestJSON_isASCIIAndReadsBackTheSame(t *testing.T) {
	r := hostileReport(t)
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	for i, c := range b.Bytes() {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("byte %#x at %d", c, i)
		}
	}
	if m := command.FindString(strings.ReplaceAll(b.String(), "\n", "\n.")); m != "" {
		t.Errorf("the JSON holds %q", m)
	}
	var back verify.Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := JSON(&again, &back); err != nil || again.String() != b.String() {
		t.Errorf("the report does not read back the same (%v)", err)
	}
}
