package main

import "strings"

// orderCases pin SPEC §3.1 to §3.4 and §3.7: encoding, white space, the order of members and elements, literals.
var orderCases = []vector{
	{section: "3.1", name: "encoding-utf-8", reason: "two, three and four bytes, no escapes",
		value: `["\u00e9","\u20ac","\ud834\udd1e"]`, canonical: `["é","€","𝄞"]`},
	{section: "3.1", name: "encoding-no-final-newline", reason: "nothing follows the value",
		raw: "{}\n", canonical: `{}`},
	{section: "3.2", name: "white-space-none", reason: "white space between tokens goes: space, tab, line feed, carriage return",
		raw: " \t\r\n{ \"a\"\t: [ 1 ,\r\n2 ] ,\"b\" :{ } , \"c\" : [ ] }\n", canonical: `{"a":[1,2],"b":{},"c":[]}`},
	{section: "3.2", name: "white-space-in-strings", reason: "white space in strings stays",
		value: `{" a ":"  b  "}`, canonical: `{" a ":"  b  "}`},
	{section: "3.3", name: "key-order", reason: "members are sorted at every level",
		value: `{"b":{"d":0,"c":{"f":1,"e":2}},"a":[{"z":0,"y":0}]}`, canonical: `{"a":[{"y":0,"z":0}],"b":{"c":{"e":2,"f":1},"d":0}}`},
	{section: "3.3", name: "key-order-utf16", reason: "U+1F600 (D83D DE00) comes before U+FFFF by UTF-16 code units, after it by code points",
		value: `{"\uffff":1,"\ud83d\ude00":2}`, canonical: "{\"\U0001F600\":2,\"\uffff\":1}"},
	{section: "3.3", name: "key-order-utf16-boundaries", reason: "U+D7FF, then all above U+FFFF, then U+E000 and U+FB33",
		value:     `{"\ufb33":1,"\ue000":2,"\udbff\udfff":3,"\ud800\udc00":4,"\ud7ff":5}`,
		canonical: "{\"\ud7ff\":5,\"\U00010000\":4,\"\U0010FFFF\":3,\"\ue000\":2,\"\ufb33\":1}"},
	{section: "3.3", name: "key-order-utf16-after-a-common-start", reason: "the first code unit that differs decides",
		value: `{"key-\uff61":1,"key-\ud83d\ude00":2,"key-":3}`, canonical: "{\"key-\":3,\"key-\U0001F600\":2,\"key-\uff61\":1}"},
	{section: "3.3", name: "key-order-prefix", reason: "a key comes before one that it begins",
		value: `{"aa":1,"a":2,"":3,"ab":4}`, canonical: `{"":3,"a":2,"aa":1,"ab":4}`},
	{section: "3.3", name: "key-order-case", reason: "no case folding: Z comes before a",
		value: `{"a":1,"Z":2,"_":3}`, canonical: `{"Z":2,"_":3,"a":1}`},
	{section: "3.3", name: "key-order-digits", reason: "keys are text: 10 comes before 9",
		value: `{"9":1,"10":2,"1":3}`, canonical: `{"1":3,"10":2,"9":1}`},
	{section: "3.3", name: "key-order-decoded", reason: "keys are compared as they decode, not as they were written",
		value: `{"\u0062":1,"a":2,"\u000a":3}`, canonical: `{"\n":3,"a":2,"b":1}`},
	{section: "3.3", name: "key-order-escaped-characters", reason: "line feed, U+001F, space, !, quote, backslash: by code unit, not by escape",
		value: `{"\\":1,"\"":2,"!":3," ":4,"\u001f":5,"\n":6}`, canonical: `{"\n":6,"\u001f":5," ":4,"!":3,"\"":2,"\\":1}`},
	{section: "3.3", name: "key-order-nul", reason: "U+0000 is a character: a key does not end there",
		value: `{"a\u0000":1,"a":2}`, canonical: `{"a":2,"a\u0000":1}`},
	{section: "3.3", name: "key-order-not-by-locale", reason: "no collation: pêche after peach and zoo",
		value: `{"p\u00eache":1,"peach":2,"zoo":3}`, canonical: `{"peach":2,"pêche":1,"zoo":3}`},
	{section: "3.3", name: "key-not-normalised", reason: "U+00E9 and U+0065 U+0301 are two keys",
		value: `{"\u00e9":1,"e\u0301":2}`, canonical: "{\"e\u0301\":2,\"\u00e9\":1}"},
	{section: "3.3", name: "key-proto", reason: "__proto__ is a key as any other",
		value: `{"constructor":1,"__proto__":{"x":2}}`, canonical: `{"__proto__":{"x":2},"constructor":1}`},
	{section: "3.3", name: "key-order-many", reason: "thirty keys with a common start of more than eight characters",
		value: manyKeys(7), canonical: manyKeys(1)},
	{section: "3.4", name: "array-order", reason: "elements keep their places",
		value: `[3,1,2,"b","a",null,[2,1]]`, canonical: `[3,1,2,"b","a",null,[2,1]]`},
	{section: "3.4", name: "array-equal-elements", reason: "elements are not made unique",
		value: `["a","a",{"k":1},{"k":1}]`, canonical: `["a","a",{"k":1},{"k":1}]`},
	{section: "3.7", name: "literals", reason: "true, false, null",
		value: `[true,false,null]`, canonical: `[true,false,null]`},
	{section: "3.7", name: "literal-at-the-top", reason: "any value can be the whole document",
		value: `null`, canonical: `null`},
	{section: "3.7", name: "string-at-the-top", reason: "a bare string",
		value: `"a"`, canonical: `"a"`},
	{section: "3.7", name: "empty-containers", reason: "empty object, array and string",
		value: `{"o":{},"a":[],"s":""}`, canonical: `{"a":[],"o":{},"s":""}`},
	{section: "3.8", name: "depth-10000", reason: "10,000 levels are read",
		raw: strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), canonical: strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)},
}

