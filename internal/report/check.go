package report

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// check tells what in a report does not follow from the rest of it.
func check(r *verify.Report) error {
	if r.Report != verify.Format {
		return fmt.Errorf("report is %s, want %q", quoted(r.Report), verify.Format)
	}
	if s := r.Shard; s != nil && (s.Index < 1 || s.Index > s.Count || s.Count > maxShards) {
		return fmt.Errorf("shard %d of %d", s.Index, s.Count)
	}
	if r.Error == nil && r.LockDigest.IsZero() && len(r.Servers) > 0 {
		return errors.New("lock_digest is absent")
	}
	for i := range r.Servers {
		s := &r.Servers[i]
		if i > 0 && r.Servers[i-1].Name >= s.Name {
			return fmt.Errorf("server %s is not in its place", quoted(s.Name))
		}
		if err := checkServer(s); err != nil {
			return fmt.Errorf("server %s: %w", quoted(s.Name), err)
		}
	}
	if err := checkCoverage(r.Coverage); err != nil {
		return fmt.Errorf("coverage: %w", err)
	}
	if err := checkReview(r.Review); err != nil {
		return fmt.Errorf("review: %w", err)
	}
	c := *r
	c.Servers, c.Coverage = slices.Clone(r.Servers), slices.Clone(r.Coverage)
	c.Finish()
	if c.Result != r.Result || c.ExitCode != r.ExitCode {
		return fmt.Errorf("result %s with exit_code %d, but the rest amounts to %s with %d", quoted(string(r.Result)), r.ExitCode, c.Result, c.ExitCode)
	}
	return nil
}

// maxShards bounds the entries that a missing report makes Merge add.
const maxShards = 10_000

func quoted(s string) string { return strconv.QuoteToASCII(cutString(s, 100)) }

func checkServer(s *verify.Server) error {
	switch {
	case s.DurationMS < 0 || s.Line < 0 || s.Locked.ToolCount < 0:
		return errors.New("a negative number")
	case s.Reason != nil && s.Reason.Code == missingReport && s.Status == verify.Unreachable && s.Transport == "" && s.Locked == (verify.Side{}):
	case !slices.Contains([]string{lock.Stdio, lock.HTTP, lock.File}, s.Transport):
		return fmt.Errorf("transport %s", quoted(s.Transport))
	case s.Locked.Digest.IsZero():
		return errors.New("locked.digest is absent")
	}
	switch s.Status {
	case verify.Match, verify.Drift:
		return checkCompared(s)
	case verify.Unreachable, verify.Malformed, verify.Blocked:
		if s.Live != nil || len(s.Changes) > 0 || s.Counts != (verify.Counts{}) {
			return fmt.Errorf("%s, but compared all the same", s.Status)
		}
		return nil
	}
	return fmt.Errorf("status %s", quoted(string(s.Status)))
}

// checkCompared holds a listed server's status and counts to its changes.
func checkCompared(s *verify.Server) error {
	if s.Live == nil || s.Live.Digest.IsZero() || s.Reason != nil {
		return fmt.Errorf("%s, but not listed", s.Status)
	}
	counts, err := tally(s.Changes, s.Counts.Unchanged)
	if err != nil {
		return err
	}
	status := verify.Match
	if slices.ContainsFunc(s.Changes, func(c verify.Change) bool { return !c.Allowed }) {
		status = verify.Drift
	}
	switch {
	case s.Status != status:
		return fmt.Errorf("status %s, but its changes amount to %s", s.Status, status)
	case (s.Live.Digest == s.Locked.Digest) != (len(s.Changes) == 0):
		return errors.New("the server digests do not agree with the changes")
	}
	return agree(counts, s.Counts, &s.Locked, s.Live)
}

// agree holds counts to the tools on both sides.
func agree(counts, said verify.Counts, old, new *verify.Side) error {
	was, is := 0, 0
	if old != nil {
		was = old.ToolCount
	}
	if new != nil {
		is = new.ToolCount
	}
	if counts != said || said.Unchanged < 0 || said.Unchanged+said.Drifted+said.Removed != was || said.Unchanged+said.Drifted+said.Added != is {
		return errors.New("the counts do not follow from the changes")
	}
	return nil
}

