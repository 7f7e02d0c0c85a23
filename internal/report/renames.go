package report

import (
	"strings"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// renames pairs removed with added tools: those whose names differ only in case and punctuation, and those with the same
// description, as long as no third one has it too. It is a hint in words; both stay findings.
func renames(changes []verify.Change) map[int]*verify.Change {
	out := map[int]*verify.Change{}
	for _, key := range []func(*verify.Change) string{bareName, describedBy} {
		gone, came := map[string][]int{}, map[string][]int{}
		for i := range changes {
			c := &changes[i]
			k := key(c)
			switch {
			case k == "" || out[i] != nil:
			case c.Kind == contract.Removed:
				gone[k] = append(gone[k], i)
			case c.Kind == contract.Added:
				came[k] = append(came[k], i)
			}
		}
		for k, a := range gone {
			if b := came[k]; len(a) == 1 && len(b) == 1 {
				out[a[0]], out[b[0]] = &changes[b[0]], &changes[a[0]]
			}
		}
	}
	return out
}

func bareName(c *verify.Change) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-./: ", r) {
			return -1
		}
		return r
	}, strings.ToLower(c.Tool))
}

// describedBy is the digest of the description.
func describedBy(c *verify.Change) string {
	for _, f := range c.Fields {
		if f.Field == contract.FieldDescription {
			if c.Kind == contract.Removed {
				return f.Locked.String()
			}
			return f.Live.String()
		}
	}
	return ""
}

// compared is how an added tool differs from the one that it may have been, field by field; nil where it has no such
// partner, or one of the two is not known in full.
func (f *finding) compared() []verify.FieldChange {
	if f.renamed == nil || f.kind != contract.Added {
		return nil
	}
	old, known := canonicalFields(f.renamed)
	now, both := canonicalFields(f.tools[0])
	if !known || !both {
		return nil
	}
	out := []verify.FieldChange{}
	for _, field := range fieldNames {
		if ds := contract.Describe(old[field], now[field], true); len(ds) > 0 && field != contract.FieldName {
			out = append(out, verify.FieldChange{Field: field, Kind: contract.Changed, Details: ds})
		}
	}
	return out
}

// canonicalFields are the fields of an added or removed tool as canonical JSON. A report that is not ours may hold
// anything there; what is no JSON is not compared.
func canonicalFields(c *verify.Change) (map[string][]byte, bool) {
	out := map[string][]byte{}
	for _, f := range c.Fields {
		if len(f.Details) != 1 || f.Details[0].Cut {
			return nil, false
		}
		d := f.Details[0]
		value := d.New
		if d.Kind == contract.DetailRemoved {
			value = d.Old
		} else if d.Kind != contract.DetailAdded {
			return nil, false
		}
		canonical, err := canon.Append(nil, []byte(value))
		if err != nil {
			return nil, false
		}
		out[f.Field] = canonical
	}
	return out, len(out) > 0
}
