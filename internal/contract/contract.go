// Package contract implements the contract object and its digests (SPEC §2, §4): what of a tool is pinned, and how two
// sets of pins compare.
package contract

// Field names, in the order in which canonical form puts them.
const (
	FieldAnnotations  = "annotations"
	FieldDescription  = "description"
	FieldInputSchema  = "inputSchema"
	FieldName         = "name"
	FieldOutputSchema = "outputSchema"
)

// Digest is a SHA-256 digest in the form of SPEC §4.1. It is made only by Sum and ParseDigest and compared with ==.
// The zero Digest stands for "none".
type Digest struct {
	sum [32]byte
	set bool
}

// Sum digests canonical bytes.
func Sum(canonical []byte) Digest { panic("being written") }

// ParseDigest reads "sha256:" and 64 lowercase hex digits, and nothing else.
func ParseDigest(s string) (Digest, error) { panic("being written") }

func (d Digest) String() string { panic("being written") } // "" for the zero Digest
func (d Digest) Short() string  { panic("being written") } // the first six hex digits
func (d Digest) IsZero() bool   { return !d.set }

// MarshalText and UnmarshalText make a Digest a JSON string.
func (d Digest) MarshalText() ([]byte, error)     { panic("being written") }
func (d *Digest) UnmarshalText(text []byte) error { panic("being written") }

// Pin is a tool's digest with its field digests. Fields may be nil: they are advisory (SPEC §4.2).
type Pin struct {
	Digest Digest
	Fields map[string]Digest
}

// Pins maps tool names to their pins.
type Pins map[string]Pin

// Digest is the server digest (SPEC §4.3).
func (p Pins) Digest() Digest { panic("being written") }

// Tool is one tool of a listing: its name, the canonical bytes of its contract, and its pin.
type Tool struct {
	Name     string
	Contract []byte // canonical contract object; read only
	Pin      Pin
	// unexported: spans of the fields in Contract
}

// Field returns the canonical bytes of one field of the contract, or nil where the contract has no such field.
func (t *Tool) Field(name string) []byte { panic("being written") }

// ParseTool reads one raw tool object (of a listing or of the contracts file).
func ParseTool(raw []byte) (*Tool, error) { panic("being written") }

// Listing is what tools/list returned, all pages joined: tools sorted by name (as Go strings compare).
type Listing struct {
	Tools   []Tool
	Digest  Digest
	Rounded []Place // integer literals that a double cannot hold, pinned rounded (SPEC §3.6)
}

// Place is a spot inside a tool's contract.
type Place struct {
	Tool    string
	Pointer string // JSON Pointer into the contract object
	Literal string // as served, at most 64 bytes
}

func (l *Listing) Pins() Pins             { panic("being written") }
func (l *Listing) Tool(name string) *Tool { panic("being written") } // nil where there is none

// Page is one tools/list result.
type Page struct {
	Tools   []Tool
	Next    *string // nextCursor; nil when absent or null
	Bytes   int     // length of the raw result
	Rounded []Place
}

// Malformed is the error of a listing that is no valid listing.
type Malformed struct {
	Code    string // kebab-case, stable: "syntax", "not-a-listing", "duplicate-tool", "incomplete", "rpc-error" …
	Message string
}

func (e *Malformed) Error() string { return e.Message }

// ParsePage reads the raw result of one tools/list call. Errors are *Malformed.
func ParsePage(raw []byte) (*Page, error) { panic("being written") }

// Join makes a listing of all pages. Two tools of one name are *Malformed with Code "duplicate-tool".
func Join(pages []*Page) (*Listing, error) { panic("being written") }

// ParseDump reads a tools/list result, a JSON-RPC response that holds one, or a bare array of tools (design: transport
// "file"). A dump with a nextCursor is *Malformed with Code "incomplete".
func ParseDump(raw []byte) (*Listing, error) { panic("being written") }

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
func Compare(locked, live Pins) (changes []Change, unchanged int) { panic("being written") }
