package vectors

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/gowebpki/jcs"
)

const path = "../../../testdata/vectors.json"

func load(t *testing.T) *File {
	t.Helper()
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestVectors_areReproduced(t *testing.T) {
	for _, v := range load(t).Vectors {
		got, err := v.Answer()
		if err != nil || got.Canonical != v.Canonical || got.Digest != v.Digest || got.Rejected != v.Rejected || !maps.Equal(got.Fields, v.Fields) {
			t.Errorf("%s: got %+v, %v; want %+v", v.Name, got, err, v.Outcome)
		}
	}
}

// The vectors of plain canonicalization hold for an implementation that is not ours.
func TestVectors_areReproducedByAnotherImplementation(t *testing.T) {
	for _, v := range load(t).Vectors {
		if v.Project || v.Listing {
			continue
		}
		src, err := v.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		got, err := jcs.Transform(append([]byte{}, src...))
		if (err != nil) != (v.Rejected != "") || string(got) != v.Canonical {
			t.Errorf("%s: got %q, %v; want %+v", v.Name, got, err, v.Outcome)
		}
	}
}

func TestVectors_coverTheSpecification(t *testing.T) {
	f := load(t)
	if f.Canonicalization != "contractpin-canonical-json/1" {
		t.Error(f.Canonicalization)
	}
	if len(f.Vectors) < 60 {
		t.Errorf("%d vectors", len(f.Vectors))
	}
	names, sections := map[string]bool{}, map[string]bool{}
	for _, v := range f.Vectors {
		if names[v.Name] {
			t.Errorf("two vectors are named %s", v.Name)
		}
		names[v.Name], sections[v.Section] = true, true
		if v.Name == "" || v.Reason == "" || (v.Digest == "") == (v.Rejected == "") {
			t.Errorf("incomplete: %+v", v)
		}
	}
	if !names["key-order-utf16"] {
		t.Error("no vector key-order-utf16, which SPEC §3.3 names")
	}
	want := []string{"2", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "4", "4.1", "4.2", "4.3", "4.4"}
	if got := slices.Sorted(maps.Keys(sections)); !slices.Equal(got, want) {
		t.Errorf("sections %v, want %v", got, want)
	}
}

func TestVectors_fileIsASCII(t *testing.T) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range data {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("byte %d is %#x", i, c)
		}
	}
}
