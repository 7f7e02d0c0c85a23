package contract

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// oddListings are listings that are malformed or odd, one kind each: what §2 to §4 make of them. contracts are the
// canonical contract objects, sorted by name, written by hand; code is that of the error instead.
var oddListings = []struct {
	kind      string // the name of the file of that kind in the corpus
	listing   string
	contracts []string
	code      string
	message   string
}{
	{kind: "annot", // annotations are pinned whole, unknown members and nulls included; nothing else outside is
		listing: `{"tools":[{"name":"t","description":"D","inputSchema":{},"annotations":{"title":"x","idempotentHint":null,
			"vendor":{"list":[2,1]},"readOnlyHint":false},"execution":{"taskSupport":"forbidden"},"icons":[{"src":"y"}],"_meta":{},"extra":0}]}`,
		contracts: []string{`{"annotations":{"idempotentHint":null,"readOnlyHint":false,"title":"x","vendor":{"list":[2,1]}},"description":"D","inputSchema":{},"name":"t"}`}},
	{kind: "annotboolstr",
		listing:   `{"tools":[{"name":"t","inputSchema":{},"annotations":{"destructiveHint":"no"}}]}`,
		contracts: []string{`{"annotations":{"destructiveHint":"no"},"description":null,"inputSchema":{},"name":"t"}`}},
	{kind: "annotnull", // null is absent, for required and for optional fields
		listing: `{"tools":[{"name":"y","inputSchema":null,"annotations":null,"outputSchema":null,"description":null},{"name":"z"}]}`,
		contracts: []string{`{"description":null,"inputSchema":null,"name":"y"}`,
			`{"description":null,"inputSchema":null,"name":"z"}`}},
	{kind: "annotstr",
		listing:   `{"tools":[{"name":"t","annotations":"free text"}]}`,
		contracts: []string{`{"annotations":"free text","description":null,"inputSchema":null,"name":"t"}`}},
	{kind: "badutf8", listing: "{\"tools\":[{\"name\":\"t\",\"description\":\"a\xc3(b\"}]}",
		code: CodeSyntax, message: "no valid JSON: byte 38: invalid UTF-8 (at \"/tools/0/description\")"},
	{kind: "case", // names are exact
		listing:   `{"tools":[{"NAME":"x","name":"t","DESCRIPTION":"no","inputschema":{"no":0},"inputSchema":{"yes":1},"OutputSchema":{}}]}`,
		contracts: []string{`{"description":null,"inputSchema":{"yes":1},"name":"t"}`}},
	{kind: "case2",
		listing:   `{"tools":[{"name":"t","annotations":{"readonlyhint":true,"READONLYHINT":false}}]}`,
		contracts: []string{`{"annotations":{"READONLYHINT":false,"readonlyhint":true},"description":null,"inputSchema":null,"name":"t"}`}},
	{kind: "cursornull",
		listing:   `{"nextCursor":null,"tools":[{"name":"t"}]}`,
		contracts: []string{`{"description":null,"inputSchema":null,"name":"t"}`}},
	{kind: "descnum", // a description that is no string is pinned as it is
		listing:   `{"tools":[{"name":"t","description":4.20e1}]}`,
		contracts: []string{`{"description":42,"inputSchema":null,"name":"t"}`}},
	{kind: "dup", listing: `{"tools":[{"name":"t","inputSchema":{"type":"object","type":"string"}}]}`,
		code: CodeSyntax, message: `no valid JSON: byte 53: duplicate key "type" (at "/tools/0/inputSchema")`},
	{kind: "dupname", listing: `{"tools":[{"name":"same"},{"name":"other"},{"name":"s\u0061me"}]}`,
		code: CodeDuplicateTool, message: `two tools are named "same"`},
	{kind: "iconsobj",
		listing:   `{"tools":[{"name":"t","icons":{"src":1}}]}`,
		contracts: []string{`{"description":null,"inputSchema":null,"name":"t"}`}},
	{kind: "inputreq", listing: `{"resultType":"input_required","inputRequests":{}}`,
		code: CodeNotAListing, message: `resultType is "input_required": the server wants input before it lists its tools`},
	{kind: "metastr",
		listing:   `{"_meta":"text","tools":[{"name":"t","_meta":7}]}`,
		contracts: []string{`{"description":null,"inputSchema":null,"name":"t"}`}},
	{kind: "namenum", listing: `{"tools":[{"name":7}]}`,
		code: CodeNotAListing, message: `tools[0] has a name that is a number, not a string`},
	{kind: "noname", listing: `{"tools":[{"name":"t"},{"description":"d"}]}`,
		code: CodeNotAListing, message: `tools[1] has no name`},
	{kind: "nul",
		listing:   `{"tools":[{"name":"t","description":"\u0000","inputSchema":{"\u0000":"\u007f"}}]}`,
		contracts: []string{`{"description":"\u0000","inputSchema":{"\u0000":"` + "\x7f" + `"},"name":"t"}`}},
	{kind: "nulltool", listing: `{"tools":[{"name":"t"},null]}`,
		code: CodeNotAListing, message: `tools[1] is null, not an object`},
	{kind: "numbers", listing: `{"tools":[{"name":"t","inputSchema":{"maximum":-1e999}}]}`,
		code: CodeSyntax, message: `no valid JSON: byte 47: number is too large for a double (at "/tools/0/inputSchema/maximum")`},
	{kind: "numbers2",
		listing:   `{"tools":[{"name":"t","inputSchema":{"enum":[2.50,1e3,18446744073709551616,-0,1e-9,9007199254740993]}}]}`,
		contracts: []string{`{"description":null,"inputSchema":{"enum":[2.5,1000,18446744073709552000,0,1e-9,9007199254740992]},"name":"t"}`}},
	{kind: "proto",
		listing:   `{"tools":[{"name":"__proto__","inputSchema":{"constructor":0,"__proto__":1}}]}`,
		contracts: []string{`{"description":null,"inputSchema":{"__proto__":1,"constructor":0},"name":"__proto__"}`}},
	{kind: "resultnull", listing: `null`,
		code: CodeNotAListing, message: `the listing is null, not an object`},
	{kind: "schemabad", // no schema is judged
		listing:   `{"tools":[{"name":"t","inputSchema":{"type":"strnig","required":"a"}}]}`,
		contracts: []string{`{"description":null,"inputSchema":{"required":"a","type":"strnig"},"name":"t"}`}},
	{kind: "schemastr",
		listing:   `{"tools":[{"name":"t","inputSchema":"text","outputSchema":[]}]}`,
		contracts: []string{`{"description":null,"inputSchema":"text","name":"t","outputSchema":[]}`}},
	{kind: "schematrue", // false and 0 are values, not absent
		listing:   `{"tools":[{"name":"t","inputSchema":true,"outputSchema":false,"annotations":0}]}`,
		contracts: []string{`{"annotations":0,"description":null,"inputSchema":true,"name":"t","outputSchema":false}`}},
	{kind: "surrogate", listing: `{"tools":[{"name":"t","title":"\udfff"}]}`, // also where nothing is pinned
		code: CodeSyntax, message: `no valid JSON: byte 31: lone surrogate U+DFFF (at "/tools/0/title")`},
	{kind: "titlenum",
		listing:   `{"tools":[{"title":[],"name":"t"}]}`,
		contracts: []string{`{"description":null,"inputSchema":null,"name":"t"}`}},
	{kind: "toolsabsent", listing: `{"tool":[]}`,
		code: CodeNotAListing, message: `the listing has no tools`},
	{kind: "toolsnull", listing: `{"tools":null}`,
		code: CodeNotAListing, message: `tools is null, not an array`},
	{kind: "toolsobj", listing: `{"tools":{"0":{"name":"t"}}}`,
		code: CodeNotAListing, message: `tools is an object, not an array`},
	{kind: "toolstr", listing: `{"tools":["t"]}`,
		code: CodeNotAListing, message: `tools[0] is a string, not an object`},
	{kind: "ttl",
		listing:   `{"resultType":"complete","ttlMs":1,"cacheScope":"private","tools":[{"name":"t"}]}`,
		contracts: []string{`{"description":null,"inputSchema":null,"name":"t"}`}},
	{kind: "ws",
		listing:   "\r\n{\t\"tools\" : [ { \"inputSchema\" : { \"z\" : 1 , \"\\u0061\" : 2 } , \"n\\u0061me\" : \"t\" } ] }\n",
		contracts: []string{`{"description":null,"inputSchema":{"a":2,"z":1},"name":"t"}`}},
	{kind: "xmcpheader", // no tool is dropped
		listing:   `{"tools":[{"name":"u"},{"name":"t","inputSchema":{"properties":{"q":{"x-mcp-header":"Y"}}}}]}`,
		contracts: []string{`{"description":null,"inputSchema":{"properties":{"q":{"x-mcp-header":"Y"}}},"name":"t"}`, `{"description":null,"inputSchema":null,"name":"u"}`}},

	// kinds that the corpus has no file of
	{listing: `{"tools":[]}`},
	{listing: `{"tools":[{"name":""}]}`, contracts: []string{`{"description":null,"inputSchema":null,"name":""}`}},
	{listing: ``, code: CodeSyntax, message: "no valid JSON: byte 0: unexpected end: a value is missing"},
	{listing: `{"tools":[]}{}`, code: CodeSyntax, message: "no valid JSON: byte 12: unexpected data after the value"},
	{listing: "\uFEFF{\"tools\":[]}", code: CodeSyntax, message: "no valid JSON: byte 0: expected a value: a byte order mark is not allowed"},
	{listing: `{"tools":[],"tools":[]}`, code: CodeSyntax, message: `no valid JSON: byte 12: duplicate key "tools"`},
	{listing: `{"tools":[{"name":"t","name":"t"}]}`, code: CodeSyntax, message: `no valid JSON: byte 22: duplicate key "name" (at "/tools/0")`},
	{listing: `{"tools":[{"name":5}],"x":}`, // what is no JSON is said first
		code: CodeSyntax, message: `no valid JSON: byte 26: expected a value before '}' (at "/x")`},
	{listing: `[{"name":"t"}]`, code: CodeNotAListing, message: `the listing is an array, not an object`},
	{listing: `"tools"`, code: CodeNotAListing, message: `the listing is a string, not an object`},
	{listing: `{"tools":[],"nextCursor":5}`, code: CodeNotAListing, message: `nextCursor is a number, not a string`},
	{listing: `{"tools":[],"nextCursor":{"secret":"text"}}`, code: CodeNotAListing, message: `nextCursor is an object, not a string`},
	{listing: `{"tools":[],"resultType":"secret text"}`, code: CodeNotAListing, message: `resultType is not "complete"`},
	{listing: `{"tools":[],"resultType":null}`, code: CodeNotAListing, message: `resultType is null, not a string`},
	{listing: `{"tools":[],"deep":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`},
	{listing: `{"tools":[{"name":"t","deep":` + strings.Repeat("[", 9998) + strings.Repeat("]", 9998) + `}]}`,
		code: CodeSyntax, message: `no valid JSON: byte 10026: nested deeper than 10000 levels`},
}

