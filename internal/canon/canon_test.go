package canon

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppend_writesTheOneForm(t *testing.T) {
	for in, want := range map[string]string{
		" {\t\"b\" :\r\n 1.0 , \"a\" : [ ] } ":                        `{"a":[],"b":1}`,
		`{"a":{"d":1,"c":{}},"b":[{"y":0,"x":[{"n":1,"m":2}]}]}`:      `{"a":{"c":{},"d":1},"b":[{"x":[{"m":2,"n":1}],"y":0}]}`,
		`{"c":1,"a":2,"b":3}`:                                         `{"a":2,"b":3,"c":1}`,
		`{"c":{"z":1,"y":2},"b":0,"a":{"z":1,"y":2}}`:                 `{"a":{"y":2,"z":1},"b":0,"c":{"y":2,"z":1}}`,
		`{"\uffff":1,"\ud83d\ude00":2}`:                               "{\"😀\":2,\"\uffff\":1}",
		"{\"\ue000\":1,\"😀\":2,\"\ud7ff\":3}":                         "{\"\ud7ff\":3,\"😀\":2,\"\ue000\":1}",
		`{"aaaaaaaa\uffff":1,"aaaaaaaa😀":2,"aaaaaaaa":3,"aaaaaaa":4}`: "{\"aaaaaaa\":4,\"aaaaaaaa\":3,\"aaaaaaaa😀\":2,\"aaaaaaaa\uffff\":1}",
		`{"a\u0000":1,"a":2}`:                                         `{"a":2,"a\u0000":1}`,
		`{"\u0062":1,"a":2}`:                                          `{"a":2,"b":1}`,
		`{"!":1,"\"":2,"\u001f":3,"\n":4}`:                            `{"\n":4,"\u001f":3,"!":1,"\"":2}`,
		`"\/\u002f\u0022\u005C\u0008\u000C\u000a\u000D\u0009\u001F\u007f\u00e9\u2028\ud834\udd1e"`: "\"//\\\"\\\\\\b\\f\\n\\r\\t\\u001f\u007fé\u2028𝄞\"",
		`"` + strings.Repeat("x", 20) + `\/` + strings.Repeat("é", 9) + `"`:                        `"` + strings.Repeat("x", 20) + `/` + strings.Repeat("é", 9) + `"`,
		`[0,-0,-0.0,0e9,0.000,1e-400,-1e-400]`:                                                     `[0,0,0,0,0,0,0]`,
		`[1.50,1E2,1e21,1e20,123456789012345678,0.1e-5,0.0000001,1e-7,5e-324]`:                     `[1.5,100,1e+21,100000000000000000000,123456789012345680,0.000001,1e-7,1e-7,5e-324]`,
		`[0.1,0.10,-1.25,100,0.000001,0.00000012,333333333.33333329,1.7976931348623157e308]`:       `[0.1,0.1,-1.25,100,0.000001,1.2e-7,333333333.3333333,1.7976931348623157e+308]`,
		`null`: `null`, ` true`: `true`, "false\n": `false`, `""`: `""`, `{}`: `{}`, `[ ]`: `[]`, `[[],{}]`: `[[],{}]`,
	} {
		got, err := Append(nil, []byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", in, got, err, want)
			continue
		}
		if again, err := Append(nil, got); err != nil || string(again) != want {
			t.Errorf("%s: canonical form is not its own: %s, %v", in, again, err)
		}
	}
}

