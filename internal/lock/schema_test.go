package lock

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "schema", name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestSchema_takesWhatWeWrite(t *testing.T) {
	s := schema(t, "lock.schema.json")
	for _, l := range []*Lock{sample(t), {}} {
		if err := validate(t, s, l.Encode()); err != nil {
			t.Error(err)
		}
	}
	_, c := pinnedLock(t)
	s = schema(t, "contracts.schema.json")
	for _, c := range []*Contracts{c, {}} {
		if err := validate(t, s, c.Encode()); err != nil {
			t.Error(err)
		}
	}
}

// The schema and the reader agree on every fault of shape, and the schema finds none where the reader's is of another kind.
func TestSchema_refusesBadShapes(t *testing.T) {
	s := schema(t, "lock.schema.json")
	refused := 0
	for _, bad := range badLocks(t) {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(bad.data))
		if err != nil {
			if bad.shape {
				t.Errorf("%s: is no JSON: %v", bad.name, err)
			}
			continue
		}
		if err := s.Validate(v); (err != nil) != bad.shape {
			t.Errorf("%s: the schema says %v", bad.name, err)
		} else if err != nil {
			refused++
		}
	}
	if refused < 40 {
		t.Errorf("only %d bad shapes were refused", refused)
	}
}

// What the reader takes the schema takes too: every variant that says the same.
func TestSchema_takesWhatTheReaderTakes(t *testing.T) {
	s := schema(t, "lock.schema.json")
	for name, data := range variants(t) {
		if err := validate(t, s, []byte(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
