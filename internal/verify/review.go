package verify

import (
	"maps"
	"slices"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
)

// Review is what one lock changes against another: a renewal, or a pull request's edit of the lock.
type Review struct {
	Base    string         `json:"base,omitempty"` // what Old is: a commit or a file name
	Head    string         `json:"head,omitempty"`
	Servers []ServerReview `json:"servers"` // only those that differ, sorted by name
	// Warnings say what could not be compared (no contracts file, base lock unreadable …).
	Warnings []string `json:"warnings,omitempty"`
}

// ServerReview is one server whose entry in the lock differs.
type ServerReview struct {
	Name    string             `json:"name"`
	Kind    string             `json:"kind"` // contract.Added, Removed or Changed
	Line    int                `json:"line,omitempty"`
	Launch  []lock.LaunchField `json:"launch,omitempty"`
	Old     *Side              `json:"old,omitempty"`
	New     *Side              `json:"new,omitempty"`
	Counts  Counts             `json:"counts"`
	Changes []Change           `json:"changes,omitempty"`
	// Live is the status of this run's check against the new pins; "" where none was made.
	Live Status `json:"live,omitempty"`
}

// ReviewLocks compares two locks. The contracts may be nil.
func ReviewLocks(old, new *lock.Lock, oldTexts, newTexts *lock.Contracts) *Review {
	r := &Review{Servers: []ServerReview{}}
	names := map[string]bool{}
	for n := range old.Servers {
		names[n] = true
	}
	for n := range new.Servers {
		names[n] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s := reviewServer(name, old.Servers[name], new.Servers[name], oldTexts, newTexts)
		if s.Kind != contract.Changed || len(s.Launch) > 0 || len(s.Changes) > 0 {
			r.Servers = append(r.Servers, s)
		}
	}
	return r
}

// Empty tells whether the two locks pin the same contracts of servers that are launched the same way.
func (r *Review) Empty() bool { return r == nil || len(r.Servers) == 0 }

func reviewServer(name string, old, new *lock.Server, oldTexts, newTexts *lock.Contracts) ServerReview {
	out := ServerReview{Name: name, Kind: contract.Changed}
	var was, is contract.Pins
	switch {
	case old == nil:
		out.Kind = contract.Added
		old = &lock.Server{}
	case new == nil:
		out.Kind = contract.Removed
		new = &lock.Server{}
	}
	out.Launch = lock.LaunchChanges(old, new)
	was, is = old.Tools, new.Tools
	out.Line = new.Line
	if out.Kind != contract.Added {
		out.Old = &Side{Digest: old.Digest, ToolCount: len(was)}
	}
	if out.Kind != contract.Removed {
		out.New = &Side{Digest: new.Digest, ToolCount: len(is)}
	}
	changes, unchanged := contract.Compare(was, is)
	out.Counts.Unchanged = unchanged
	pinned := func(n string) bool { _, ok := is[n]; return ok }
	for _, c := range changes {
		ch := describe(c, oldTexts.Tool(name, c.Tool), newTexts.Tool(name, c.Tool), pinned)
		ch.Line = new.ToolLines[c.Tool]
		out.Counts.add(c.Kind)
		out.Changes = append(out.Changes, ch)
	}
	return out
}
