package contract

// Detail is one readable piece of a field's change.
type Detail struct {
	// Kind is "text" (Diff, Old, New), "served" (only New: the old text is not known), "pinned" (only Old), or for
	// schemas and annotations "added", "removed", "changed", "moved" at Pointer.
	Kind    string `json:"kind"`
	Pointer string `json:"pointer,omitempty"` // JSON Pointer inside the field; absent: the whole field
	Old     string `json:"old,omitempty"`     // text of a string field, else canonical JSON
	New     string `json:"new,omitempty"`
	Diff    string `json:"diff,omitempty"` // unified diff by lines, hunks only, invisible characters as \u{202E}
	// Spans of words that differ within changed lines could go here too.
}

// Describe says how one field changed. old and new are canonical bytes; nil is "not there" when known is true, and
// "not known" for old when known is false.
func Describe(field string, old, new []byte, known bool) []Detail { panic("being written") }

// Label is a plain word about a change, with one line that explains it.
type Label struct{ Name, Explanation string }

// Labels names what kind of change a tool went through. old and new may be nil. tools are the names of all pinned tools.
func Labels(old, new *Tool, tools func(name string) bool) []string { panic("being written") }

// Explain returns the one-line explanation of a label.
func Explain(label string) string { panic("being written") }
