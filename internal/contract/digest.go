package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/contractpin/verify/internal/canon"
)

// Digest is a SHA-256 digest in the form of SPEC §4.1. It is made only by Sum and ParseDigest and compared with ==.
// The zero Digest stands for "none".
type Digest struct {
	sum [sha256.Size]byte
	set bool
}

const (
	digestPrefix = "sha256:"
	digestLen    = len(digestPrefix) + 2*sha256.Size
)

// Sum digests canonical bytes.
func Sum(canonical []byte) Digest { return Digest{sha256.Sum256(canonical), true} }

// ParseDigest reads "sha256:" and 64 lowercase hex digits, and nothing else. It does not allocate: a large lock has half a
// million digests.
func ParseDigest(s string) (Digest, error) {
	d := Digest{set: true}
	ok := len(s) == digestLen && s[:len(digestPrefix)] == digestPrefix
	for i := 0; ok && i < len(d.sum); i++ {
		at := len(digestPrefix) + 2*i
		high, low := nibble(s[at]), nibble(s[at+1])
		ok = high < 16 && low < 16
		d.sum[i] = high<<4 | low
	}
	if !ok {
		return Digest{}, fmt.Errorf("malformed digest %s", strconv.QuoteToASCII(s[:min(len(s), 100)]))
	}
	return d, nil
}

// nibble is the value of a lowercase hex digit, 255 for any other byte.
func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

// String is the digest as SPEC §4.1 writes it; "" for the zero Digest.
func (d Digest) String() string {
	b, _ := d.AppendText(make([]byte, 0, digestLen))
	return string(b)
}

// AppendText appends what String returns.
func (d Digest) AppendText(dst []byte) ([]byte, error) {
	if !d.set {
		return dst, nil
	}
	return hex.AppendEncode(append(dst, digestPrefix...), d.sum[:]), nil
}

// Short is the first six hex digits; "" for the zero Digest.
func (d Digest) Short() string {
	if !d.set {
		return ""
	}
	return hex.EncodeToString(d.sum[:3])
}

// IsZero tells whether d stands for "none".
func (d Digest) IsZero() bool { return !d.set }

// MarshalText makes a Digest a JSON string, "" for the zero Digest.
func (d Digest) MarshalText() ([]byte, error) { return d.AppendText(make([]byte, 0, digestLen)) }

// UnmarshalText reads what MarshalText writes.
func (d *Digest) UnmarshalText(text []byte) (err error) {
	*d = Digest{}
	if len(text) > 0 {
		*d, err = ParseDigest(string(text))
	}
	return err
}

// Pin is a tool's digest with its field digests, which are advisory (SPEC §4.2).
type Pin struct {
	Digest Digest
	Fields Fields
}

// Fields are the digests of a contract's fields. The zero Fields hold none; two are compared with ==.
type Fields struct{ of [len(fields)]Digest }

// Get returns the digest of a field; the zero Digest where there is none.
func (f *Fields) Get(name string) Digest {
	if i := fieldIndex(name); i >= 0 {
		return f.of[i]
	}
	return Digest{}
}

// Set gives a field its digest, and does nothing for a name that no field has.
func (f *Fields) Set(name string, d Digest) {
	if i := fieldIndex(name); i >= 0 {
		f.of[i] = d
	}
}

// All yields the fields that have a digest, sorted by name.
func (f *Fields) All() iter.Seq2[string, Digest] {
	return func(yield func(string, Digest) bool) {
		for i, d := range f.of {
			if d.set && !yield(fields[i].name, d) {
				return
			}
		}
	}
}

// Len is how many fields have a digest.
func (f *Fields) Len() (n int) {
	for range f.All() {
		n++
	}
	return n
}

// Pins maps tool names to their pins.
type Pins map[string]Pin

// Digest is the server digest (SPEC §4.3).
func (p Pins) Digest() Digest {
	tools := make([]namedDigest, 0, len(p))
	for name, pin := range p {
		tools = append(tools, namedDigest{name, pin.Digest})
	}
	return serverDigest(tools)
}

type namedDigest struct {
	name   string
	digest Digest
}

// serverDigest digests the canonical object of all tool digests. It reorders tools.
func serverDigest(tools []namedDigest) Digest {
	slices.SortFunc(tools, func(a, b namedDigest) int { return canon.CompareKeys(a.name, b.name) })
	h := sha256.New()
	b := []byte{'{'}
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = canon.AppendString(b, t.name)
		b = append(b, `:"`...)
		b, _ = t.digest.AppendText(b)
		b = append(b, '"')
		if len(b) > 1<<12 {
			h.Write(b)
			b = b[:0]
		}
	}
	h.Write(append(b, '}'))
	d := Digest{set: true}
	h.Sum(d.sum[:0])
	return d
}
