// Command generate writes testdata/vectors.json (SPEC §7) to the file it is given.
//
// The cases are written by hand: inputs, canonical forms, kinds of rejection. Digests are those of the canonical forms
// as written here. generate fails where the implementation comes to anything else, so that it cannot record a mistake.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/contract/vectors"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		return 2
	}
	data, err := generate()
	if err == nil {
		err = os.WriteFile(args[0], data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		return 1
	}
	return 0
}

// vector is a case as a person writes it.
type vector struct {
	section, name, reason string

	// one of these is the input
	value   string // JSON text that any parser understands alike
	raw     string // text or bytes as they are
	tool    string // JSON text of a tool, to be projected
	listing string // JSON text of a tools/list result

	// and these the outcome
	canonical string
	fields    map[string]string // tool: the canonical form of each field
	tools     [][2]string       // listing: names as they stand in canonical form, and contracts, in canonical order
	rejected  string
}

// generate checks all cases and renders the file.
func generate() ([]byte, error) {
	f := vectors.File{Canonicalization: "contractpin-canonical-json/1"}
	for _, c := range slices.Concat(contractCases, orderCases, textCases, numberCases, rejectedCases, digestCases) {
		v, err := c.vector()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		f.Vectors = append(f.Vectors, v)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f); err != nil {
		return nil, err
	}
	return ascii(b.Bytes()), nil
}

// vector turns a case into what stands in the file, and holds the implementation to it.
func (c *vector) vector() (vectors.Vector, error) {
	v := vectors.Vector{Name: c.name, Section: c.section, Reason: c.reason, Project: c.tool != "", Listing: c.listing != ""}
	input := c.value + c.tool + c.listing
	switch {
	case input != "" && c.rejected == "":
		v.Input = json.RawMessage(input)
	case utf8.ValidString(c.raw + input):
		raw := c.raw + input
		v.Raw = &raw
	default:
		v.RawHex = hex.EncodeToString([]byte(c.raw))
	}
	v.Outcome = c.outcome()
	got, err := v.Answer()
	if err != nil {
		return v, err
	}
	if got.Canonical != v.Canonical || got.Digest != v.Digest || got.Rejected != v.Rejected || !maps.Equal(got.Fields, v.Fields) {
		return v, fmt.Errorf("the implementation says\n  %+v\nthe case says\n  %+v", got, v.Outcome)
	}
	return v, nil
}

func (c *vector) outcome() vectors.Outcome {
	if c.rejected != "" {
		return vectors.Outcome{Rejected: c.rejected}
	}
	canonical := c.canonical
	if c.listing != "" {
		var members []string
		for _, t := range c.tools {
			members = append(members, t[0]+`:"`+digest(t[1])+`"`)
		}
		canonical = "{" + strings.Join(members, ",") + "}"
	}
	o := vectors.Outcome{Canonical: canonical, Digest: digest(canonical)}
	if c.tool != "" {
		o.Fields = map[string]string{}
		for name, field := range c.fields {
			o.Fields[name] = digest(field)
		}
	}
	return o
}

func digest(canonical string) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(canonical)))
}

// ascii escapes everything else, which in JSON stands in strings only.
func ascii(data []byte) []byte {
	var b []byte
	for _, r := range string(data) {
		switch {
		case r < 0x7f:
			b = append(b, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return b
}
