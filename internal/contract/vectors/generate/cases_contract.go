package main

import "github.com/contractpin/verify/internal/contract/vectors"

// contractCases pin SPEC §2: what of a tool is its contract.
var contractCases = []vector{
	{
		section: "2", name: "contract-all-fields",
		reason:    "all five fields, in canonical order whatever the order of the tool's members",
		tool:      `{"outputSchema":{"type":"string"},"name":"read","inputSchema":{"type":"object"},"description":"Reads.","annotations":{"readOnlyHint":true}}`,
		canonical: `{"annotations":{"readOnlyHint":true},"description":"Reads.","inputSchema":{"type":"object"},"name":"read","outputSchema":{"type":"string"}}`,
		fields: map[string]string{
			"annotations": `{"readOnlyHint":true}`, "description": `"Reads."`, "inputSchema": `{"type":"object"}`,
			"name": `"read"`, "outputSchema": `{"type":"string"}`,
		},
	},
	{
		section: "2", name: "contract-required-absent",
		reason:    "a required field that the tool lacks is null",
		tool:      `{"name":"ping"}`,
		canonical: `{"description":null,"inputSchema":null,"name":"ping"}`,
		fields:    map[string]string{"description": `null`, "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-required-null",
		reason:    "a required field that is null makes the same contract as an absent one",
		tool:      `{"name":"ping","description":null,"inputSchema":null}`,
		canonical: `{"description":null,"inputSchema":null,"name":"ping"}`,
		fields:    map[string]string{"description": `null`, "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-optional-null",
		reason:    "an optional field that is null is left out, as an absent one",
		tool:      `{"name":"ping","annotations":null,"outputSchema":null}`,
		canonical: `{"description":null,"inputSchema":null,"name":"ping"}`,
		fields:    map[string]string{"description": `null`, "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-optional-empty",
		reason:    "an optional field that is empty is a value and is kept",
		tool:      `{"name":"ping","annotations":{},"outputSchema":{}}`,
		canonical: `{"annotations":{},"description":null,"inputSchema":null,"name":"ping","outputSchema":{}}`,
		fields: map[string]string{
			"annotations": `{}`, "description": `null`, "inputSchema": `null`, "name": `"ping"`, "outputSchema": `{}`,
		},
	},
	{
		section: "2", name: "contract-optional-false",
		reason:    "false, 0 and the empty string are no null",
		tool:      `{"name":"ping","description":"","inputSchema":0,"annotations":false,"outputSchema":false}`,
		canonical: `{"annotations":false,"description":"","inputSchema":0,"name":"ping","outputSchema":false}`,
		fields: map[string]string{
			"annotations": `false`, "description": `""`, "inputSchema": `0`, "name": `"ping"`, "outputSchema": `false`,
		},
	},
	{
		section: "2", name: "contract-ignores-title",
		reason:    "title is for people, not for the model",
		tool:      `{"name":"ping","title":"Ping!","description":"d","inputSchema":{}}`,
		canonical: `{"description":"d","inputSchema":{},"name":"ping"}`,
		fields:    map[string]string{"description": `"d"`, "inputSchema": `{}`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-ignores-unknown-members",
		reason:    "members of other names are ignored, of whatever kind",
		tool:      `{"x-vendor":{"name":"no"},"name":"ping","_meta":{"a":1},"icons":[{"src":"i"}],"execution":{"taskSupport":"optional"}}`,
		canonical: `{"description":null,"inputSchema":null,"name":"ping"}`,
		fields:    map[string]string{"description": `null`, "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-names-are-exact",
		reason:    "names of other case are unknown members",
		tool:      `{"Name":"no","name":"ping","Description":"no","inputschema":{"no":1},"ANNOTATIONS":{}}`,
		canonical: `{"description":null,"inputSchema":null,"name":"ping"}`,
		fields:    map[string]string{"description": `null`, "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-names-may-be-escaped",
		reason:    "a key is what it decodes to",
		tool:      `{"\u006eame":"ping","descri\u0070tion":"d"}`,
		canonical: `{"description":"d","inputSchema":null,"name":"ping"}`,
		fields:    map[string]string{"description": `"d"`, "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-keeps-inner-nulls",
		reason:    "nulls inside a field stay: absent and null are alike only for the fields themselves",
		tool:      `{"name":"ping","annotations":{"title":null},"inputSchema":{"default":null}}`,
		canonical: `{"annotations":{"title":null},"description":null,"inputSchema":{"default":null},"name":"ping"}`,
		fields: map[string]string{
			"annotations": `{"title":null}`, "description": `null`, "inputSchema": `{"default":null}`, "name": `"ping"`,
		},
	},
	{
		section: "2", name: "contract-keeps-unknown-annotations",
		reason:    "annotations are pinned whole, hints of no specification included",
		tool:      `{"name":"ping","annotations":{"vendorHint":[1,{"b":0,"a":0}],"openWorldHint":false}}`,
		canonical: `{"annotations":{"openWorldHint":false,"vendorHint":[1,{"a":0,"b":0}]},"description":null,"inputSchema":null,"name":"ping"}`,
		fields: map[string]string{
			"annotations": `{"openWorldHint":false,"vendorHint":[1,{"a":0,"b":0}]}`, "description": `null`,
			"inputSchema": `null`, "name": `"ping"`,
		},
	},
	{
		section: "2", name: "contract-does-not-normalise-schemas",
		reason:    "defaults, order of required and unknown keywords stay as served",
		tool:      `{"name":"ping","inputSchema":{"type":["string","null"],"required":["b","a"],"additionalProperties":true,"x-mcp-header":"H","$ref":"#/no"}}`,
		canonical: `{"description":null,"inputSchema":{"$ref":"#/no","additionalProperties":true,"required":["b","a"],"type":["string","null"],"x-mcp-header":"H"},"name":"ping"}`,
		fields: map[string]string{
			"description": `null`, "name": `"ping"`,
			"inputSchema": `{"$ref":"#/no","additionalProperties":true,"required":["b","a"],"type":["string","null"],"x-mcp-header":"H"}`,
		},
	},
	{
		section: "2", name: "contract-description-of-another-kind",
		reason:    "a description that is no string is pinned as it is",
		tool:      `{"name":"ping","description":{"text":"d"}}`,
		canonical: `{"description":{"text":"d"},"inputSchema":null,"name":"ping"}`,
		fields:    map[string]string{"description": `{"text":"d"}`, "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-schema-of-another-kind",
		reason:    "a schema is not judged",
		tool:      `{"name":"ping","inputSchema":true,"outputSchema":"text"}`,
		canonical: `{"description":null,"inputSchema":true,"name":"ping","outputSchema":"text"}`,
		fields:    map[string]string{"description": `null`, "inputSchema": `true`, "name": `"ping"`, "outputSchema": `"text"`},
	},
	{
		section: "2", name: "contract-keeps-white-space-in-text",
		reason:    "text is not trimmed, joined or normalised (U+0065 U+0301 is not U+00E9)",
		tool:      `{"name":"ping","description":"  a\r\n\tb  e\u0301 "}`,
		canonical: "{\"description\":\"  a\\r\\n\\tb  e\u0301 \",\"inputSchema\":null,\"name\":\"ping\"}",
		fields:    map[string]string{"description": "\"  a\\r\\n\\tb  e\u0301 \"", "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-hidden-characters",
		reason:    "invisible characters are characters: zero width space, right-to-left override, tag letters",
		tool:      `{"name":"ping","description":"a\u200b\u202e\udb40\udc61"}`,
		canonical: "{\"description\":\"a\u200b\u202e\U000E0061\",\"inputSchema\":null,\"name\":\"ping\"}",
		fields:    map[string]string{"description": "\"a\u200b\u202e\U000E0061\"", "inputSchema": `null`, "name": `"ping"`},
	},
	{
		section: "2", name: "contract-name-is-pinned",
		reason:    "a name may hold anything a string can",
		tool:      `{"name":"a\/b \"c\" \u0000"}`,
		canonical: `{"description":null,"inputSchema":null,"name":"a/b \"c\" \u0000"}`,
		fields:    map[string]string{"description": `null`, "inputSchema": `null`, "name": `"a/b \"c\" \u0000"`},
	},
	{section: "2", name: "contract-without-name", reason: "a tool without a name has no contract",
		tool: `{"description":"d","inputSchema":{}}`, rejected: vectors.NotATool},
	{section: "2", name: "contract-name-is-no-string", reason: "nor has one whose name is no string",
		tool: `{"name":7}`, rejected: vectors.NotATool},
	{section: "2", name: "contract-of-no-object", reason: "a tool is an object",
		tool: `["name","ping"]`, rejected: vectors.NotATool},
	{section: "3.3", name: "contract-field-twice", reason: "a field given twice is not guessed",
		tool: `{"name":"ping","description":"a","description":"b"}`, rejected: vectors.DuplicateKey},
	{section: "3.3", name: "contract-duplicate-in-ignored-member", reason: "ignored members are read as strictly",
		tool: `{"name":"ping","_meta":{"a":1,"a":2}}`, rejected: vectors.DuplicateKey},
}