// tally counts changes and checks each.
func tally(changes []verify.Change, unchanged int) (verify.Counts, error) {
	n := verify.Counts{Unchanged: unchanged}
	for i := range changes {
		c := &changes[i]
		if i > 0 && changes[i-1].Tool >= c.Tool {
			return n, fmt.Errorf("tool %s is not in its place", quoted(c.Tool))
		}
		if err := checkChange(c); err != nil {
			return n, fmt.Errorf("tool %s: %w", quoted(c.Tool), err)
		}
		switch c.Kind {
		case contract.Drifted:
			n.Drifted++
		case contract.Added:
			n.Added++
		case contract.Removed:
			n.Removed++
		}
	}
	return n, nil
}

func checkChange(c *verify.Change) error {
	if err := checkSides(c.Kind, contract.Drifted, c.Locked, c.Live); err != nil {
		return err
	}
	if c.Line < 0 || c.Allowed && c.Kind != contract.Added {
		return errors.New("a negative line, or allowed though it is not new")
	}
	for _, l := range c.Labels {
		if contract.ExplainLabel(l) == "" {
			return fmt.Errorf("label %s is none of ours", quoted(l))
		}
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		if i > 0 && c.Fields[i-1].Field >= f.Field {
			return fmt.Errorf("field %s is not in its place", quoted(f.Field))
		}
		if err := checkField(c, f); err != nil {
			return fmt.Errorf("field %s: %w", quoted(f.Field), err)
		}
	}
	return nil
}

var fieldNames = []string{
	contract.FieldAnnotations, contract.FieldDescription, contract.FieldInputSchema, contract.FieldName, contract.FieldOutputSchema,
}

func checkField(c *verify.Change, f *verify.FieldChange) error {
	if !slices.Contains(fieldNames, f.Field) {
		return errors.New("no field of a contract")
	}
	if c.Note == "" { // else the locked digests are not known
		if err := checkSides(f.Kind, contract.Changed, f.Locked, f.Live); err != nil {
			return err
		}
	}
	for i := range f.Details {
		d := &f.Details[i]
		if !slices.Contains(detailKinds, d.Kind) {
			return fmt.Errorf("detail of kind %s", quoted(d.Kind))
		}
		if d.Diff != "" && diffLines(d) == nil || len(d.Words) > 0 && shownWords(d) == nil {
			return errors.New("a diff that is not escaped")
		}
		for _, w := range d.Words {
			if !slices.Contains([]string{"same", "old", "new", "skip"}, w.Op) {
				return fmt.Errorf("words with op %s", quoted(w.Op))
			}
		}
	}
	return nil
}

var detailKinds = []string{
	contract.DetailText, contract.DetailAdded, contract.DetailRemoved, contract.DetailChanged, contract.DetailMoved,
	contract.DetailServed, contract.DetailPinned, contract.DetailMore,
}

// checkSides holds a kind to the digests that are there: both and different, or the one that came or went.
func checkSides(kind, changed string, locked, live contract.Digest) error {
	ok := false
	switch kind {
	case changed:
		ok = !locked.IsZero() && !live.IsZero() && locked != live
	case contract.Added:
		ok = locked.IsZero() && !live.IsZero()
	case contract.Removed:
		ok = !locked.IsZero() && live.IsZero()
	}
	if !ok {
		return fmt.Errorf("kind %s does not go with its digests", quoted(kind))
	}
	return nil
}

func checkReview(r *verify.Review) error {
	if r == nil {
		return nil
	}
	for i := range r.Servers {
		s := &r.Servers[i]
		if i > 0 && r.Servers[i-1].Name >= s.Name {
			return fmt.Errorf("server %s is not in its place", quoted(s.Name))
		}
		counts, err := tally(s.Changes, s.Counts.Unchanged)
		if err == nil {
			err = agree(counts, s.Counts, s.Old, s.New)
		}
		kinds := map[string]bool{contract.Added: s.Old == nil && s.New != nil, contract.Removed: s.Old != nil && s.New == nil, contract.Changed: s.Old != nil && s.New != nil}
		if err == nil && !kinds[s.Kind] {
			err = fmt.Errorf("kind %s does not go with its sides", quoted(s.Kind))
		}
		live := []verify.Status{"", verify.Match, verify.Drift, verify.Unreachable, verify.Malformed, verify.Blocked}
		if err == nil && (s.Line < 0 || !slices.Contains(live, s.Live)) {
			err = fmt.Errorf("live is %s", quoted(string(s.Live)))
		}
		if err != nil {
			return fmt.Errorf("server %s: %w", quoted(s.Name), err)
		}
	}
	return nil
}
