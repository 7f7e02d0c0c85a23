package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestDecode_tellsMessagesFromNoise(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"a": 1 }}`:                          `call 1 result {"a": 1 }`,
		` {"result":null,"id":2,"jsonrpc":"2.0"} ` + "\r":                      `call 2 result null`,
		`{"jsonrpc":"2.0","id":"3","result":{}}`:                               `call 3 result {}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`:      `call 1 error -32601 no`,
		`{"jsonrpc":"2.0","id":1,"error":"no"}`:                                `call 1 error 0 "no"`,
		`{"jsonrpc":"2.0","id":1,"error":null,"result":1}`:                     `call 1 result 1`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}`:        `error -1 x`,
		`{"jsonrpc":"2.0","method":"n"}`:                                       `notification n`,
		`{"jsonrpc":"2.0","method":"","id":7}`:                                 `request  7`,
		`{"jsonrpc":"2.0","method":"ping","id":"a"}`:                           `request ping "a"`,
		`[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":1,"result":2}]`: `notification n; call 1 result 2`,
		`[]`: ``,
		`{"jsonrpc":"2.0","id":1,"result":1,"extra":{"id":2}}`: `call 1 result 1`,
		// Noise.
		``: "noise", "  ": "noise", "ready": "noise", "{": "noise", `{"level":30}`: "noise", `[1,2]`: "noise", `"x"`: "noise",
		`{"jsonrpc":"1.0","id":1,"result":1}`: "noise", `{"id":1,"result":1}`: "noise", `{"msg":"{\"jsonrpc\":\"2.0\"}"`: "noise",
		// Meant as JSON-RPC, and broken.
		`{"jsonrpc":"2.0","id":1,"result":{`:             "broken",
		`{"jsonrpc":"2.0","id":1,"result":1} x`:          "broken",
		`{"jsonrpc":"2.0","id":1,"result":1,"result":2}`: "broken",
		`{"jsonrpc":"2.0","id":1,"id":2,"result":1}`:     "broken",
		`{"jsonrpc":"2.0","id":1,"result":1e}`:           "broken",
	} {
		if got := describe(decode([]byte(text))); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func describe(messages []*message, err error) string {
	var broken *brokenError
	switch {
	case errors.Is(err, errNoise):
		return "noise"
	case errors.As(err, &broken):
		return "broken"
	}
	var out []string
	for _, m := range messages {
		var words []string
		switch n, ok := m.call(); {
		case m.isCall && m.id == nil:
			words = append(words, "notification", m.method)
		case m.isCall:
			words = append(words, "request", m.method, string(m.id))
		case ok:
			words = append(words, "call", json.Number(string(bytes.Trim(m.id, `"`))).String())
			_ = n
		}
		if m.err != nil {
			code, _ := json.Marshal(m.err.Code)
			words = append(words, "error", string(code), m.err.Message)
		} else if m.result != nil {
			words = append(words, "result", string(m.result))
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, "; ")
}

// FuzzDecode holds decode to encoding/json where that accepts a message, and to the bytes that came in.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, `{"jsonrpc":"2.0","method":"ping","id":"a"}`, `[{"jsonrpc":"2.0","method":"n"}]`,
		`{"jsonrpc":"2.0","id":1,"result":1} x`, `{"jsonrpc":"2.0","id":1,"id":2}`, `{"\u006asonrpc":"2.0","id":1e0,"error":{}}`, "ready", "{\"a\":\xff}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		messages, err := decode(data)
		if !bytes.Equal(before, data) {
			t.Fatal("the input was changed")
		}
		var broken *brokenError
		if err != nil && !errors.Is(err, errNoise) && !errors.As(err, &broken) {
			t.Fatalf("%T: %v", err, err)
		}
		if err == nil && !json.Valid(data) {
			t.Fatal("accepted what is no JSON")
		}
		for _, m := range messages {
			if m.result != nil && !bytes.Contains(data, m.result) {
				t.Fatalf("result %q is no part of the input", m.result)
			}
		}
	})
}
