package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// shards are reports of one run over the same lock, each with a server of its own.
func shards(t testing.TB, n int, more ...pair) []*verify.Report {
	t.Helper()
	var out []*verify.Report
	for i := range n {
		p := same(fmt.Sprint("s", i))
		if i < len(more) {
			p = more[i]
		}
		r := run(t, verify.Options{}, p)
		r.LockDigest, r.Shard = contract.Sum([]byte("lock")), &verify.Shard{Index: i + 1, Count: n}
		out = append(out, r)
	}
	return out
}

func TestMerge_exitsAsTheWorst(t *testing.T) {
	invalid := &verify.Report{Shard: &verify.Shard{Index: 3, Count: 3}, Error: &verify.Failure{Code: "invalid-lock", Message: "broken"}}
	invalid.Finish()
	for name, c := range map[string]struct {
		reports []*verify.Report
		exit    int
	}{
		"match":         {shards(t, 3), verify.ExitMatch},
		"drift":         {shards(t, 3, acme()), verify.ExitDrift},
		"unreachable":   {shards(t, 3, failing("x", verify.Unreachable, verify.Failure{Code: "timeout"})), verify.ExitDrift},
		"could not run": {append(shards(t, 3, acme())[:2], invalid), verify.ExitCouldNotRun},
	} {
		r, err := Merge(c.reports, 3)
		if err != nil || r.ExitCode != c.exit || r.Shard != nil {
			t.Errorf("%s: %v, exit %d, want %d", name, err, r.ExitCode, c.exit)
		}
	}
}

func TestMerge_missingShardCouldNotBeChecked(t *testing.T) {
	for _, want := range []int{0, 4} {
		all := shards(t, 4)
		r, err := Merge([]*verify.Report{all[0], all[1], all[3]}, want)
		if err != nil {
			t.Fatal(err)
		}
		var missing []string
		for _, s := range r.Servers {
			if s.Status == verify.Unreachable {
				missing = append(missing, s.Name)
			}
		}
		if r.ExitCode != verify.ExitDrift || r.Result != verify.ResultDrift || strings.Join(missing, " ") != "shard 3 of 4" {
			t.Errorf("exit %d, missing %q", r.ExitCode, missing)
		}
		for what, out := range map[string]string{"text": text(t, r, TextOptions{}), "comment": Comment(r, testContext), "summary": Summary(r, testContext)} {
			if !strings.Contains(out, "shard 3 of 4") || !strings.Contains(out, "could not be checked") {
				t.Errorf("the %s does not say that shard 3 of 4 was not checked:\n%s", what, out)
			}
		}
	}
	r, err := Merge(nil, 2)
	if err != nil || r.ExitCode != verify.ExitDrift || len(r.Servers) != 2 {
		t.Errorf("no report of 2: %v, %+v", err, r)
	}
}

func TestMerge_refusesReportsThatDoNotBelongTogether(t *testing.T) {
	other := shards(t, 3)
	other[1].LockDigest = contract.Sum([]byte("other lock"))
	double := shards(t, 3)
	double[1].Servers = double[0].Servers
	counts := shards(t, 3)
	counts[2].Shard.Count = 4
	whole := shards(t, 3)
	whole[1].Shard = nil
	for name, c := range map[string]struct {
		reports []*verify.Report
		want    int
		err     string
	}{
		"none":                  {nil, 0, "no report"},
		"different locks":       {other, 0, "different locks"},
		"shard twice":           {append(shards(t, 3), &verify.Report{LockDigest: contract.Sum([]byte("lock")), Shard: &verify.Shard{Index: 2, Count: 3}}), 0, "two reports of shard 2 of 3"},
		"server twice":          {double, 0, `server "s0" is in two reports`},
		"shards of other count": {counts, 0, "shard 3 of 4 among reports of 3"},
		"other count wanted":    {shards(t, 3), 4, "shard 1 of 3 among reports of 4"},
		"whole run among them":  {whole, 0, "whole runs"},
		"more than wanted":      {[]*verify.Report{run(t, verify.Options{}, same("a")), run(t, verify.Options{}, same("a"))}, 1, ""},
	} {
		if r, err := Merge(c.reports, c.want); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, %+v; want an error that says %q", name, err, r, c.err)
		}
	}
}

func BenchmarkMerge_256Reports(b *testing.B) {
	var files [][]byte
	for i, r := range shards(b, 256) {
		p := flood(20, 200, 8)
		p.name = fmt.Sprint("s", i)
		d := run(b, verify.Options{}, p)
		d.LockDigest, d.Shard = r.LockDigest, r.Shard
		files = append(files, asJSON(b, d))
	}
	for b.Loop() {
		var reports []*verify.Report
		for _, f := range files {
			r, err := Read(f)
			if err != nil {
				b.Fatal(err)
			}
			reports = append(reports, r)
		}
		if _, err := Merge(reports, 256); err != nil {
			b.Fatal(err)
		}
	}
}
