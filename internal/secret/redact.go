package secret

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// MinLength is the length in bytes below which a value is not hidden: "1", "true" or "8080" stand in too many texts to
// tell anything, and hiding them would garble the report.
const MinLength = 6

// Mask stands in place of a credential.
const Mask = "***"

// Redactor hides credentials in texts: as they are, URL-encoded, escaped as in JSON, Go or HTML, and in base64 (both
// alphabets, wherever in the encoded text they stand). What a hostile server encodes in a way of its own it cannot find.
// A nil *Redactor hides nothing.
type Redactor struct {
	replacer *strings.Replacer
	secrets  []string // for Edges
}

// NewRedactor makes a redactor of values. Of "Bearer x" it hides x too, of "Basic x" also what x encodes, of a value of
// several lines each line. Values shorter than MinLength are left out.
func NewRedactor(values ...string) *Redactor {
	forms := map[string]bool{}
	r := &Redactor{}
	for _, v := range values {
		for _, s := range parts(v) {
			if len(s) < MinLength || slices.Contains(r.secrets, s) {
				continue
			}
			r.secrets = append(r.secrets, s)
			addForms(forms, s)
		}
	}
	if len(forms) == 0 {
		return nil
	}
	// The longest comes first: the replacer prefers earlier pairs.
	sorted := slices.SortedFunc(maps.Keys(forms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(sorted))
	for _, f := range sorted {
		pairs = append(pairs, f, Mask)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// parts returns a value and what of it is a credential by itself.
func parts(v string) []string {
	v = strings.TrimSpace(v)
	out := []string{v}
	if m := authScheme().FindString(v); m != "" {
		rest := strings.TrimSpace(v[len(m):])
		out = append(out, rest)
		if plain, err := base64.StdEncoding.DecodeString(rest); err == nil && len(m) > 5 && strings.EqualFold(m[:5], "basic") {
			_, password, _ := strings.Cut(string(plain), ":")
			out = append(out, string(plain), password)
		}
	}
	if strings.ContainsAny(v, "\r\n") {
		for line := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '\r' || r == '\n' }) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") { // the frame of a PEM block is public
				out = append(out, line)
			}
		}
	}
	return out
}

// addForms adds the ways in which a text may hold s.
func addForms(forms map[string]bool, s string) {
	forms[s] = true
	for _, f := range []string{url.QueryEscape(s), url.PathEscape(s)} {
		forms[f] = true
		forms[lowerEscapes(f)] = true
	}
	quoted := strconv.Quote(s)
	forms[quoted[1:len(quoted)-1]] = true
	quoted = strconv.QuoteToASCII(s)
	forms[quoted[1:len(quoted)-1]] = true
	forms[jsonEscape(s, true)] = true
	forms[jsonEscape(s, false)] = true
	forms[strings.ReplaceAll(jsonEscape(s, false), "/", `\/`)] = true
	forms[html.EscapeString(s)] = true
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			if f := base64Middle(alphabet, s, shift); len(f) >= 8 {
				forms[f] = true
			}
		}
	}
}

// base64Middle returns the characters that base64 makes of s alone when shift bytes (modulo 3) stand before it.
func base64Middle(alphabet *base64.Encoding, s string, shift int) string {
	encoded := alphabet.EncodeToString(append(make([]byte, shift), s...))
	first := (shift*8 + 5) / 6 // the character that holds bits of both
	end := (shift + len(s)) * 8 / 6
	return encoded[first:end]
}

func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

func jsonEscape(s string, escapeHTML bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	e.Encode(s) // a string always encodes
	return b.String()[1 : b.Len()-2]
}

// String returns s with every credential in it replaced by ***. A piece of one, MinLength or more of its bytes, where s
// begins or ends is replaced as well: texts are cut to length before they come here.
func (r *Redactor) String(s string) string {
	if r == nil || len(s) < MinLength {
		return s
	}
	return r.edges(r.replacer.Replace(s))
}

func (r *Redactor) edges(s string) string {
	body, cut := strings.CutSuffix(s, "…")
	for _, secret := range r.secrets {
		for n := min(len(secret)-1, len(body)); n >= MinLength; n-- {
			if body[0] == secret[len(secret)-n] && strings.HasPrefix(body, secret[len(secret)-n:]) {
				body = Mask + body[n:]
				break
			}
		}
		for n := min(len(secret)-1, len(body)); n >= MinLength; n-- {
			if body[len(body)-n] == secret[0] && strings.HasSuffix(body, secret[:n]) {
				body = body[:len(body)-n] + Mask
				break
			}
		}
	}
	if cut {
		return body + "…"
	}
	return body
}
