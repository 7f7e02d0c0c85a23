package lock

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// badLock is a lock that must be refused, made from the sample.
type badLock struct {
	name string
	data []byte
	// shape tells whether the schema sees it too; what only a count or a digest can tell it cannot.
	shape bool
}

// badLocks makes the table of bad locks. What each is answered stands in testdata/bad.golden.
func badLocks(t *testing.T) []badLock {
	base := string(sample(t).Encode())
	edit := func(old, new string) []byte {
		if !strings.Contains(base, old) {
			t.Fatalf("the sample has no %q", old)
		}
		return []byte(strings.Replace(base, old, new, 1))
	}
	line := func(with string) []byte { return edit("      \"cwd\": \"sub dir\",\n", with) }
	digest := `"digest": "sha256:c3d71b2d115103cf75b064d64b06a5ae1e1670c8eb42141d137ac47739c5086f"`
	tool := `"digest": "sha256:421baf87cbe85d9dc285bfe5930b371c2d571af97f8b44dc31521f71d3299e5b"`
	return []badLock{
		{"empty", nil, false},
		{"blank", []byte(" \n\t\n"), false},
		{"truncated in a digest", []byte(base[:700]), false},
		{"truncated before the last brace", []byte(strings.TrimSuffix(base, "}\n")), false},
		{"array", []byte("[]\n"), true},
		{"string", []byte(`"lock"`), true},
		{"garbage", []byte("not a lock\n"), false},
		{"byte order mark", []byte("\uFEFF" + base), false},
		{"UTF-16", []byte("\xff\xfe{\x00}\x00"), false},
		{"trailing data", []byte(base + "{}\n"), false},
		{"trailing comma", edit(`"transport": "http",`, `"transport": "http",,`), false},
		{"comment", edit(`  "servers"`, "  // mine\n  \"servers\""), false},
		{"bad UTF-8", edit("sub dir", "sub\xffdir"), false},
		{"lone surrogate", edit("sub dir", `\ud800`), false},
		{"merge conflict", line("<<<<<<< HEAD\n      \"cwd\": \"a\",\n=======\n      \"cwd\": \"b\",\n>>>>>>> feature\n"), false},
		{"merge conflict with base", line("||||||| 1234567\n"), false},
		{"half a merge conflict", line(">>>>>>> feature\n"), false},
		{"duplicate top-level key", edit(`"algorithm": "sha256"`, `"algorithm": "sha256", "algorithm": "sha256"`), false},
		{"duplicate server", edit(`"empty": {`, `"acme": {`), false},
		{"duplicate server, escaped", edit(`"empty": {`, `"\u0061cme": {`), false},
		{"duplicate tool", edit(`"read file": {`, `"search": {`), false},

		{"no version", edit(`"contractpin": "1",`, ``), true},
		{"version 2", edit(`"contractpin": "1"`, `"contractpin": "2"`), true},
		{"version as a number", edit(`"contractpin": "1"`, `"contractpin": 1`), true},
		{"version as null", edit(`"contractpin": "1"`, `"contractpin": null`), true},
		{"version of hostile text", edit(`"contractpin": "1"`, `"contractpin": "\u001b[31m\n::error::`+strings.Repeat("é", 100)+`"`), true},
		{"version 2 in a shape of its own", []byte(`{"servers": [], "contractpin": "2"}`), true},
		{"no algorithm", edit(`"algorithm": "sha256",`, ``), true},
		{"algorithm sha512", edit(`"sha256"`, `"sha512"`), true},
		{"no canonicalization", edit(`"canonicalization": "contractpin-canonical-json/1",`, ``), true},
		{"canonicalization 2", edit(`canonical-json/1`, `canonical-json/2`), true},
		{"no generated_at", edit(`"generated_at": "2026-08-14T09:31:07Z",`, ``), true},
		{"generated_at as a number", edit(`"2026-08-14T09:31:07Z"`, `1786699867`), true},
		{"generated_at with an offset", edit(`09:31:07Z`, `09:31:07+00:00`), true},
		{"generated_at with a fraction", edit(`09:31:07Z`, `09:31:07.5Z`), true},
		{"generated_at on no day", edit(`2026-08-14`, `2026-02-30`), false},
		{"no servers", []byte(base[:strings.Index(base, ",\n  \"servers\"")] + "}"), true},
		{"servers as an array", []byte(base[:strings.Index(base, "{\n    \"acme\"")] + "[]}"), true},

		{"server as a string", edit(`"empty": {`, `"x": "y", "empty": {`), true},
		{"no transport", edit(`"transport": "http",`, ``), true},
		{"transport sse", edit(`"transport": "http"`, `"transport": "sse"`), true},
		{"transport as a list", edit(`"transport": "http"`, `"transport": ["http"]`), true},
		{"no command", edit(`"command"`, `"comand"`), true},
		{"command as a string", edit("[\n        \"npx\",\n        \"-y\",\n        \"@acme/mcp@1.2.3\",\n        \"<>&\"\n      ]", `"npx -y"`), true},
		{"command empty", edit("[\n        \"npx\",\n        \"-y\",\n        \"@acme/mcp@1.2.3\",\n        \"<>&\"\n      ]", `[]`), true},
		{"command of nothing", edit(`"npx"`, `""`), true},
		{"command with a number", edit(`"-y"`, `7`), true},
		{"command with a list", edit(`"-y"`, `[["-y"]]`), true},
		{"env as a list", edit("{\n        \"A\": \"\",\n        \"TOKEN\": \"${TOKEN}\"\n      }", `["A="]`), true},
		{"env value as a number", edit(`"A": ""`, `"A": 1`), true},
		{"cwd as a number", edit(`"sub dir"`, `1`), true},
		{"no url", edit(",\n      \"url\": \"https://mcp.example.com/mcp?a=1&b=2\"", ``), true},
		{"url empty", edit(`"https://mcp.example.com/mcp?a=1&b=2"`, `""`), true},
		{"url as an object", edit(`"https://mcp.example.com/mcp?a=1&b=2"`, `{"href": "https://a"}`), true},
		{"no path", edit(`"path": "tools.json",`, ``), true},
		{"path as null", edit(`"path": "tools.json"`, `"path": null`), true},
		{"no tool_count", edit(`"tool_count": 2,`, ``), true},
		{"tool_count wrong", edit(`"tool_count": 2`, `"tool_count": 3`), false},
		{"tool_count as a string", edit(`"tool_count": 2`, `"tool_count": "2"`), true},
		{"tool_count negative", edit(`"tool_count": 0`, `"tool_count": -1`), true},
		{"tool_count with a fraction", edit(`"tool_count": 2`, `"tool_count": 2.5`), true},
		{"no tools", edit(`"tools": {}`, `"tool": {}`), true},
		{"tools as a list", edit(`"tools": {}`, `"tools": []`), true},
		{"no server digest", edit(digest+",", ``), true},
		{"server digest of other tools", edit("c3d71b2d", "d3d71b2d"), false},
		{"server digest malformed", edit(digest, `"digest": "sha256:XYZ"`), true},
		{"server digest in upper case", edit("c3d71b2d", "C3D71B2D"), true},
		{"server digest with a space", edit("6f\",\n      \"env\"", "6f \",\n      \"env\""), true},
		{"server digest of another algorithm", edit(digest, `"digest": "md5:c3d71b2d"`), true},
		{"server digest as null", edit(digest, `"digest": null`), true},
		{"tool as a digest", edit(`"tools": {}`, `"tools": {"a": "sha256:00"}`), true},
		{"no tool digest", edit(tool+",", ``), true},
		{"tool digest malformed", edit(tool, `"digest": "421baf87"`), true},
		{"tool digest as a number", edit(tool, `"digest": 421`), true},
		{"tool digest changed", edit("421baf87", "521baf87"), false},
		{"tool renamed", edit(`"read file"`, `"read_file"`), false},
		{"tool removed with its count", edit(`"tools": {`, `"tools": {"a": {`+tool+`},`), false},
		{"server with an odd name", edit(`"empty": {`, `"a.b \u202e": {}, "empty": {`), true},
		{"nested too deep", edit(`"tools": {}`, `"tools": {}, "x": `+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)), false},
		{"version 2 after a fault in the servers", []byte(`{"servers": {"a": 1, "b": {"transport": 3}}, "contractpin": "2"}`), true},
		{"a fault in the servers, the version last", []byte(`{"servers": {"a": 1, "b": {"transport": 3}}, "generated_at": "2026-08-14T09:31:07Z", "canonicalization": "contractpin-canonical-json/1", "algorithm": "sha256", "contractpin": "1"}`), true},
		{"two faults: the earlier counts", []byte(strings.NewReplacer(`"transport": "http"`, `"transport": 2`, `"tool_count": 2`, `"tool_count": 3`).Replace(base)), true},
		{"a fault, then bad JSON: the JSON counts", []byte(strings.Replace(base, `"tool_count": 2`, `"tool_count": 9`, 1) + "x"), false},
	}
}

