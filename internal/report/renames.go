package report

import (
	"strings"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
)

// renames pairs removed with added tools: those whose names differ only in case and punctuation, and those with the same
// description, as long as no third one has it too. It is a hint in words; both stay findings.
func renames(changes []verify.Change) map[int]string {
	out := map[int]string{}
	for _, key := range []func(*verify.Change) string{bareName, describedBy} {
		gone, came := map[string][]int{}, map[string][]int{}
		for i := range changes {
			c := &changes[i]
			k := key(c)
			switch {
			case k == "" || out[i] != "":
			case c.Kind == contract.Removed:
				gone[k] = append(gone[k], i)
			case c.Kind == contract.Added:
				came[k] = append(came[k], i)
			}
		}
		for k, a := range gone {
			if b := came[k]; len(a) == 1 && len(b) == 1 {
				out[a[0]], out[b[0]] = changes[b[0]].Tool, changes[a[0]].Tool
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
