package contract

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fieldsOf is Fields of names and digested texts in turn.
func fieldsOf(pairs ...string) Fields {
	var f Fields
	for i := 0; i < len(pairs); i += 2 {
		f.Set(pairs[i], Sum([]byte(pairs[i+1])))
	}
	return f
}

func TestCompare_classifiesByName(t *testing.T) {
	sum := func(s string) Digest { return Sum([]byte(s)) }
	locked := Pins{
		"same":       {sum("1"), fieldsOf("name", "n")},
		"gone":       {sum("2"), fieldsOf("name", "n", "description", "d")},
		"moved":      {sum("3"), fieldsOf("name", "n", "description", "d", "annotations", "a", "inputSchema", "i")},
		"no-fields":  {sum("4"), Fields{}},
		"edited":     {sum("5"), fieldsOf("name", "n", "description", "d")},
		"wrong-pins": {sum("6"), fieldsOf("name", "bogus")},
	}
	live := Pins{
		"same":       {sum("1"), fieldsOf("name", "other")},
		"moved":      {sum("3'"), fieldsOf("name", "n", "description", "d'", "inputSchema", "i", "outputSchema", "o")},
		"no-fields":  {sum("4'"), fieldsOf("name", "n", "description", "d")},
		"edited":     {sum("5'"), fieldsOf("name", "n", "description", "d")},
		"wrong-pins": {sum("6"), fieldsOf("name", "n")},
		"new":        {sum("7"), fieldsOf("name", "n")},
	}
	want := []Change{
		{Tool: "edited", Kind: Drifted, Locked: sum("5"), Live: sum("5'"), FieldsUnknown: "edited", Fields: []FieldChange{
			{"description", Changed, Digest{}, sum("d")}, {"name", Changed, Digest{}, sum("n")}}},
		{Tool: "gone", Kind: Removed, Locked: sum("2"), Fields: []FieldChange{
			{"description", Removed, sum("d"), Digest{}}, {"name", Removed, sum("n"), Digest{}}}},
		{Tool: "moved", Kind: Drifted, Locked: sum("3"), Live: sum("3'"), Fields: []FieldChange{
			{"annotations", Removed, sum("a"), Digest{}},
			{"description", Changed, sum("d"), sum("d'")},
			{"outputSchema", Added, Digest{}, sum("o")}}},
		{Tool: "new", Kind: Added, Live: sum("7"), Fields: []FieldChange{{"name", Added, Digest{}, sum("n")}}},
		{Tool: "no-fields", Kind: Drifted, Locked: sum("4"), Live: sum("4'"), FieldsUnknown: "absent", Fields: []FieldChange{
			{"description", Changed, Digest{}, sum("d")}, {"name", Changed, Digest{}, sum("n")}}},
	}
	got, unchanged := Compare(locked, live)
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b Digest) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if unchanged != 2 {
		t.Errorf("%d unchanged, want 2: fields never change the verdict", unchanged)
	}
	if got, unchanged := Compare(live, live); len(got) > 0 || unchanged != 6 {
		t.Errorf("same pins: %v, %d", got, unchanged)
	}
	if got, unchanged := Compare(nil, nil); len(got) > 0 || unchanged != 0 {
		t.Errorf("no pins: %v, %d", got, unchanged)
	}
}
