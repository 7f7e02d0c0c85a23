package contract

import (
	"slices"
	"strings"
)

// Kinds of a change of a tool and of a field.
const (
	Drifted = "drifted" // tool
	Added   = "added"   // tool, field
	Removed = "removed" // tool, field
	Changed = "changed" // field
)

// Change is one tool that differs between two sets of pins.
type Change struct {
	Tool         string
	Kind         string // Drifted, Added, Removed
	Locked, Live Digest // zero on the side that has none
	// Fields are sorted by name. For Added and Removed tools they are the fields of the one side.
	Fields []FieldChange
	// FieldsUnknown says why a drifted tool lists every live field without Locked: "" (it does not), "absent" (the
	// locked pin has no fields) or "edited" (its fields all agree with the live ones although the digest differs).
	FieldsUnknown string
}

// FieldChange is one field of a changed tool.
type FieldChange struct {
	Field        string
	Kind         string // Changed, Added, Removed
	Locked, Live Digest
}

// Compare classifies every tool by name (SPEC §6.3). Changes are sorted by tool name.
func Compare(locked, live Pins) (changes []Change, unchanged int) {
	for name, was := range locked {
		switch is, ok := live[name]; {
		case !ok:
			changes = append(changes, Change{
				Tool: name, Kind: Removed, Locked: was.Digest, Fields: compareFields(was.Fields, Fields{}),
			})
		case was.Digest != is.Digest:
			changes = append(changes, drift(name, was, is))
		default:
			unchanged++
		}
	}
	for name, is := range live {
		if _, ok := locked[name]; !ok {
			changes = append(changes, Change{
				Tool: name, Kind: Added, Live: is.Digest, Fields: compareFields(Fields{}, is.Fields),
			})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Tool, b.Tool) })
	return changes, unchanged
}

// drift says which fields of a tool moved, or all live ones where the locked field digests cannot tell.
func drift(name string, was, is Pin) Change {
	c := Change{Tool: name, Kind: Drifted, Locked: was.Digest, Live: is.Digest}
	none := Fields{}
	switch {
	case was.Fields == none || is.Fields == none:
		c.FieldsUnknown = "absent"
	case was.Fields == is.Fields:
		c.FieldsUnknown = "edited"
	default:
		c.Fields = compareFields(was.Fields, is.Fields)
		return c
	}
	for name, d := range is.Fields.All() {
		c.Fields = append(c.Fields, FieldChange{Field: name, Kind: Changed, Live: d})
	}
	return c
}

func compareFields(was, is Fields) []FieldChange {
	var out []FieldChange
	for i, f := range fields {
		c := FieldChange{Field: f.name, Locked: was.of[i], Live: is.of[i]}
		switch {
		case c.Locked == c.Live:
			continue
		case c.Locked.IsZero():
			c.Kind = Added
		case c.Live.IsZero():
			c.Kind = Removed
		default:
			c.Kind = Changed
		}
		out = append(out, c)
	}
	return out
}
