package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/contractpin/verify/internal/verify"
)

// missingReport is the reason's code of a shard that nobody reported on.
const missingReport = "missing-report"

// Merge makes one report of several, such as those of the shards of a run; it exits as the worst of them. want is the
// number of reports expected, 0 when unknown; shards say it themselves. A missing one becomes an unreachable entry that
// names it. Reports of different locks, the same shard or server twice, and shards of different counts are errors.
func Merge(reports []*verify.Report, want int) (*verify.Report, error) {
	if len(reports) == 0 && want == 0 {
		return nil, errors.New("no report to merge")
	}
	out := &verify.Report{}
	seen := map[string]bool{}
	for _, r := range reports {
		if err := takeOver(out, r); err != nil {
			return nil, err
		}
		for _, s := range r.Servers {
			if seen[s.Name] {
				return nil, fmt.Errorf("server %s is in two reports", quoted(s.Name))
			}
			seen[s.Name] = true
			out.Servers = append(out.Servers, s)
		}
		for _, w := range r.Warnings {
			if !slices.Contains(out.Warnings, w) {
				out.Warnings = append(out.Warnings, w)
			}
		}
		out.Coverage = append(out.Coverage, r.Coverage...) // of the whole lock in each: Finish keeps every gap once
		if out.Review.Empty() {
			out.Review = r.Review
		}
		if out.Error == nil {
			out.Error = r.Error
		}
	}
	missing, err := missingShards(reports, want)
	if err != nil {
		return nil, err
	}
	for _, name := range missing {
		for seen[name] {
			name += " (no server)"
		}
		out.Servers = append(out.Servers, verify.Server{
			Name: name, Status: verify.Unreachable,
			Reason: &verify.Failure{
				Code: missingReport, Message: "the report of this shard is missing, so its servers could not be checked",
				Hint: "see whether its job failed before it could write the report, and whether the report was uploaded",
			},
		})
	}
	out.Finish()
	return out, nil
}

// takeOver takes over what all reports must agree on.
func takeOver(out, r *verify.Report) error {
	if out.Report == "" {
		out.Report, out.Version, out.Lock = r.Report, r.Version, r.Lock
	}
	if out.Version != r.Version {
		out.Version = ""
	}
	switch {
	case r.LockDigest.IsZero(): // that run could not read its lock, and says so in Error
	case out.LockDigest.IsZero():
		out.LockDigest, out.Lock = r.LockDigest, r.Lock
	case out.LockDigest != r.LockDigest:
		return fmt.Errorf("reports of different locks: %s and %s", out.LockDigest, r.LockDigest)
	}
	return nil
}

// missingShards names the shards that no report covers.
func missingShards(reports []*verify.Report, want int) ([]string, error) {
	total, have := want, map[int]bool{}
	for i, r := range reports {
		switch {
		case r.Shard == nil && (i == 0 || reports[0].Shard == nil):
			have[i+1] = true
		case r.Shard == nil || reports[0].Shard == nil:
			return nil, errors.New("reports of shards and of whole runs cannot be merged")
		case want != 0 && r.Shard.Count != want, r.Shard.Count != reports[0].Shard.Count:
			return nil, fmt.Errorf("a report of shard %d of %d among reports of %d", r.Shard.Index, r.Shard.Count, max(want, reports[0].Shard.Count))
		case have[r.Shard.Index]:
			return nil, fmt.Errorf("two reports of shard %d of %d", r.Shard.Index, r.Shard.Count)
		default:
			total, have[r.Shard.Index] = r.Shard.Count, true
		}
	}
	if want != 0 && len(reports) > want {
		return nil, fmt.Errorf("%d reports, want %d", len(reports), want)
	}
	if total > maxShards {
		return nil, fmt.Errorf("%d shards, more than %d", total, maxShards)
	}
	var out []string
	for i := 1; i <= total; i++ {
		if !have[i] {
			out = append(out, fmt.Sprintf("shard %d of %d", i, total))
		}
	}
	return out, nil
}
