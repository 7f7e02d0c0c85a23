package run

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// Secrets collects values that no output may hold: header values, and what ${NAME} stands for. The zero value is ready.
type Secrets struct {
	mu    sync.RWMutex
	known map[string]bool
	forms []form // longest first
}

// form is one way in which a secret can be written.
type form struct {
	text string
	word bool // only where no letter or digit adjoins: too short to be looked for anywhere
}

// Redacted stands in place of a secret.
const Redacted = "***"

// Lengths in bytes. Shorter values than shortest are no secrets, and would tear ordinary text apart.
const (
	shortest = 4
	anywhere = 8
)

// Add makes a value a secret, and with "Bearer x" or "Basic x" also x and what is encoded in it.
func (s *Secrets) Add(value string) {
	s.add(value)
	if scheme, credential, ok := strings.Cut(value, " "); ok {
		s.add(credential)
		if strings.EqualFold(scheme, "basic") {
			if pair, err := base64.StdEncoding.DecodeString(credential); err == nil {
				s.add(string(pair))
				_, password, _ := strings.Cut(string(pair), ":")
				s.add(password)
			}
		}
	}
}

func (s *Secrets) add(value string) {
	value = strings.TrimSpace(value)
	if len(value) < shortest || value == "true" || value == "false" || value == "null" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[value] {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[value] = true
	for _, text := range writings(value) {
		f := form{text: text, word: len(text) < anywhere}
		if !slices.Contains(s.forms, f) {
			s.forms = append(s.forms, f)
		}
	}
	slices.SortStableFunc(s.forms, func(a, b form) int { return len(b.text) - len(a.text) })
}

// writings are the ways in which an error or a server may write a value: as it is, escaped for JSON, Go or a URL, and
// in base64 at each of the three alignments.
func writings(value string) []string {
	plain, _ := json.Marshal(value)
	var unescaped bytes.Buffer
	e := json.NewEncoder(&unescaped)
	e.SetEscapeHTML(false)
	e.Encode(value)
	query := url.QueryEscape(value)
	out := []string{
		value, string(plain[1 : len(plain)-1]), strings.Trim(unescaped.String(), "\n\""),
		strings.Trim(strconv.Quote(value), `"`), strings.Trim(strconv.QuoteToASCII(value), `"`),
		query, lowerEscapes(query), url.PathEscape(value), lowerEscapes(url.PathEscape(value)),
	}
	for shift := range 3 {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			if b := aligned(value, shift, enc); len(b) >= anywhere {
				out = append(out, b)
			}
		}
	}
	return out
}

// aligned is the part of a base64 text that value alone decides when shift bytes precede it.
func aligned(value string, shift int, enc *base64.Encoding) string {
	text := enc.EncodeToString(append(make([]byte, shift), value...))
	bits := (shift + len(value)) * 8
	return text[(shift*8+5)/6 : bits/6]
}

func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// Redact replaces every secret in a text.
func (s *Secrets) Redact(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, f := range s.forms {
		text = f.replace(text)
	}
	return text
}

func (f form) replace(text string) string {
	from := 0
	for {
		i := strings.Index(text[from:], f.text)
		if i < 0 {
			return text
		}
		i += from
		end := i + len(f.text)
		if f.word && (i > 0 && isWord(text[i-1]) || end < len(text) && isWord(text[end])) {
			from = i + 1
			continue
		}
		text = text[:i] + Redacted + text[end:]
		from = i + len(Redacted)
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c >= 0x80
}

// RedactListing hides secrets in the contracts of a listing, digests left as they are: details are made of what this
// returns. Without a secret in it, that is the listing itself.
func (s *Secrets) RedactListing(l *contract.Listing) *contract.Listing {
	var out *contract.Listing
	for i := range l.Tools {
		t := &l.Tools[i]
		was := string(t.Contract)
		is := s.Redact(was)
		if is == was {
			continue
		}
		if out == nil {
			c := *l
			c.Tools = slices.Clone(l.Tools)
			out = &c
		}
		shown, err := contract.ParseTool([]byte(is))
		if err != nil { // a secret that is a number, or a key that now stands there twice
			shown, _ = contract.ParseTool([]byte(`{"name":` + strconv.Quote(Redacted) + `}`))
		}
		shown.Name, shown.Pin = t.Name, t.Pin
		out.Tools[i] = *shown
	}
	if out == nil {
		return l
	}
	return out
}

func (s *Secrets) redactAll(texts []string) {
	for i := range texts {
		texts[i] = s.Redact(texts[i])
	}
}

func (s *Secrets) redactFailure(f *verify.Failure) {
	if f != nil {
		f.Message, f.Hint, f.Stderr = s.Redact(f.Message), s.Redact(f.Hint), s.Redact(f.Stderr)
	}
}

// redactReport hides secrets that became known after a server's own answer was redacted.
func (s *Secrets) redactReport(r *verify.Report) {
	s.redactAll(r.Warnings)
	s.redactFailure(r.Error)
	for i := range r.Servers {
		v := &r.Servers[i]
		s.redactAll(v.Warnings)
		s.redactFailure(v.Reason)
		s.redactChanges(v.Changes)
	}
}

func (s *Secrets) redactChanges(changes []verify.Change) {
	for i := range changes {
		changes[i].Tool = s.Redact(changes[i].Tool)
		for _, f := range changes[i].Fields {
			for k := range f.Details {
				d := &f.Details[k]
				d.Old, d.New, d.Diff, d.Pointer = s.Redact(d.Old), s.Redact(d.New), s.Redact(d.Diff), s.Redact(d.Pointer)
			}
		}
	}
}
