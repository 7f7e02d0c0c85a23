package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

func asJSON(t testing.TB, r *verify.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// everyKind is reports that between them have every member.
func everyKind(t testing.TB) map[string]*verify.Report {
	timeout := verify.Failure{Code: "timeout", Message: "no answer", Hint: "wait", Stderr: "x\n"}
	sharded := run(t, verify.Options{}, same("a"))
	sharded.Shard, sharded.Version, sharded.Warnings = &verify.Shard{Index: 2, Count: 3}, "v1.0.0", []string{"w"}
	invalid := &verify.Report{Lock: "contractpin.lock", Error: &verify.Failure{Code: "invalid-lock", Message: "broken"}}
	invalid.Finish()
	reviewed := run(t, verify.Options{}, same("a"))
	reviewed.Review = review(t)
	edited := run(t, verify.Options{}, acme())
	edited.Servers[0].Changes[0].Note = "the lock has no field digests for this tool"
	for i := range edited.Servers[0].Changes[0].Fields {
		edited.Servers[0].Changes[0].Fields[i].Locked = contract.Digest{}
	}
	merged, err := Merge([]*verify.Report{sharded}, 3)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*verify.Report{
		"match": run(t, verify.Options{}, same("a"), same("b")), "drift": run(t, verify.Options{}, acme(), same("b"), failing("c", verify.Blocked, timeout)),
		"unknown": run(t, verify.Options{}, many(12, true)), "allowed": run(t, verify.Options{AllowNew: true}, pair{name: "a", new: acme().new}),
		"none": run(t, verify.Options{}), "sharded": sharded, "invalid": invalid, "reviewed": reviewed, "edited": edited, "merged": merged, "covered": covered(t, false), "required": covered(t, true), "hostile": hostileReport(t),
	}
}

func TestRead_takesWhatJSONWrites(t *testing.T) {
	for name, r := range everyKind(t) {
		data := asJSON(t, r)
		got, err := Read(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := asJSON(t, got); !bytes.Equal(data, again) {
			t.Errorf("%s: reads back as something else:\n%s", name, cmp.Diff(string(data), string(again)))
		}
	}
}

func TestRead_refusesWhatDoesNotFollowFromTheRest(t *testing.T) {
	type object = map[string]any
	server := func(r object) object { return r["servers"].([]any)[0].(object) }
	change := func(r object) object { return server(r)["changes"].([]any)[0].(object) }
	field := func(r object) object { return change(r)["fields"].([]any)[0].(object) }
	detail := func(r object) object { return field(r)["details"].([]any)[0].(object) }
	digest := "sha256:" + strings.Repeat("0", 64)
	for name, edit := range map[string]func(r object){
		"format":               func(r object) { r["report"] = "contractpin-report/2" },
		"unknown member":       func(r object) { r["extra"] = 1 },
		"unknown inner member": func(r object) { field(r)["extra"] = 1 },
		"other spelling":       func(r object) { r["Result"] = r["result"]; delete(r, "result") },
		"no servers":           func(r object) { delete(r, "servers") },
		"wrong type":           func(r object) { r["exit_code"] = "1" },
		"fraction":             func(r object) { r["exit_code"] = 1.5 },
		"result":               func(r object) { r["result"] = "match" },
		"exit code":            func(r object) { r["exit_code"] = 0 },
		"both":                 func(r object) { r["result"], r["exit_code"] = "match", 0 },
		"status":               func(r object) { server(r)["status"], r["result"], r["exit_code"] = "match", "match", 0 },
		"status unknown":       func(r object) { server(r)["status"] = "fine" },
		"unreachable":          func(r object) { server(r)["status"] = "unreachable" },
		"allowed":              func(r object) { change(r)["allowed"] = true },
		"no live side":         func(r object) { delete(server(r), "live") },
		"short digest":         func(r object) { change(r)["live"] = "sha256:00" },
		"upper digest":         func(r object) { change(r)["live"] = "sha256:" + strings.Repeat("A", 64) },
		"equal digests":        func(r object) { change(r)["live"] = change(r)["locked"] },
		"equal server digests": func(r object) { server(r)["live"] = server(r)["locked"] },
		"no lock digest":       func(r object) { delete(r, "lock_digest") },
		"counts":               func(r object) { server(r)["counts"].(object)["drifted"] = 2 },
		"unchanged":            func(r object) { server(r)["counts"].(object)["unchanged"] = 7 },
		"negative":             func(r object) { server(r)["duration_ms"] = -1 },
		"kind":                 func(r object) { change(r)["kind"] = "added" },
		"kind unknown":         func(r object) { change(r)["kind"] = "moved" },
		"label":                func(r object) { change(r)["labels"] = []any{"<b>fine</b>"} },
		"field":                func(r object) { field(r)["field"] = "title" },
		"field kind":           func(r object) { field(r)["kind"] = "added" },
		"detail":               func(r object) { detail(r)["kind"] = "html" },
		"diff escape":          func(r object) { detail(r)["diff"] = "-a\n+\x1b[31mb\n" },
		"diff command":         func(r object) { detail(r)["diff"] = " ::error::x\n" },
		"diff without sign":    func(r object) { detail(r)["diff"] = "```\n" },
		"words":                func(r object) { detail(r)["words"] = []any{object{"op": "new", "text": "a\n##[x]"}} },
		"word op":              func(r object) { detail(r)["words"] = []any{object{"op": "bold"}} },
		"transport":            func(r object) { server(r)["transport"] = "carrier pigeon" },
		"twice":                func(r object) { r["servers"] = append(r["servers"].([]any), server(r)) },
		"tool twice":           func(r object) { server(r)["changes"] = append([]any{change(r)}, server(r)["changes"].([]any)...) },
		"fields":               func(r object) { change(r)["fields"] = []any{field(r), field(r)} },
		"shard":                func(r object) { r["shard"] = object{"index": 3, "count": 2} },
		"shards":               func(r object) { r["shard"] = object{"index": 1, "count": 1 << 40} },
		"error":                func(r object) { r["error"] = object{"code": "x", "message": "y"} },
		"null":                 func(r object) { r["warnings"] = nil },
		"review": func(r object) {
			r["review"] = object{"servers": []any{object{"name": "x", "kind": "added", "counts": object{"unchanged": 0, "drifted": 0, "added": 0, "removed": 0}}}}
		},
		"lock digest": func(r object) { r["lock_digest"] = digest[:70] + "g" },
	} {
		t.Run(name, func(t *testing.T) {
			var r object
			if err := json.Unmarshal(asJSON(t, run(t, verify.Options{}, acme())), &r); err != nil {
				t.Fatal(err)
			}
			edit(r)
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Read(data); err == nil {
				t.Error("the report is accepted")
			} else if !printable(err.Error()) {
				t.Errorf("the error is not escaped: %q", err)
			}
		})
	}
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

func TestRead_refusesWhatIsNoStrictJSON(t *testing.T) {
	good := string(asJSON(t, run(t, verify.Options{}, acme())))
	if _, err := Read([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"empty": "", "cut": good[:len(good)/2], "trailing": good + "{}", "array": "[]", "null": "null", "bad bytes": strings.Replace(good, "acme", "\xff", 1),
		"key twice": strings.Replace(good, `"exit_code"`, `"exit_code": 1, "exit_code"`, 1), "lone surrogate": strings.Replace(good, "acme-search", `\ud800`, 1),
	} {
		if _, err := Read([]byte(data)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, r := range everyKind(f) {
		if data := asJSON(f, r); len(data) < 100_000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(data)
		if err != nil {
			if !printable(err.Error()) {
				t.Errorf("the error is not escaped: %q", err)
			}
			return
		}
		if again, err := Read(asJSON(t, r)); err != nil || again.ExitCode != r.ExitCode {
			t.Errorf("what was read is not read again: %v", err)
		}
		for _, md := range []string{Comment(r, testContext), Summary(r, testContext)} {
			for _, b := range checkHTML(rendered(t, md)) {
				t.Error(b)
			}
		}
		if m := command.FindString(text(t, r, TextOptions{})); m != "" {
			t.Errorf("the text holds %q", m)
		}
	})
}
