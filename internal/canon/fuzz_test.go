package canon

import (
	"bytes"
	"testing"

	"github.com/gowebpki/jcs"
)

// FuzzAppend holds Append to three things on any input: it accepts what the independent implementation accepts and gives
// the same bytes; its output is its own canonical form; walking a document with a Reader comes to the same.
func FuzzAppend(f *testing.F) {
	for _, c := range readCases(f, testdata+"jcs-adversarial.json") {
		f.Add(unhex(f, c.Input))
	}
	for _, c := range readCases(f, testdata+"jcs-random-2000.json")[:200] {
		f.Add(unhex(f, c.Input))
	}
	for _, c := range rejections {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		got, err := Append(nil, src)
		if !bytes.Equal(src, before) {
			t.Fatal("the input was changed")
		}
		// nil means "no data" to the other implementation
		want, otherErr := jcs.Transform(append([]byte{}, src...))
		if (err == nil) != (otherErr == nil) {
			t.Fatalf("%q: we say %v, they say %v", src, err, otherErr)
		}
		walked, walkErr := walkAll(src)
		if (err == nil) != (walkErr == nil) {
			t.Fatalf("%q: Append says %v, Reader says %v", src, err, walkErr)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%q: we say %q, they say %q", src, got, want)
		}
		if !bytes.Equal(got, walked) {
			t.Fatalf("%q: Append says %q, Reader says %q", src, got, walked)
		}
		again, err := Append(nil, got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q: canonical form is not its own: %q, %v", got, again, err)
		}
	})
}

// walkAll is the canonical form of a document of which the two outer levels are walked, not read as one value.
func walkAll(src []byte) ([]byte, error) {
	var r Reader
	r.Reset(src, nil)
	var flat []byte
	value := func() error {
		v, err := r.Value()
		if err == nil {
			if was := len(flat); len(v.Append(flat)) != was+v.Len() {
				panic("Len is not the length of what is appended")
			}
			flat = v.Append(flat)
		}
		return err
	}
	level := func(inner func() error) func() error {
		return func() error {
			switch r.Kind() {
			case '{':
				flat = append(flat, '{')
				err := r.Object(func(key []byte) error {
					flat = append(AppendString(comma(flat), string(key)), ':')
					return inner()
				})
				flat = append(flat, '}')
				return err
			case '[':
				flat = append(flat, '[')
				err := r.Array(func(int) error {
					flat = comma(flat)
					return inner()
				})
				flat = append(flat, ']')
				return err
			}
			return inner()
		}
	}
	err := level(level(value))()
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, err
	}
	return Append(nil, flat)
}

func comma(b []byte) []byte {
	if c := b[len(b)-1]; c != '{' && c != '[' {
		b = append(b, ',')
	}
	return b
}