// rejections: every way to be no canonicalizable JSON, where, and what is said about it.
var rejections = []struct {
	in      string
	offset  int64
	pointer string
	reason  string
}{
	{``, 0, "", "unexpected end: a value is missing"},
	{" \n", 2, "", "unexpected end: a value is missing"},
	{"\uFEFF{}", 0, "", "expected a value: a byte order mark is not allowed"},
	{`{} {}`, 3, "", "unexpected data after the value"},
	{`{"a":1}]`, 7, "", "unexpected data after the value"},
	{`1 2`, 2, "", "unexpected data after the value"},
	{"1\x00", 1, "", "unexpected data after the value"},

	{`{"a":[1,{"b":2,"c":3,"b":4}]}`, 21, "/a/1", `duplicate key "b"`},
	{`{"z":1,"\u007a":2}`, 7, "", `duplicate key "z"`},
	{`{"b":1,"a":2,"b":3}`, 13, "", `duplicate key "b"`},
	{"{\"é\x7f\":1,\"a\":0,\"\\u00e9\x7f\":2}", 15, "", `duplicate key "\u00e9\x7f"`},
	{`{"o":{"zebra_stripes":1,"aardvark":2,"zebra_stripes":3}}`, 37, "/o", `duplicate key "zebra_stripes"`},

	{`{"a":{"b/c~":["x",tru]}}`, 18, "/a/b~1c~0/1", "expected true"},
	{`[nul]`, 1, "/0", "expected null"},
	{`[falsE]`, 1, "/0", "expected false"},
	{`[NaN]`, 1, "/0", "expected a value: JSON has no NaN, no Infinity and no number that begins with '+' or '.'"},
	{`[-Infinity]`, 2, "/0", "expected a digit in a number"},
	{`[undefined]`, 1, "/0", "expected a value"},
	{`['a']`, 1, "/0", "expected a value: JSON has no single quotes"},
	{`<html>`, 0, "", "expected a value: this looks like HTML or XML"},
	{`[1,]`, 3, "/1", "expected a value before ']'"},
	{`[,1]`, 1, "/0", "expected a value before ','"},
	{`[1 2]`, 3, "", "expected ',' or ']' in an array"},
	{`[1}`, 2, "", "expected ',' or ']' in an array"},
	{`[1,2`, 4, "", "unexpected end: an open array is not closed"},
	{`[`, 1, "/0", "unexpected end: a value is missing"},
	{`{`, 1, "", "unexpected end: an open object is not closed"},
	{`{"a":1,`, 7, "", "unexpected end: an open object is not closed"},
	{`{"a":1,}`, 7, "", "expected a key after ','"},
	{`{"a":1 "b":2}`, 7, "", "expected ',' or '}' in an object"},
	{`{"a":1`, 6, "", "unexpected end: an open object is not closed"},
	{`{"a" 1}`, 5, "", "expected ':' after an object's key"},
	{`{"a"`, 4, "", "expected ':' after an object's key"},
	{`{"a":}`, 5, "/a", "expected a value before '}'"},
	{`{"a":`, 5, "/a", "unexpected end: a value is missing"},
	{`{a:1}`, 1, "", "expected a key in double quotes"},
	{`{1:1}`, 1, "", "expected a key in double quotes"},
	{`{'a':1}`, 1, "", "expected a key: JSON has no single quotes"},
	{`{"x":{"a":1,/**/"b":2}}`, 12, "/x", "expected a key: JSON has no comments"},
	{"[1]//", 3, "", "unexpected data after the value"},
	{"[\v1]", 1, "/0", "expected a value"},
	{"[\u00a01]", 1, "/0", "expected a value"},

	{`"a`, 2, "", "unexpected end: a string is not closed"},
	{`"a\`, 3, "", "unexpected end: a string is not closed"},
	{`["\x"]`, 2, "/0", "unknown escape in a string"},
	{`{"a\q":1}`, 3, "", "unknown escape in a string"},
	{`{"k":{"\u12g4":1}}`, 7, "/k", `\u without four hex digits`},
	{`"\u123`, 1, "", `\u without four hex digits`},
	{`"\ud800"`, 1, "", "lone surrogate U+D800"},
	{`"\ud800\ud800"`, 1, "", "lone surrogate U+D800"},
	{`"\ud800\n"`, 1, "", "lone surrogate U+D800"},
	{`"\udc00\ud800"`, 1, "", "lone surrogate U+DC00"},
	{`"\ud800\u12"`, 1, "", `\u without four hex digits`},
	{`{"\udfff":1}`, 2, "", "lone surrogate U+DFFF"},
	{"[\"a\tb\"]", 3, "/0", "control character U+0009 in a string: it must be escaped"},
	{"\"" + strings.Repeat("x", 30) + "\x00\"", 31, "", "control character U+0000 in a string: it must be escaped"},
	{"\"\x80\"", 1, "", "invalid UTF-8"},
	{"\"ab\xff\"", 3, "", "invalid UTF-8"},
	{"\"\xc0\x80\"", 1, "", "invalid UTF-8"},
	{"\"日本\xe6\x9c\"", 7, "", "invalid UTF-8"},
	{"\"\xed\xa0\x80\"", 1, "", "invalid UTF-8"},
	{"\"\xe0\x80\x80\"", 1, "", "invalid UTF-8"},
	{"\"\xf4\x90\x80\x80\"", 1, "", "invalid UTF-8"},
	{"{\"\xff\":1}", 2, "", "invalid UTF-8"},

	{`[1e400]`, 1, "/0", "number is too large for a double"},
	{`-1e309`, 0, "", "number is too large for a double"},
	{`1` + strings.Repeat("0", 309), 0, "", "number is too large for a double"},
	{`01`, 0, "", "a number must not begin with 0 and another digit"},
	{`-01`, 1, "", "a number must not begin with 0 and another digit"},
	{`1.`, 2, "", "expected a digit after the decimal point"},
	{`1.e1`, 2, "", "expected a digit after the decimal point"},
	{`1e`, 2, "", "expected a digit in the exponent"},
	{`1e+`, 3, "", "expected a digit in the exponent"},
	{`-`, 1, "", "expected a digit in a number"},
	{`+1`, 0, "", "expected a value: JSON has no NaN, no Infinity and no number that begins with '+' or '.'"},
	{`.5`, 0, "", "expected a value: JSON has no NaN, no Infinity and no number that begins with '+' or '.'"},
	{`0x10`, 1, "", "unexpected data after the value"},
}

func TestAppend_saysWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range rejections {
		got, err := Append([]byte("x"), []byte(c.in))
		var e *Error
		if !errors.As(err, &e) || string(got) != "x" {
			t.Errorf("%q: got %q, %v", c.in, got, err)
			continue
		}
		if *e != (Error{c.offset, c.pointer, c.reason}) {
			t.Errorf("%q:\n got %+v\nwant %+v", c.in, *e, Error{c.offset, c.pointer, c.reason})
		}
	}
}

