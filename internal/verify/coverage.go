package verify

import (
	"cmp"
	"slices"
)

// Gap is one way in which the lock does not cover what a client's configuration names.
type Gap struct {
	Config   string  `json:"config"`           // the configuration, as the user named it
	Line     int     `json:"line,omitempty"`   // of the server in it, from 1
	Server   string  `json:"server,omitempty"` // as the configuration names it; "" for one that could not be read
	Kind     GapKind `json:"kind"`
	Message  string  `json:"message"`
	Required bool    `json:"required"` // it fails the run, as --require-pinned asks
}

// GapKind says in what the lock falls short.
type GapKind string

// The kinds of gaps. All but Unversioned can be required to be closed.
const (
	NotPinned     GapKind = "not-pinned"     // a client starts it, and the lock does not pin it
	Differs       GapKind = "differs"        // the lock launches it otherwise than the client
	Unversioned   GapKind = "unversioned"    // what a client fetches can change from one start to the next
	NotComparable GapKind = "not-comparable" // pinned, but the client's entry could not stand in a lock
	Unreadable    GapKind = "unreadable"     // the configuration could not be read
)

// CanFail tells whether a gap of this kind fails a run that wants everything pinned.
func (k GapKind) CanFail() bool { return k != Unversioned }

// CompareGaps orders gaps by configuration, server and kind.
func CompareGaps(a, b Gap) int {
	return cmp.Or(cmp.Compare(a.Config, b.Config), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Line, b.Line), cmp.Compare(a.Message, b.Message))
}

// Uncovered counts the gaps that fail the run.
func (r *Report) Uncovered() int {
	n := 0
	for i := range r.Coverage {
		if r.Coverage[i].Required {
			n++
		}
	}
	return n
}

// sortCoverage brings the gaps into order, each once: required where any report says so.
func (r *Report) sortCoverage() {
	slices.SortFunc(r.Coverage, func(a, b Gap) int {
		c := CompareGaps(a, b)
		if c == 0 && a.Required != b.Required {
			c = 1
			if a.Required {
				c = -1
			}
		}
		return c
	})
	r.Coverage = slices.CompactFunc(r.Coverage, func(a, b Gap) bool { return CompareGaps(a, b) == 0 })
}
