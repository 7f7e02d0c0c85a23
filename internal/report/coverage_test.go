package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// covered is a run that matches, with a gap of each kind.
func covered(t testing.TB, required bool) *verify.Report {
	t.Helper()
	r := run(t, verify.Options{}, same("docs"))
	r.Coverage = []verify.Gap{
		{Config: ".mcp.json", Line: 4, Server: "new", Kind: verify.NotPinned, Message: `server "new" is not pinned: contractpin init --from .mcp.json new`},
		{Config: ".mcp.json", Line: 4, Server: "new", Kind: verify.Unversioned, Message: `server "new": acme has no version, so what runs can change while the lock stays the same`},
		{Config: ".cursor/mcp.json", Kind: verify.Unreadable, Message: "its servers could not be held against the lock: .cursor/mcp.json: line 3: no valid JSON"},
		{Config: ".mcp.json", Line: 9, Server: "docs", Kind: verify.Differs, Message: `server "docs" is launched otherwise than the lock says: command`},
		{Config: ".vscode/mcp.json", Line: 9, Server: "docs", Kind: verify.NotComparable, Message: `server "docs" is pinned, but its entry cannot be compared: cwd has a variable`},
	}
	for i := range r.Coverage {
		r.Coverage[i].Required = required && r.Coverage[i].Kind.CanFail()
	}
	r.Finish()
	return r
}

func TestCoverage_failsTheRunOnlyWhereItIsRequired(t *testing.T) {
	warns, fails := covered(t, false), covered(t, true)
	if warns.ExitCode != verify.ExitMatch || warns.Result != verify.ResultMatch || fails.ExitCode != verify.ExitDrift || fails.Result != verify.ResultDrift {
		t.Errorf("exit %d and %d", warns.ExitCode, fails.ExitCode)
	}
	if v := verdict(fails); !strings.HasPrefix(v, "not pinned: ") || !strings.Contains(v, "4 entries") || !strings.Contains(v, "1 server matches") {
		t.Error(v)
	}
	if v := verdict(warns); !strings.HasPrefix(v, "match: ") {
		t.Error(v)
	}
}

func TestCoverage_isARunOfItsOwnInSARIF(t *testing.T) {
	for _, required := range []bool{false, true} {
		r := covered(t, required)
		log := sarifLog(t, r)
		got := log.Runs[len(log.Runs)-1]
		if len(log.Runs) != 2 || *got.AutomationDetails.ID != "contractpin/(clients)/" || len(got.Results) != len(r.Coverage) {
			t.Fatalf("%d runs, the last is %s with %d results", len(log.Runs), *got.AutomationDetails.ID, len(got.Results))
		}
		for _, result := range got.Results {
			at := result.Locations[0].PhysicalLocation
			i := slices.IndexFunc(r.Coverage, func(g verify.Gap) bool {
				return *at.ArtifactLocation.URI == g.Config && *at.Region.StartLine == max(g.Line, 1) && upperFirst(g.Message) == *result.Message.Text
			})
			if i < 0 || *result.RuleID != "not-covered" || (result.Level == "error") != r.Coverage[i].Required {
				t.Errorf("%s %s at %s:%d: %s", result.Level, *result.RuleID, *at.ArtifactLocation.URI, *at.Region.StartLine, *result.Message.Text)
			}
		}
	}
	if log := sarifLog(t, run(t, verify.Options{}, same("docs"))); len(log.Runs) != 2 || len(log.Runs[1].Results) != 0 {
		t.Error("without a run of no results the alerts of the last one would stay open")
	}
}

func TestCoverage_ofShardsIsMergedOnce(t *testing.T) {
	all := shards(t, 3)
	for i, r := range all[:2] {
		r.Coverage = covered(t, i == 1).Coverage
		r.Finish()
	}
	r, err := Merge(all, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Coverage) != 5 || r.Uncovered() != 4 || r.ExitCode != verify.ExitDrift {
		t.Errorf("%d gaps, %d required, exit %d", len(r.Coverage), r.Uncovered(), r.ExitCode)
	}
	r.LockDigest = contract.Sum([]byte("lock"))
	if _, err := Read(asJSON(t, r)); err != nil {
		t.Errorf("the merged report is not sound: %v", err)
	}
}

func TestRead_refusesCoverageThatDoesNotFollow(t *testing.T) {
	type object = map[string]any
	list := func(r object) []any { return r["coverage"].([]any) }
	gap := func(r object, i int) object { return list(r)[i].(object) }
	for name, edit := range map[string]func(r object){
		"exit code":            func(r object) { r["exit_code"], r["result"] = 0, "match" },
		"none required":        func(r object) { r["coverage"] = list(r)[:0] },
		"kind":                 func(r object) { gap(r, 1)["kind"] = "fine" },
		"unversioned required": func(r object) { gap(r, 3)["required"] = true },
		"order":                func(r object) { l := list(r); l[0], l[1] = l[1], l[0] },
		"twice":                func(r object) { r["coverage"] = append([]any{gap(r, 0)}, list(r)...) },
		"no config":            func(r object) { gap(r, 0)["config"] = "" },
		"no message":           func(r object) { gap(r, 0)["message"] = "" },
		"line":                 func(r object) { gap(r, 0)["line"] = -1 },
		"unknown member":       func(r object) { gap(r, 0)["extra"] = 1 },
	} {
		var r object
		if err := json.Unmarshal(asJSON(t, covered(t, true)), &r); err != nil {
			t.Fatal(err)
		}
		if k := gap(r, 3)["kind"]; k != "unversioned" {
			t.Fatalf("gap 3 is %s", k)
		}
		edit(r)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(data); err == nil {
			t.Errorf("%s: the report is accepted", name)
		}
	}
}
