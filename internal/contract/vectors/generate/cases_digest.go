package main

import "github.com/contractpin/verify/internal/contract/vectors"

// digestCases pin SPEC §4: digests of tools, fields and servers.
var digestCases = []vector{
	{
		section: "4.1", name: "tool-digest",
		reason:    "the digest of a whole contract with text, numbers and nested schemas",
		tool:      `{"name":"search_web","description":"Searches the web.\nReturns at most 10 results.","inputSchema":{"type":"object","properties":{"query":{"type":"string","minLength":1},"limit":{"type":"integer","default":10.0}},"required":["query"]},"annotations":{"readOnlyHint":true,"openWorldHint":true}}`,
		canonical: `{"annotations":{"openWorldHint":true,"readOnlyHint":true},"description":"Searches the web.\nReturns at most 10 results.","inputSchema":{"properties":{"limit":{"default":10,"type":"integer"},"query":{"minLength":1,"type":"string"}},"required":["query"],"type":"object"},"name":"search_web"}`,
		fields: map[string]string{
			"annotations": `{"openWorldHint":true,"readOnlyHint":true}`,
			"description": `"Searches the web.\nReturns at most 10 results."`,
			"inputSchema": `{"properties":{"limit":{"default":10,"type":"integer"},"query":{"minLength":1,"type":"string"}},"required":["query"],"type":"object"}`,
			"name":        `"search_web"`,
		},
	},
	{
		section: "4.2", name: "field-digest-of-null",
		reason:    "a required field that is null has a digest, an optional one that is left out has none",
		tool:      `{"name":"a","outputSchema":null}`,
		canonical: `{"description":null,"inputSchema":null,"name":"a"}`,
		fields:    map[string]string{"description": `null`, "inputSchema": `null`, "name": `"a"`},
	},
	{
		section: "4.2", name: "field-digest-is-of-canonical-form",
		reason:    "a field is digested in its canonical form, a text with its quotes",
		tool:      `{"name":"\u0061","description":"\u00e9\/","inputSchema":{"b":1.0,"a":[]}}`,
		canonical: `{"description":"é/","inputSchema":{"a":[],"b":1},"name":"a"}`,
		fields:    map[string]string{"description": `"é/"`, "inputSchema": `{"a":[],"b":1}`, "name": `"a"`},
	},
	{
		section: "4.3", name: "server-digest",
		reason:  "the object of all tool digests, sorted by name whatever the order of the listing",
		listing: `{"tools":[{"name":"write","description":"w"},{"name":"read","description":"r","annotations":{"readOnlyHint":true}}]}`,
		tools: [][2]string{
			{`"read"`, `{"annotations":{"readOnlyHint":true},"description":"r","inputSchema":null,"name":"read"}`},
			{`"write"`, `{"description":"w","inputSchema":null,"name":"write"}`},
		},
	},
	{
		section: "4.3", name: "server-digest-of-none",
		reason:  "a server without tools has the digest of {}",
		listing: `{"tools":[]}`,
	},
	{
		section: "4.3", name: "server-digest-utf16-names",
		reason:  "names are keys: sorted by UTF-16 code units, escaped as strings",
		listing: `{"tools":[{"name":"\uffff"},{"name":"\ud83d\ude00"},{"name":"a\"b"},{"name":"a b"}]}`,
		tools: [][2]string{
			{`"a b"`, `{"description":null,"inputSchema":null,"name":"a b"}`},
			{`"a\"b"`, `{"description":null,"inputSchema":null,"name":"a\"b"}`},
			{"\"\U0001F600\"", "{\"description\":null,\"inputSchema\":null,\"name\":\"\U0001F600\"}"},
			{"\"\uffff\"", "{\"description\":null,\"inputSchema\":null,\"name\":\"\uffff\"}"},
		},
	},
	{
		section: "4.3", name: "server-digest-ignores-the-rest-of-the-result",
		reason:  "members of the result beside its tools are no data",
		listing: `{"_meta":{"x":1},"nextCursor":null,"resultType":"complete","ttlMs":5,"tools":[{"name":"a"}]}`,
		tools:   [][2]string{{`"a"`, `{"description":null,"inputSchema":null,"name":"a"}`}},
	},
	{
		section: "4.3", name: "server-digest-object",
		reason:    "the same as a plain value: an object of digests, put in order",
		value:     `{"write":"sha256:` + oneByOne + `","read":"sha256:` + zeros + `"}`,
		canonical: `{"read":"sha256:` + zeros + `","write":"sha256:` + oneByOne + `"}`,
	},
	{section: "4.4", name: "duplicate-tool", reason: "two tools of one name are refused, equal or not",
		listing: `{"tools":[{"name":"a","description":"1"},{"name":"b"},{"name":"a","description":"2"}]}`, rejected: vectors.DuplicateTool},
	{section: "4.4", name: "duplicate-tool-equal", reason: "also when they are the same throughout",
		listing: `{"tools":[{"name":"a"},{"name":"a"}]}`, rejected: vectors.DuplicateTool},
	{section: "4.4", name: "duplicate-tool-escaped", reason: "names are compared as they decode",
		listing: `{"tools":[{"name":"a\/b"},{"name":"a/b"}]}`, rejected: vectors.DuplicateTool},
	{section: "4.4", name: "similar-tool-names", reason: "case and composition make different names",
		listing: `{"tools":[{"name":"e\u0301"},{"name":"\u00e9"},{"name":"A"},{"name":"a"}]}`,
		tools: [][2]string{
			{`"A"`, `{"description":null,"inputSchema":null,"name":"A"}`},
			{`"a"`, `{"description":null,"inputSchema":null,"name":"a"}`},
			{"\"e\u0301\"", "{\"description\":null,\"inputSchema\":null,\"name\":\"e\u0301\"}"},
			{"\"\u00e9\"", "{\"description\":null,\"inputSchema\":null,\"name\":\"\u00e9\"}"},
		}},
	{section: "4", name: "listing-without-tools", reason: "no tools member is not no tools",
		listing: `{}`, rejected: vectors.NotAListing},
	{section: "4", name: "listing-tools-null", reason: "nor is null",
		listing: `{"tools":null}`, rejected: vectors.NotAListing},
	{section: "4", name: "listing-tools-object", reason: "tools is an array",
		listing: `{"tools":{"a":{"name":"a"}}}`, rejected: vectors.NotAListing},
	{section: "4", name: "listing-null-tool", reason: "of objects",
		listing: `{"tools":[{"name":"a"},null]}`, rejected: vectors.NotAListing},
	{section: "4", name: "listing-tool-without-name", reason: "each with a string for its name",
		listing: `{"tools":[{"description":"d"}]}`, rejected: vectors.NotAListing},
	{section: "4", name: "listing-input-required", reason: "a result that wants input first lists nothing yet",
		listing: `{"resultType":"input_required","tools":[]}`, rejected: vectors.NotAListing},
	{section: "4", name: "listing-cursor-is-no-string", reason: "a cursor is a string or null",
		listing: `{"tools":[],"nextCursor":1}`, rejected: vectors.NotAListing},
}

const (
	zeros    = "0000000000000000000000000000000000000000000000000000000000000000"
	oneByOne = "1111111111111111111111111111111111111111111111111111111111111111"
)
