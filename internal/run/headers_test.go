package run

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contractpin/verify/internal/lock"
)

func servers(transports map[string]string) map[string]*lock.Server {
	out := map[string]*lock.Server{}
	for name, t := range transports {
		out[name] = &lock.Server{Name: name, Transport: t}
	}
	return out
}

func TestParseHeaders(t *testing.T) {
	one := servers(map[string]string{"a": lock.HTTP, "local": lock.Stdio})
	two := servers(map[string]string{"a": lock.HTTP, "a=X": lock.HTTP, "local": lock.Stdio})
	tests := []struct {
		name     string
		known    map[string]*lock.Server
		raw      string
		want     Headers
		warnings int
		err      string // part of it
	}{
		{"plain to the only http server", one, "X-Key: v", Headers{"a": {"X-Key": {"v"}}}, 0, ""},
		{"plain to no one in particular", two, "X-Key: hush", nil, 0, "2 http servers are selected"},
		{"equals sign in the value", one, "Cookie: k=v", Headers{"a": {"Cookie": {"k=v"}}}, 0, ""},
		{"named server", two, "a=X-Key: v", Headers{"a": {"X-Key": {"v"}}}, 0, ""},
		{"server whose name holds an equals sign", two, "a=X=X-Key: v", Headers{"a=X": {"X-Key": {"v"}}}, 0, ""},
		{"unknown server", two, "b=X-Key: hush", nil, 0, `server "b"`},
		{"server that is not http", one, "local=X-Key: hush", nil, 0, "no http server"},
		{"empty value", one, "X-Key: ", Headers{}, 1, ""},
		{"scheme without its secret", one, "Authorization: Bearer ", Headers{}, 1, ""},
		{"no colon", one, "hush", nil, 0, "no colon"},
		{"line break in the value", one, "X-Key: hush\r\nX-Other: 1", nil, 0, "control character"},
		{"space in the name", one, "X Key: hush", nil, 0, "no name of a header"},
		{"host", one, "host: hush", nil, 0, "cannot be given"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var selected []*lock.Server
			for _, s := range tt.known {
				selected = append(selected, s)
			}
			got, warnings, err := ParseHeaders([]string{tt.raw}, selected, tt.known)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want one with %q", err, tt.err)
				}
				if strings.Contains(err.Error(), "hush") && tt.name != "no colon" {
					t.Errorf("the error shows the value: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if len(warnings) != tt.warnings {
				t.Errorf("warnings %q, want %d", warnings, tt.warnings)
			}
		})
	}
}

func TestParseHeaders_joinsSeveralOfOneServer(t *testing.T) {
	known := servers(map[string]string{"a": lock.HTTP})
	got, _, err := ParseHeaders([]string{"X-A: 1", "a=X-A: 2", "X-B: 3"}, []*lock.Server{known["a"]}, known)
	if err != nil {
		t.Fatal(err)
	}
	want := Headers{"a": http.Header{"X-A": {"1", "2"}, "X-B": {"3"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
