package run

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

func TestSecrets_redactsEveryWriting(t *testing.T) {
	for _, value := range []string{`t0ken-0004`, `p"a\ss wörd/+&<`, "-----KEY\nline two of it-----"} {
		var s Secrets
		s.Add(value)
		asJSON, _ := json.Marshal(value)
		for name, text := range map[string]string{
			"plain": value, "json": string(asJSON), "quoted": strconv.QuoteToASCII(value),
			"query": url.QueryEscape(value), "path": url.PathEscape(value), "lower": lowerEscapes(url.QueryEscape(value)),
			"base64":         base64.StdEncoding.EncodeToString([]byte(value)),
			"base64 pair":    base64.StdEncoding.EncodeToString([]byte("bob:" + value)),
			"base64 of json": base64.URLEncoding.EncodeToString([]byte(`{"k":"` + value + `","more":1}`)),
			"base64 behind":  base64.RawURLEncoding.EncodeToString([]byte("ab" + value + "z")),
		} {
			got := s.Redact("before " + text + " after")
			if !strings.Contains(got, Redacted) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("%s of %q: %q", name, value, got)
			}
			for i := 0; i+8 < len(text) && !strings.HasPrefix(name, "base64"); i++ { // a few bits of base64 belong to neighbours
				if strings.Contains(got, text[i:i+8]) {
					t.Errorf("%s of %q: %q still holds %q", name, value, got, text[i:i+8])
					break
				}
			}
		}
	}
}

func TestSecrets_redactsTheCredentialOfAnAuthorizationHeader(t *testing.T) {
	var s Secrets
	s.Add("Bearer s3cr3t-0001")
	s.Add("Basic " + base64.StdEncoding.EncodeToString([]byte("bob:pa55-0002")))
	got := s.Redact("no user with s3cr3t-0001, none with pa55-0002")
	if want := "no user with ***, none with ***"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSecrets_leavesOrdinaryTextWhole(t *testing.T) {
	var s Secrets
	for _, v := range []string{"", "1", "no", "true", "info"} {
		s.Add(v)
	}
	const text = "information 1: true, no"
	if got := s.Redact(text); got != text {
		t.Errorf("got %q", got)
	}
	if got, want := s.Redact("level info."), "level ***."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
