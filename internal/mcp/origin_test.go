package mcp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestRedirectTarget_staysWithinTheOrigin(t *testing.T) {
	for _, c := range []struct {
		from, location string
		status         int
		want           string // target, "" for none, or an error after "!"
	}{
		{"https://a.example/mcp", "/mcp/", 307, "https://a.example/mcp/"},
		{"https://a.example/mcp", "https://A.example:443/x", 308, "https://A.example:443/x"},
		{"http://a.example:80/mcp", "http://a.example./x", 301, "http://a.example./x"},
		{"https://a.example/mcp", "?x=1", 302, "https://a.example/mcp?x=1"},
		{"https://a.example/mcp", "/x", 303, ""}, // no way to answer a call
		{"https://a.example/mcp", "", 307, ""},
		{"https://a.example/mcp", "/x", 304, ""},
		{"https://a.example/mcp", "/x", 200, ""},
		{"https://a.example/mcp", "http://a.example/mcp", 307, "!from https://a.example to http://a.example"},
		{"http://a.example/mcp", "https://a.example/mcp", 307, "!from http://a.example to https://a.example"},
		{"https://a.example/mcp", "https://a.example:8443/mcp", 307, "!from https://a.example to https://a.example:8443"},
		{"https://a.example/mcp", "//b.example/mcp", 307, "!from https://a.example to https://b.example"},
		{"https://a.example/mcp", "https://a.example@b.example/", 307, "!from https://a.example to https://b.example"},
		{"https://a.example/mcp", "file:///etc/passwd", 307, "!to file://"},
		{"https://a.example/mcp", "javascript:alert(1)", 302, "!to javascript://"},
		{"https://a.example/mcp", "http://[::1", 302, "!no URL"},
		{"https://a.example/mcp", "https://b.example/x", 303, "!from https://a.example to https://b.example"},
		{"http://[::1]:80/", "http://[::1]/x", 307, "http://[::1]/x"},
	} {
		from, err := url.Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		resp := &http.Response{StatusCode: c.status, Header: http.Header{}}
		if c.location != "" {
			resp.Header.Set("Location", c.location)
		}
		to, err := redirectTarget(from, resp)
		got := ""
		switch {
		case err != nil && strings.HasPrefix(c.want, "!") && strings.Contains(err.Error(), c.want[1:]):
			continue
		case err != nil:
			got = "!" + err.Error()
		case to != nil:
			got = to.String()
		}
		if got != c.want {
			t.Errorf("%d from %s to %q: %q, want %q", c.status, c.from, c.location, got, c.want)
		}
	}
}
