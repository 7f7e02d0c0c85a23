package report

import (
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// reviewVerdict is the first line of a review.
func reviewVerdict(r *verify.Review) string {
	if r.Empty() {
		return "same: both locks pin the same contracts of the same servers"
	}
	return "different: " + strings.Join(reviewParts(r), "; ")
}

// reviewParts words what a lock changes, the gravest first.
func reviewParts(r *verify.Review) []string {
	var started, added, removed int
	var c verify.Counts
	for i := range r.Servers {
		s := &r.Servers[i]
		switch {
		case s.Kind == contract.Added:
			added++
		case s.Kind == contract.Removed:
			removed++
		default:
			if len(s.Launch) > 0 {
				started++
			}
			c.Drifted += s.Counts.Drifted
			c.Added += s.Counts.Added
			c.Removed += s.Counts.Removed
		}
	}
	var parts []string
	if started > 0 {
		parts = append(parts, count(started, "server")+as(started, " is", " are")+" started in another way")
	}
	if c.Drifted+c.Added+c.Removed > 0 {
		parts = append(parts, strings.Replace(changed(c), "drifted", "pinned anew", 1))
	}
	if added > 0 {
		parts = append(parts, count(added, "server")+" added")
	}
	if removed > 0 {
		parts = append(parts, count(removed, "server")+" removed")
	}
	return parts
}

// reviewOrder puts servers that are started in another way first, then new ones.
func reviewOrder(r *verify.Review) []*verify.ServerReview {
	out := make([]*verify.ServerReview, len(r.Servers))
	for i := range r.Servers {
		out[i] = &r.Servers[i]
	}
	rank := func(s *verify.ServerReview) int {
		switch {
		case s.Kind == contract.Changed && len(s.Launch) > 0:
			return 0
		case s.Kind == contract.Added:
			return 2
		case s.Kind == contract.Removed:
			return 3
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b *verify.ServerReview) int { return rank(a) - rank(b) })
	return out
}

// reviewOutcome words what a lock does to one server.
func reviewOutcome(s *verify.ServerReview) string {
	switch s.Kind {
	case contract.Added:
		return "new server, " + count(s.Counts.Added, "tool")
	case contract.Removed:
		return "no longer pinned, " + count(s.Counts.Removed, "tool")
	}
	var parts []string
	if len(s.Launch) > 0 {
		parts = append(parts, "started in another way")
	}
	if len(s.Changes) > 0 {
		parts = append(parts, strings.Replace(changed(s.Counts), "drifted", "pinned anew", 1))
	}
	return strings.Join(parts, "; ")
}

// agreement says whether the live server serves what is newly pinned.
func agreement(live verify.Status) string {
	switch live {
	case "":
		return ""
	case verify.Match:
		return "The live server serves exactly what is pinned now."
	case verify.Drift:
		return "The live server serves something else than what is pinned now."
	}
	return "Whether the live server serves this could not be checked."
}