// parseListing is what a server's only page comes to.
func parseListing(raw string) (*Listing, error) {
	p, err := ParsePage([]byte(raw))
	if err != nil {
		return nil, err
	}
	return Join([]*Page{p})
}

func TestParsePage_digestsOddListingsOrNamesWhatIsWrong(t *testing.T) {
	for _, c := range oddListings {
		l, err := parseListing(c.listing)
		if c.code != "" {
			var m *Malformed
			if !errors.As(err, &m) || m.Code != c.code || !strings.HasPrefix(m.Message, c.message) {
				t.Errorf("%.80s:\n got %v\nwant %s: %s", c.listing, err, c.code, c.message)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.listing, err)
			continue
		}
		var got []string
		for _, tool := range l.Tools {
			got = append(got, string(tool.Contract))
			if tool.Pin.Digest != Sum(tool.Contract) {
				t.Errorf("%s: tool digest is not that of the contract", c.listing)
			}
		}
		if !slices.Equal(got, c.contracts) {
			t.Errorf("%.80s:\n got %s\nwant %s", c.listing, got, c.contracts)
		}
	}
}

func TestParseDump_ofHostileFilesEndsAsItsKindDoes(t *testing.T) {
	dir := filepath.Join(corpus(t), "hostile")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		l, err := parseListing(string(raw))
		found := false
		for _, c := range oddListings {
			if c.kind+".json" != f.Name() {
				continue
			}
			found = true
			var m *Malformed
			switch errors.As(err, &m); {
			case c.code == "" && err != nil:
				t.Errorf("%s: %v", f.Name(), err)
			case c.code == "" && (l.Digest.IsZero() || len(l.Tools) != len(c.contracts)):
				t.Errorf("%s: %d tools, digest %q", f.Name(), len(l.Tools), l.Digest)
			case c.code != "" && (m == nil || m.Code != c.code):
				t.Errorf("%s: got %v, want %s", f.Name(), err, c.code)
			}
		}
		if !found {
			t.Errorf("%s: no such kind in oddListings", f.Name())
		}
	}
}