// manyKeys is an object of thirty keys, in steps of step.
func manyKeys(step int) string {
	var members []string
	for i := range 30 {
		k := string(rune('a' + i*step%30%10)) // 30 and the steps have no common factor
		members = append(members, `"a common start `+string(rune('A'+i*step%30/10))+k+`":0`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// textCases pin SPEC §3.5: strings.
var textCases = []vector{
	{section: "3.5", name: "string-short-escapes", reason: "the seven short escapes",
		value: `"\u0022\u005c\u0008\u0009\u000a\u000c\u000d"`, canonical: `"\"\\\b\t\n\f\r"`},
	{section: "3.5", name: "string-short-escapes-stay", reason: "the same, served short",
		value: `"\"\\\b\t\n\f\r"`, canonical: `"\"\\\b\t\n\f\r"`},
	{section: "3.5", name: "string-control-characters", reason: "the other control characters: \\u00xx in lowercase hex",
		value:     `"\u0000\u0001\u0007\u000B\u000E\u0010\u001A\u001F"`,
		canonical: `"\u0000\u0001\u0007\u000b\u000e\u0010\u001a\u001f"`},
	{section: "3.5", name: "string-slash", reason: "a slash is not escaped",
		value: `"a\/b/c\u002f"`, canonical: `"a/b/c/"`},
	{section: "3.5", name: "string-del", reason: "U+007F is no control character here",
		value: `"\u007f"`, canonical: "\"\x7f\""},
	{section: "3.5", name: "string-c1-controls", reason: "U+0080 to U+009F are written as they are",
		value: `"\u0080\u009f"`, canonical: "\"\u0080\u009f\""},
	{section: "3.5", name: "string-line-separators", reason: "U+2028 and U+2029 are written as they are",
		value: `"\u2028\u2029"`, canonical: "\"\u2028\u2029\""},
	{section: "3.5", name: "string-html", reason: "<, >, & and ' are written as they are",
		value: `"\u003ca href='x'\u003e&"`, canonical: `"<a href='x'>&"`},
	{section: "3.5", name: "string-ascii-escapes", reason: "an escape that a literal can express is not kept",
		value: `"\u0041\u0020\u007E"`, canonical: `"A ~"`},
	{section: "3.5", name: "string-surrogate-pair", reason: "a pair of escapes is one character, of four bytes",
		value: `"\uD83D\uDE00"`, canonical: `"😀"`},
	{section: "3.5", name: "string-noncharacters", reason: "noncharacters and U+FFFD are valid",
		value: `"\ufffe\uffff\ufdd0\ufffd\udbff\udfff"`, canonical: "\"\ufffe\uffff\ufdd0\ufffd\U0010FFFF\""},
	{section: "3.5", name: "string-byte-order-mark-inside", reason: "U+FEFF inside a string is a character",
		value: `"a\ufeffb"`, canonical: "\"a\ufeffb\""},
	{section: "3.5", name: "string-backslash-u", reason: "an escaped backslash before u is no escape",
		value: `"\\u0041"`, canonical: `"\\u0041"`},
	{section: "3.5", name: "string-in-key", reason: "keys are written as strings are",
		value: `{"\u0009\/\u00fc":0}`, canonical: `{"\t/ü":0}`},
	{section: "3.5", name: "string-escapes-after-long-text", reason: "an escape after more than thirty characters",
		value:     `"The quick brown fox jumps over the lazy dog\u000aand then \u0022rests\u0022 \/ sleeps"`,
		canonical: `"The quick brown fox jumps over the lazy dog\nand then \"rests\" / sleeps"`},
	{section: "3.5", name: "string-mixed-scripts", reason: "text of several scripts and widths",
		value: `"a\u00df\u4e2d\u6587\u3042\ud83c\udf0dz"`, canonical: `"aß中文あ🌍z"`},
}
