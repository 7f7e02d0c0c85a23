package run

import (
	"fmt"
	"testing"

	"github.com/contractpin/verify/internal/contract"
)

func TestSecrets_redactListingKeepsDigestsAndNames(t *testing.T) {
	const raw = `{"tools":[
		{"name":"clean","description":"nothing to hide","inputSchema":{"type":"object"}},
		{"name":"echo","description":"you are t0ken-0004","inputSchema":{"type":"object"}},
		{"name":"number","description":"n","inputSchema":{"const":4815162342}}]}`
	l, err := contract.ParseDump([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	var s Secrets
	s.Add("t0ken-0004")
	s.Add("4815162342")
	got := s.RedactListing(l)
	if got.Digest != l.Digest || len(got.Tools) != len(l.Tools) {
		t.Fatalf("digest %s with %d tools", got.Digest, len(got.Tools))
	}
	want := map[string]string{"clean": `"nothing to hide"`, "echo": `"you are ***"`, "number": "null"}
	for i := range got.Tools {
		tool := &got.Tools[i]
		if tool.Name != l.Tools[i].Name || tool.Pin.Digest != l.Tools[i].Pin.Digest {
			t.Errorf("tool %d became %s %s", i, tool.Name, tool.Pin.Digest)
		}
		if d := string(tool.Field(contract.FieldDescription)); d != want[tool.Name] {
			t.Errorf("description of %s: %s, want %s", tool.Name, d, want[tool.Name])
		}
	}
	if string(l.Tool("echo").Field(contract.FieldDescription)) != `"you are t0ken-0004"` {
		t.Error("the listing that was handed in was changed")
	}
}

func TestSecrets_redactListingWithoutSecretIsTheListing(t *testing.T) {
	l := &contract.Listing{Tools: []contract.Tool{{Name: "a", Contract: []byte(`{"name":"a"}`)}}}
	var s Secrets
	s.Add("t0ken-0004")
	if s.RedactListing(l) != l {
		t.Error("it was copied for nothing")
	}
}

func TestSecrets_hidesWhatIsAddedLater(t *testing.T) {
	var s Secrets
	const text = "a t0ken-0004 and a t0ken-0005"
	for _, c := range []struct{ add, want string }{
		{"", text}, {"t0ken-0004", "a *** and a t0ken-0005"}, {"t0ken-0004", "a *** and a t0ken-0005"}, {"t0ken-0005", "a *** and a ***"},
	} {
		s.Add(c.add)
		if got := s.Redact(text); got != c.want {
			t.Errorf("with %q: %q, want %q", c.add, got, c.want)
		}
	}
}

// Hundreds of secrets become known before the first text: what hides them is made once, not for each.
func TestSecrets_manyAreMadeIntoOneRedactor(t *testing.T) {
	var s Secrets
	for i := range 2000 {
		s.Add(fmt.Sprintf("secret-%04d", i))
		if s.redactor != nil {
			t.Fatalf("a redactor was made for secret %d, and no text had come", i)
		}
	}
	if got := s.Redact("secret-1999"); got != "***" {
		t.Error(got)
	}
	made := s.redactor
	s.Add("secret-0000")
	s.Redact("secret-0000")
	if s.redactor != made {
		t.Error("a value that was known made another redactor")
	}
}
