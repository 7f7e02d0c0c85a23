package secret

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

func TestRedactor_hidesEveryForm(t *testing.T) {
	for _, secret := range []string{"s3cr3t-0001", `p<a>"s\s&/w0rd+=é€`, "line-one-secret\nline-two-secret", strings.Repeat("Zq", 40)} {
		r := NewRedactor(secret)
		inJSON, _ := json.Marshal(secret)
		for name, form := range map[string]string{
			"plain":       secret,
			"query":       url.QueryEscape(secret),
			"path":        url.PathEscape(secret),
			"lower query": lowerEscapes(url.QueryEscape(secret)),
			"json":        strings.Trim(string(inJSON), `"`),
			"quoted":      strconv.QuoteToASCII(secret),
			"html":        html.EscapeString(secret),
			"base64":      base64.StdEncoding.EncodeToString([]byte(secret)),
			"base64url":   base64.RawURLEncoding.EncodeToString([]byte(secret)),
			"basic auth":  base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
			"alignment 1": base64.StdEncoding.EncodeToString([]byte("u:x" + ":" + secret + "!")),
			"alignment 2": base64.URLEncoding.EncodeToString([]byte("us" + secret + "!!")),
		} {
			got := r.String("before " + form + " after")
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || !strings.Contains(got, Mask) {
				t.Errorf("%s of %q: got %q", name, secret, got)
			}
			if left := strings.TrimSuffix(strings.TrimPrefix(got, "before "), " after"); len(left) > len(Mask)+12 { // what stood beside it in base64
				t.Errorf("%s of %q: %q is left", name, secret, left)
			}
		}
	}
}

func TestRedactor_leavesShortAndOtherTextsAlone(t *testing.T) {
	r := NewRedactor("1", "true", "8080", "", "s3cr3t-0001")
	for _, s := range []string{"", "1 is true at 8080", "nothing to see", strings.Repeat("s3cr", 1000)} {
		if got := r.String(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if NewRedactor("1", "true") != nil {
		t.Error("a redactor of nothing is not nil")
	}
	var none *Redactor
	if none.String("x") != "x" {
		t.Error("a nil redactor changes a text")
	}
}

func TestRedactor_hidesPiecesWhereATextWasCut(t *testing.T) {
	r := NewRedactor("abcdefghijklmnop")
	for in, want := range map[string]string{
		"hijklmnop is what is left": "*** is what is left",
		"cut here: abcdefgh":        "cut here: ***",
		"cut here: abcdefgh…":       "cut here: ***…",
		"in abcdefgh the middle":    "in abcdefgh the middle",
	} {
		if got := r.String(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestRedactor_hidesWhatAHeaderHolds(t *testing.T) {
	r := NewRedactor("Bearer s3cr3t-0001", "Basic "+base64.StdEncoding.EncodeToString([]byte("bob:pa55-0002")))
	for _, s := range []string{"s3cr3t-0001", "pa55-0002", "bob:pa55-0002"} {
		if got := r.String("a " + s + " b"); got != "a *** b" {
			t.Errorf("%s: %q", s, got)
		}
	}
}

func TestRedactor_hidesEachLine(t *testing.T) {
	r := NewRedactor("-----BEGIN X-----\nMIIEabcdef\nghijklmnop\n-----END X-----")
	if got := r.String("the last line was ghijklmnop, framed by -----END X-----"); got != "the last line was ***, framed by -----END X-----" {
		t.Error(got)
	}
}

// In no surroundings does a secret survive, plain or in base64.
func TestRedactor_property(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.IntN(256))
		}
		return string(b)
	}
	for range 2_000 {
		s := text(12 + random.IntN(40))
		if strings.TrimSpace(s) != s {
			continue
		}
		r := NewRedactor(s)
		around := text(random.IntN(6)) + s + text(random.IntN(6))
		if strings.Contains(r.String(around), s) {
			t.Fatalf("%q survives in %q", s, around)
		}
		encoded := base64.StdEncoding.EncodeToString([]byte(around))
		if got := r.String(encoded); !strings.Contains(got, Mask) {
			t.Fatalf("%q survives in base64 %q", s, encoded)
		}
	}
}

func BenchmarkRedactor(b *testing.B) {
	var secrets []string
	for i := range 20 {
		secrets = append(secrets, "s3cr3t-value-number-"+strconv.Itoa(i*7919))
	}
	r := NewRedactor(secrets...)
	for _, size := range []int{1 << 10, 1 << 20, 8 << 20} {
		text := strings.Repeat("A description of a tool, as servers send them; it holds no secret at all. ", size/74)
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.String(text)
			}
		})
	}
}
