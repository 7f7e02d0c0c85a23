// Package vectors reads testdata/vectors.json, the conformance suite of SPEC §7, and answers its vectors with this
// implementation.
//
// The file is an object: canonicalization is the format's identifier, vectors an array of objects with these members:
//
//	name       unique, kebab-case
//	section    the rule of the specification that the vector pins, such as "3.3"
//	reason     what it pins, in a sentence
//	project    true: the input is a tool, to be projected onto the contract object first (§2)
//	listing    true: the input is a tools/list result; canonical is the object of its tool digests (§4.3)
//	input      the input as a JSON value; or, where that cannot carry it,
//	raw        the input's text, to be encoded as UTF-8; or
//	raw_hex    the input's bytes
//	canonical  the canonical form
//	digest     "sha256:" and the SHA-256 of the canonical form
//	fields     with project: the field digests by name (§4.2)
//	rejected   instead of canonical and digest: why the input has to be rejected, one of the kinds below
//
// Everything in the file is ASCII; other characters stand there as \u escapes.
package vectors

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/contract"
)

// File is the whole of vectors.json.
type File struct {
	Canonicalization string   `json:"canonicalization"`
	Vectors          []Vector `json:"vectors"`
}

// Vector is one input with its outcome.
type Vector struct {
	Name    string          `json:"name"`
	Section string          `json:"section"`
	Reason  string          `json:"reason"`
	Project bool            `json:"project"`
	Listing bool            `json:"listing,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Raw     *string         `json:"raw,omitempty"`
	RawHex  string          `json:"raw_hex,omitempty"`
	Outcome
}

// Outcome is what an implementation makes of an input: canonical form and digest, or Rejected.
type Outcome struct {
	Canonical string            `json:"canonical,omitempty"`
	Digest    string            `json:"digest,omitempty"`
	Fields    map[string]string `json:"fields,omitempty"`
	Rejected  string            `json:"rejected,omitempty"`
}

// Kinds of rejection.
const (
	Syntax        = "syntax"         // no JSON text by its grammar
	TrailingData  = "trailing-data"  // more than white space after the value
	DuplicateKey  = "duplicate-key"  // two equal keys in one object
	InvalidUTF8   = "invalid-utf-8"  // bytes that are no UTF-8
	LoneSurrogate = "lone-surrogate" // half of a \u surrogate pair
	NumberRange   = "number-range"   // a number beyond the largest double
	TooDeep       = "too-deep"       // more than 10,000 levels
	NotATool      = "not-a-tool"     // project: no object with a string for its name
	NotAListing   = "not-a-listing"  // listing: no complete tools/list result
	DuplicateTool = "duplicate-tool" // listing: two tools of one name
)

// Load reads the file at path.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Bytes is the vector's input.
func (v *Vector) Bytes() ([]byte, error) {
	switch {
	case v.Raw != nil:
		return []byte(*v.Raw), nil
	case v.RawHex != "":
		return hex.DecodeString(v.RawHex)
	}
	return v.Input, nil
}

// Answer is what this implementation makes of the vector.
func (v *Vector) Answer() (Outcome, error) {
	src, err := v.Bytes()
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", v.Name, err)
	}
	switch {
	case v.Project:
		return answerTool(src)
	case v.Listing:
		return answerListing(src)
	}
	out, err := canon.Append(nil, src)
	if err != nil {
		return reject(err)
	}
	return accept(string(out)), nil
}

func accept(canonical string) Outcome {
	return Outcome{Canonical: canonical, Digest: contract.Sum([]byte(canonical)).String()}
}

func answerTool(src []byte) (Outcome, error) {
	t, err := contract.ParseTool(src)
	if err != nil {
		return reject(err)
	}
	o := Outcome{Canonical: string(t.Contract), Digest: t.Pin.Digest.String(), Fields: map[string]string{}}
	for name, d := range t.Pin.Fields.All() {
		o.Fields[name] = d.String()
	}
	return o, nil
}

func answerListing(src []byte) (Outcome, error) {
	page, err := contract.ParsePage(src)
	if err != nil {
		return reject(err)
	}
	l, err := contract.Join([]*contract.Page{page})
	if err != nil {
		return reject(err)
	}
	digests := map[string]string{}
	for _, t := range l.Tools {
		digests[t.Name] = t.Pin.Digest.String()
	}
	object, err := json.Marshal(digests)
	if err != nil {
		return Outcome{}, err
	}
	canonical, err := canon.Append(nil, object)
	return Outcome{Canonical: string(canonical), Digest: l.Digest.String()}, err
}

// reject names the kind of an error of ours.
func reject(err error) (Outcome, error) {
	if m := (*contract.Malformed)(nil); errors.As(err, &m) {
		switch {
		case m.Code == contract.CodeDuplicateTool:
			return Outcome{Rejected: DuplicateTool}, nil
		case m.Code == contract.CodeNotAListing && strings.HasPrefix(m.Message, "the tool "):
			return Outcome{Rejected: NotATool}, nil
		case m.Code == contract.CodeNotAListing:
			return Outcome{Rejected: NotAListing}, nil
		}
	}
	for _, k := range []struct{ part, kind string }{
		{"unexpected data after the value", TrailingData},
		{"duplicate key", DuplicateKey},
		{"invalid UTF-8", InvalidUTF8},
		{"lone surrogate", LoneSurrogate},
		{"too large for a double", NumberRange},
		{"nested deeper", TooDeep},
	} {
		if strings.Contains(err.Error(), k.part) {
			return Outcome{Rejected: k.kind}, nil
		}
	}
	return Outcome{Rejected: Syntax}, nil
}
