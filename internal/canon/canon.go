// Package canon implements contractpin-canonical-json/1 (SPEC §3): a strict JSON parser over raw bytes and the one
// canonical form of what it read.
//
//	{ "b": 1.0, "a": "\u00e9" }   becomes   {"a":"é","b":1}
//
// Nothing is guessed: duplicate keys, bad UTF-8, lone surrogates, numbers that no double holds, bad grammar, anything
// after the value and more than MaxDepth levels are rejected with an *Error.
//
// # How it works
//
// A document is read once, from left to right, with an explicit stack. What is canonical already stays where it is; the
// first byte that is not starts a second buffer, the flat form, which holds the canonical tokens in the order of the
// source. Objects whose keys came unsorted are recorded, with the spans of their members. Writing then copies the flat
// form once, putting each recorded object in order on the way. Both passes are linear in size and in depth; only
// the sorting of an object's keys is not.
package canon

import "sync"

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 10_000

// maxSize bounds a document, in bytes. Spans have 32 bits, and canonical form can be longer than its source: 1e20 is a one
// with twenty zeros.
const maxSize = 512 << 20

// Append appends the canonical form of the one JSON value in src to dst.
// On error it returns dst unchanged in length and an *Error.
func Append(dst, src []byte) ([]byte, error) {
	r := readers.Get().(*Reader)
	defer readers.Put(r)
	defer r.Reset(nil, nil)
	r.Reset(src, nil)
	v, err := r.Value()
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return dst, err
	}
	return v.Append(dst), nil
}

var readers = sync.Pool{New: func() any { return new(Reader) }}
