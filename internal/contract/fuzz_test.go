package contract

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gowebpki/jcs"
)

// FuzzParseDump holds accepted listings to what two other parsers make of them: encoding/json takes the tools apart,
// the independent implementation puts their contracts into canonical form.
func FuzzParseDump(f *testing.F) {
	for _, c := range oddListings {
		if len(c.listing) < 1000 {
			f.Add([]byte(c.listing))
		}
	}
	for _, dump := range []string{
		`[{"name":"b","inputSchema":{"b":1,"a":[{"d":1.0,"c":"\u00e9"}]}},{"name":"a","annotations":{},"outputSchema":null}]`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"\ud83d\ude00"},{"name":"\uffff"}]}}`,
		`{"error":{"code":-1,"message":"m"}}`,
	} {
		f.Add([]byte(dump))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := ParseDump(raw)
		if err != nil {
			if _, ok := err.(*Malformed); !ok || err.Error() == "" {
				t.Fatalf("%q: %T %v", raw, err, err)
			}
			return
		}
		tools := rawTools(t, raw)
		if len(tools) != len(l.Tools) {
			t.Fatalf("%q: %d tools, want %d", raw, len(l.Tools), len(tools))
		}
		for _, rawTool := range tools {
			want := otherContract(t, rawTool)
			var name struct{ Name string }
			if err := json.Unmarshal(want, &name); err != nil {
				t.Fatal(err)
			}
			tool := l.Tool(name.Name)
			if tool == nil || !bytes.Equal(tool.Contract, want) || tool.Pin.Digest != Sum(want) {
				t.Fatalf("%q: got %v, want %s", rawTool, tool, want)
			}
			again, err := ParseTool(tool.Contract)
			if err != nil || again.Pin != tool.Pin {
				t.Fatalf("%s: read again: %v, %v", tool.Contract, again, err)
			}
			for f, d := range tool.Pin.Fields.All() {
				if Sum(tool.Field(f)) != d {
					t.Fatalf("%s: %s is %s", tool.Contract, f, tool.Field(f))
				}
			}
		}
		if d := l.Pins().Digest(); d != l.Digest {
			t.Fatalf("%q: digests %s and %s", raw, d, l.Digest)
		}
	})
}

// rawTools finds the tools of an accepted dump.
func rawTools(t *testing.T, raw []byte) []json.RawMessage {
	t.Helper()
	var tools []json.RawMessage
	if json.Unmarshal(raw, &tools) == nil {
		return tools
	}
	// A map keeps names exact, where a struct would fold their case.
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	if _, ok := object["tools"]; !ok {
		inner := object["result"]
		object = nil
		if err := json.Unmarshal(inner, &object); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
	}
	if err := json.Unmarshal(object["tools"], &tools); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return tools
}

// otherContract is the canonical contract of a raw tool, by SPEC §2 to the letter.
func otherContract(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var tool map[string]json.RawMessage
	if err := json.Unmarshal(raw, &tool); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	null := json.RawMessage("null")
	c := map[string]json.RawMessage{"name": tool["name"], "description": null, "inputSchema": null}
	for _, f := range []string{"description", "inputSchema", "outputSchema", "annotations"} {
		if v, ok := tool[f]; ok && !bytes.Equal(v, null) {
			c[f] = v
		}
	}
	var text bytes.Buffer
	text.WriteByte('{')
	for f, v := range c { // in any order: canonical form sorts them
		if text.Len() > 1 {
			text.WriteByte(',')
		}
		text.WriteString(`"` + f + `":`)
		text.Write(v)
	}
	text.WriteByte('}')
	out, err := jcs.Transform(text.Bytes())
	if err != nil {
		t.Fatalf("%s: %v", text.Bytes(), err)
	}
	return out
}