func TestParse_refusesBadLocks(t *testing.T) {
	var out bytes.Buffer
	for _, bad := range badLocks(t) {
		l, err := Parse("contractpin.lock", bad.data)
		if err == nil || l != nil {
			t.Errorf("%s: accepted", bad.name)
			continue
		}
		fmt.Fprintf(&out, "%s\n    %s\n", bad.name, err)
		e, ok := err.(*Error)
		if !ok {
			t.Errorf("%s: the error is a %T", bad.name, err)
		} else if e.Hint != "" {
			fmt.Fprintf(&out, "    hint: %s\n", e.Hint)
		}
		for _, c := range []byte(err.Error()) {
			if c < ' ' || c > '~' {
				t.Errorf("%s: the error is not plain ASCII on one line: %q", bad.name, err)
				break
			}
		}
	}
	golden(t, "bad.golden", out.Bytes())
}

// A name of a key can be long and hostile; what is said of it is neither.
func TestParse_errorsStayShort(t *testing.T) {
	long := strings.Repeat("\u202e", 1<<16)
	for _, data := range []string{
		`{"contractpin": "` + long + `"}`, `{"` + long + `": 1, "` + long + `": 1}`, `{"contractpin": ` + strings.Repeat("9", 200) + `}`,
		strings.Replace(string(sample(t).Encode()), `"empty": {`, `"`+long+`": {`, 1)[:1<<16] + `x`,
		strings.Replace(string(sample(t).Encode()), `"empty": {`, `"`+long+`": {"transport": 1}, "empty": {`, 1),
	} {
		if _, err := Parse("x.lock", []byte(data)); err == nil || len(err.Error()) > 1200 {
			t.Errorf("%.40s: an error of %d bytes", data, len(err.Error()))
		}
	}
}
