package run

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/pattern"
	"github.com/contractpin/verify/internal/secret"
	"github.com/contractpin/verify/internal/verify"
)

// Secrets collects the values that no output may hold: headers, and what ${NAME} stands for. They become known one by
// one, as servers are started. The zero value is ready.
type Secrets struct {
	mu       sync.Mutex
	values   map[string]bool
	redactor *secret.Redactor // of values; stale: to be made when a text comes
	stale    bool
}

// Add makes a value a secret.
func (s *Secrets) Add(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[string]bool{}
	}
	if !s.values[value] {
		s.values[value], s.stale = true, true
	}
}

// Redact replaces every secret in a text.
func (s *Secrets) Redact(text string) string { return s.current().String(text) }

// current is the redactor of all values so far. To make one costs as much as all values together, so it is not made for
// each that is added.
func (s *Secrets) current() *secret.Redactor {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stale {
		s.redactor, s.stale = secret.NewRedactor(slices.Sorted(maps.Keys(s.values))...), false
	}
	return s.redactor
}

// addReferences makes what a server's ${NAME} stand for secrets.
func (o *Options) addReferences(s *lock.Server) {
	for _, v := range References(s, o.lookupEnv) {
		o.Secrets.Add(v)
	}
}

// References are the values that stand for the ${NAME} of a server's launch description, but for public ones.
func References(s *lock.Server, lookup func(name string) (string, bool)) []string {
	texts := append([]string{s.URL}, s.Command...)
	for _, v := range s.Env {
		texts = append(texts, v)
	}
	var values []string
	for _, t := range texts {
		for _, m := range pattern.Reference().FindAllStringSubmatch(t, -1) {
			if v, ok := lookup(m[1]); ok && !secret.Public(m[1]) {
				values = append(values, v)
			}
		}
	}
	return values
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
			shown, _ = contract.ParseTool([]byte(`{"name":` + strconv.Quote(secret.Mask) + `}`))
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
	for i := range r.Coverage {
		r.Coverage[i].Message = s.Redact(r.Coverage[i].Message)
	}
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