func TestAppend_rejectsEveryPrefixOfADocument(t *testing.T) {
	const doc = `{"a":[1,-2.5e3,"x\u00e9\n",true,false,null],"é":{"b":{}}}`
	if _, err := Append(nil, []byte(doc)); err != nil {
		t.Fatal(err)
	}
	for i := range len(doc) {
		if got, err := Append(nil, []byte(doc[:i])); err == nil {
			t.Errorf("%q: accepted as %q", doc[:i], got)
		}
	}
}

func TestAppend_nestsToTheLimit(t *testing.T) {
	for name, c := range map[string]struct{ open, shut string }{
		"arrays":           {"[", "]"},
		"objects":          {`{"a":`, "}"},
		"unsorted objects": {`{"b":0,"a":`, "}"},
		"mixed":            {`[{"b":0,"a":`, "}]"},
	} {
		per := strings.Count(c.open, "[") + strings.Count(c.open, "{")
		doc := func(n int) []byte {
			return []byte(strings.Repeat(c.open, n/per) + "1" + strings.Repeat(c.shut, n/per))
		}
		if _, err := Append(nil, doc(10_000)); err != nil {
			t.Errorf("%s: 10,000 levels: %v", name, err)
		}
		_, err := Append(nil, doc(10_000+per))
		if err == nil || !strings.Contains(err.Error(), "nested deeper than 10000 levels") {
			t.Errorf("%s: more than 10,000 levels: %v", name, err)
		}
	}
}

func TestError_isOneShortLineOfASCII(t *testing.T) {
	long := strings.Repeat("é\n\x1b", 5000)
	key := strings.ReplaceAll(strings.ReplaceAll(long, "\n", `\n`), "\x1b", `\u001b`)
	for _, in := range []string{
		`{"` + key + `":1,"` + key + `":2}`,
		`{"` + key[:200] + `":{"` + key[:100] + `":}}`,
	} {
		_, err := Append(nil, []byte(in))
		if err == nil {
			t.Fatal("accepted")
		}
		e := err.(*Error)
		if len(e.Reason) > 200 || len(e.Pointer) > 1000 {
			t.Errorf("reason of %d bytes, pointer of %d", len(e.Reason), len(e.Pointer))
		}
		for _, c := range err.Error() {
			if c < ' ' || c >= utf8.RuneSelf {
				t.Errorf("%q holds %q", err.Error(), c)
			}
		}
		if len(err.Error()) > 550 {
			t.Errorf("message of %d bytes", len(err.Error()))
		}
	}
}

func TestError_pointerOfADeepPlaceNamesWhatIsAroundIt(t *testing.T) {
	_, err := Append(nil, []byte(strings.Repeat(`{"level":`, 5000)+"oops"))
	e := err.(*Error)
	if len(e.Pointer) > 1000 || len(e.Pointer) < 990 || strings.Trim(e.Pointer, "/lev") != "" {
		t.Errorf("pointer is %q", e.Pointer)
	}
	if e.Offset != 45000 {
		t.Errorf("offset is %d", e.Offset)
	}
}

func TestAppend_reusesItsBuffers(t *testing.T) {
	src := []byte(`{"c":[1.0,2,{"z":1,"y":"\u00e9"}],"b":"x","a":{"n":1e3,"m":12345678901234567890}}`)
	dst := make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(100, func() { dst, _ = Append(dst[:0], src) }); n > 20 {
		t.Errorf("%v allocations", n)
	}
}

func TestAppend_refusesWhatItsSpansCannotHold(t *testing.T) {
	_, err := Append(nil, make([]byte, maxSize+1)) // never read, so it takes no memory
	if err == nil || err.Error() != "byte 0: longer than 512 MiB" {
		t.Error(err)
	}
}
