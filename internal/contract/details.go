package contract

import (
	"bytes"
	"strconv"
)

// Kinds of a Detail.
const (
	DetailText    = "text"    // a text that changed: Old, New, Diff, Words
	DetailAdded   = "added"   // a value at Pointer that was not there: New
	DetailRemoved = "removed" // a value at Pointer that is gone: Old
	DetailChanged = "changed" // a value at Pointer that differs: Old, New; for long texts Diff and Words too
	DetailMoved   = "moved"   // an array at Pointer with the same members in another order: Old, New
	DetailServed  = "served"  // the value as served now, where the old one is not known: New
	DetailPinned  = "pinned"  // the value as it was pinned, where the new one is not known: Old
	DetailMore    = "more"    // New is the number of details left out
)

// Limits that keep the details of a hostile change small.
const (
	MaxDetails = 500       // of one field; what is beyond is counted in a DetailMore
	MaxValue   = 256 << 10 // bytes of Old and of New
	maxWalked  = 2 << 20   // bytes of both values; larger ones are shown as one change
	maxDepth   = 100       // levels; what is deeper is shown as one change
)

// Detail is one readable piece of a field's change. Old and New are as served: escape them before showing.
type Detail struct {
	Kind    string `json:"kind"`
	Pointer string `json:"pointer,omitempty"` // JSON Pointer inside the field; absent: the whole field
	Old     string `json:"old,omitempty"`     // a text as it is where Kind is DetailText, else canonical JSON
	New     string `json:"new,omitempty"`     // likewise; for DetailServed and DetailPinned of a JSON string the text itself
	Cut     bool   `json:"cut,omitempty"`     // Old or New is longer than MaxValue and was cut
	// Diff is a unified diff by lines (hunks only) of the two texts, escaped as by visible.Text; long lines are cut to
	// windows around what differs.
	Diff string `json:"diff,omitempty"`
	// Words are the two texts in one sequence, escaped as by visible.Text.
	Words []Word `json:"words,omitempty"`
}

// Word is a run of words with what became of it.
type Word struct {
	Op   string `json:"op"` // "same", "old", "new", or "skip" for a part that is the same in both and left out
	Text string `json:"text,omitempty"`
}

// Describe says how one field changed. old and new are canonical bytes, nil where the field is not there. known tells
// whether both sides are known: where it is false, nil means "not known".
func Describe(old, new []byte, known bool) []Detail {
	switch {
	case old == nil && new == nil:
		return nil
	case old == nil && known:
		return one(Detail{Kind: DetailAdded, New: string(new)})
	case old == nil:
		return one(Detail{Kind: DetailServed, New: textOf(new)})
	case new == nil && known:
		return one(Detail{Kind: DetailRemoved, Old: string(old)})
	case new == nil:
		return one(Detail{Kind: DetailPinned, Old: textOf(old)})
	case bytes.Equal(old, new):
		return nil
	case isString(old) && isString(new):
		d := Detail{Kind: DetailText, Old: textOf(old), New: textOf(new)}
		d.compareTexts(d.Old, d.New)
		return one(d)
	case len(old)+len(new) > maxWalked:
		return one(Detail{Kind: DetailChanged, Old: string(old), New: string(new)})
	}
	return describeJSON(old, new)
}

func one(d Detail) []Detail { return []Detail{d.bounded()} }

func (d Detail) bounded() Detail {
	if len(d.Old) > MaxValue {
		d.Old, d.Cut = validPrefix(d.Old, MaxValue), true
	}
	if len(d.New) > MaxValue {
		d.New, d.Cut = validPrefix(d.New, MaxValue), true
	}
	return d
}

// more bounds a list of details.
func more(ds []Detail) []Detail {
	if len(ds) <= MaxDetails {
		return ds
	}
	left := len(ds) - MaxDetails
	return append(ds[:MaxDetails:MaxDetails], Detail{Kind: DetailMore, New: strconv.Itoa(left)})
}
