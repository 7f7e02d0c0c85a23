// Package contract implements the contract object and its digests (SPEC §2, §4): what of a tool is pinned, and how two
// sets of pins compare.
package contract

//go:generate go run ./vectors/generate ../../testdata/vectors.json

// Field names, in the order in which canonical form puts them.
const (
	FieldAnnotations  = "annotations"
	FieldDescription  = "description"
	FieldInputSchema  = "inputSchema"
	FieldName         = "name"
	FieldOutputSchema = "outputSchema"
)

// fields describes the contract object (SPEC §2), in canonical order. A required field that a tool lacks is null; an
// optional one that it lacks, or that is null, is left out.
var fields = [...]struct {
	name     string
	key      string // as it stands in the canonical object
	required bool
}{
	{FieldAnnotations, `"annotations":`, false},
	{FieldDescription, `"description":`, true},
	{FieldInputSchema, `"inputSchema":`, true},
	{FieldName, `"name":`, true},
	{FieldOutputSchema, `"outputSchema":`, false},
}

// fieldIndex is where a field stands in fields; -1 for any other name. Names are exact: no case folding.
func fieldIndex(name string) int {
	switch name {
	case FieldAnnotations:
		return 0
	case FieldDescription:
		return 1
	case FieldInputSchema:
		return 2
	case FieldName:
		return 3
	case FieldOutputSchema:
		return 4
	}
	return -1
}

func pinned(key []byte) bool { return fieldIndex(string(key)) >= 0 }