func TestParseDump_takesThreeShapes(t *testing.T) {
	const tools = `[{"name":"b"},{"name":"a","description":"A"}]`
	want, err := parseListing(`{"tools":` + tools + `}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, dump := range []string{
		`{"tools":` + tools + `}`,
		tools,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":` + tools + `}}`,
		`{"result":{"tools":` + tools + `,"nextCursor":null},"error":null}`,
		`{"result":"ignored","tools":` + tools + `}`, // an unknown member of a tools/list result
		`{"tools":` + tools + `,"error":{"code":1},"result":{"nextCursor":"x"}}`,
	} {
		l, err := ParseDump([]byte(dump))
		if err != nil || l.Digest != want.Digest || len(l.Tools) != 2 || l.Tools[0].Name != "a" {
			t.Errorf("%s: %v, %v", dump, l, err)
		}
		d, err := DigestDump([]byte(dump))
		if err != nil || d.Digest != want.Digest || !maps.Equal(d.Pins(), want.Pins()) || d.Tools[0].Contract != nil {
			t.Errorf("%s: DigestDump: %v, %v", dump, d, err)
		}
	}
	for dump, want := range map[string]Malformed{
		`{"tools":[],"nextCursor":"p2"}`:                                        {CodeIncomplete, "the listing is incomplete: nextCursor is present, so there were more pages"},
		`{"tools":[],"nextCursor":""}`:                                          {CodeIncomplete, "the listing is incomplete: nextCursor is present, so there were more pages"},
		`{"id":1,"result":{"tools":[],"nextCursor":"p2"}}`:                      {CodeIncomplete, "the listing is incomplete: nextCursor is present, so there were more pages"},
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"not\nyet"}}`: {CodeRPCError, `the dump holds a JSON-RPC error: code -32603, "not\nyet"`},
		`{"error":{}}`:       {CodeRPCError, "the dump holds a JSON-RPC error: no code, no message"},
		`{"error":"text"}`:   {CodeRPCError, "the dump holds a JSON-RPC error: no code, no message"},
		`{"id":1}`:           {CodeNotAListing, "the dump is an object with neither tools nor a result"},
		`{"result":null}`:    {CodeNotAListing, "the response's result is null, not an object"},
		`{"result":{}}`:      {CodeNotAListing, "the response's result has no tools"},
		`5`:                  {CodeNotAListing, "the dump is a number, not an object or array"},
		`[{"name":"a"},[]]`:  {CodeNotAListing, "tools[1] is an array, not an object"},
		`[{"name":"\ud800"}`: {CodeSyntax, `no valid JSON: byte 10: lone surrogate U+D800 (at "/0/name")`},
		``:                   {CodeSyntax, "no valid JSON: byte 0: unexpected end: a value is missing"},
		`{"result":{"tools":[{"name":"a"},{"name":"a"}]}}`: {CodeDuplicateTool, `two tools are named "a"`},
	} {
		l, err := ParseDump([]byte(dump))
		var m *Malformed
		if !errors.As(err, &m) || *m != want || l != nil {
			t.Errorf("%s:\n got %v\nwant %v", dump, err, want)
		}
	}
}

func TestParsePage_tellsAnEmptyCursorFromNone(t *testing.T) {
	text := func(s string) *string { return &s }
	for raw, want := range map[string]*string{
		`{"tools":[]}`:                          nil,
		`{"tools":[],"nextCursor":null}`:        nil,
		`{"tools":[],"nextCursor":""}`:          text(""),
		`{"tools":[],"nextCursor":"a\u0000\/"}`: text("a\x00/"),
	} {
		p, err := ParsePage([]byte(raw))
		switch {
		case err != nil:
			t.Errorf("%s: %v", raw, err)
		case (p.Next == nil) != (want == nil) || want != nil && *p.Next != *want:
			t.Errorf("%s: got %v", raw, p.Next)
		case p.Bytes != len(raw):
			t.Errorf("%s: %d bytes", raw, p.Bytes)
		}
	}
}

func TestJoin_pageBoundariesAreNoData(t *testing.T) {
	whole, err := parseListing(`{"tools":[{"name":"c"},{"name":"a"},{"name":"b","description":"x"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var pages []*Page
	for _, raw := range []string{`{"tools":[{"name":"c"}],"nextCursor":"1"}`, `{"tools":[],"nextCursor":"2"}`, `{"tools":[{"description":"x","name":"b"},{"name":"a"}]}`} {
		p, err := ParsePage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, p)
	}
	l, err := Join(pages)
	if err != nil || l.Digest != whole.Digest {
		t.Errorf("got %v, %v; want %v", l, err, whole.Digest)
	}
	if l.Tool("b") == nil || string(l.Tool("b").Field(FieldDescription)) != `"x"` || l.Tool("d") != nil {
		t.Error("a tool is not found by its name")
	}
	if _, err := Join(append(pages, pages[0])); err == nil || err.(*Malformed).Code != CodeDuplicateTool {
		t.Errorf("a page twice: %v", err)
	}
}

func TestListing_roundedNamesPinnedNumbersOnly(t *testing.T) {
	l, err := parseListing(`{"big":9007199254740993,"tools":[
		{"name":"b","outputSchema":{"maximum":18446744073709551615},"_meta":{"id":12345678901234567891}},
		{"name":"a","inputSchema":{"x/y":[1,-9007199254740993]},"description":9007199254740992}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Place{
		{"a", "/inputSchema/x~1y/1", "-9007199254740993"},
		{"b", "/outputSchema/maximum", "18446744073709551615"},
	}
	if !slices.Equal(l.Rounded, want) {
		t.Errorf("got %v, want %v", l.Rounded, want)
	}
}
