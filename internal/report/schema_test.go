package report

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

func reportSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	s, err := c.Compile("../../schema/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchema_describesEveryReport(t *testing.T) {
	s := reportSchema(t)
	for name, r := range everyKind(t) {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchema_refusesOtherMembersAndKinds(t *testing.T) {
	s := reportSchema(t)
	good := asJSON(t, run(t, verify.Options{}, acme()))
	for path, value := range map[string]any{"extra": 1, "result": "fine", "exit_code": 3, "servers": map[string]any{}, "lock_digest": "sha256:00"} {
		var doc map[string]any
		if err := json.Unmarshal(good, &doc); err != nil {
			t.Fatal(err)
		}
		doc[path] = value
		if s.Validate(doc) == nil {
			t.Errorf("%s: %v is accepted", path, value)
		}
	}
}

// The schema names the labels; a new one must be added there, in its place.
func TestSchema_knowsEveryLabel(t *testing.T) {
	raw, err := os.ReadFile("../../schema/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs struct {
			Change struct {
				Properties struct {
					Labels struct{ Items struct{ Enum []string } }
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	labels := doc.Defs.Change.Properties.Labels.Items.Enum
	for i, l := range labels {
		if contract.LabelRank(l) != i {
			t.Errorf("label %d of the schema, %q, has rank %d", i, l, contract.LabelRank(l))
		}
	}
	if last := contract.LabelRank(contract.LabelSDK); last != len(labels)-1 {
		t.Errorf("%d labels in the schema, but the last one has rank %d", len(labels), last)
	}
}
