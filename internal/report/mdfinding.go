package report

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// inRow bounds what a row says by itself: the longest value, and the number of details.
const (
	inRowValue = 60
	inRow      = 3
)

// what words the kind of a finding and, where that is short, the change itself.
func (w *writer) what(f *finding) string {
	if s := f.presence(func(s string) string { return "**" + s + "**" }, nameCode); s != "" {
		return s
	}
	s := code(fieldName(f.field))
	switch f.fieldKind {
	case contract.Added:
		s += " added"
	case contract.Removed:
		s += " removed"
	}
	if f.brief() {
		for i := range f.details {
			s += []string{": ", ", "}[min(i, 1)] + briefly(&f.details[i])
		}
	}
	return s
}

// briefly says a short detail in a few words.
func briefly(d *contract.Detail) string {
	at := ""
	if d.Pointer != "" {
		at = code(pointer(d.Pointer)) + " "
	}
	switch d.Kind {
	case contract.DetailAdded:
		return at + "appeared as " + lineCode(d.New, inRowValue)
	case contract.DetailRemoved:
		return at + "is gone, was " + lineCode(d.Old, inRowValue)
	}
	return at + lineCode(d.Old, inRowValue) + " → " + lineCode(d.New, inRowValue)
}

// hasDetails tells whether a finding needs more room than its row.
func (w *writer) hasDetails(f *finding) bool {
	switch f.kind {
	case contract.Removed:
		return w.summary // nobody reads a tool that is gone
	case contract.Added:
		for _, fc := range f.tools[0].Fields {
			if fc.Field != contract.FieldName && len(fc.Details) > 0 {
				return true
			}
		}
		return f.tools[0].Note != ""
	}
	return !f.brief() || f.tools[0].Note != "" || w.summary && len(f.tools) > 3
}

// brief tells whether a row can say all that changed.
func (f *finding) brief() bool {
	for i := range f.details {
		d := &f.details[i]
		switch d.Kind {
		case contract.DetailAdded, contract.DetailRemoved, contract.DetailChanged:
			if d.Diff != "" || len(d.Old) > inRowValue || len(d.New) > inRowValue {
				return false
			}
		default:
			return false
		}
	}
	return len(f.details) <= inRow
}

// findingDetails shows a finding in full: old against new where both are known.
func (w *writer) findingDetails(f *finding) string {
	c := f.tools[0]
	var b strings.Builder
	if len(f.tools) == 1 {
		b.WriteString("**" + nameCode(c.Tool) + "**")
	} else {
		b.WriteString(w.toolsOf(f, w.names))
	}
	switch f.kind {
	case contract.Added:
		b.WriteString(" · new tool")
	case contract.Removed:
		b.WriteString(" · removed")
	default:
		b.WriteString(" · " + code(fieldName(f.field)))
	}
	if c.Note != "" {
		b.WriteString(" · " + lineCode(c.Note, 300))
	}
	if a, l, same := f.digests(); w.summary && same {
		b.WriteString("\n\nDigest: " + fullDigests(a, l))
	}
	b.WriteString("\n\n")
	ls := &lineBudget{bounds: w.detail}
	if was := f.compared(); was != nil {
		b.WriteString("Compared with " + nameCode(f.renamed.Tool) + ", which is gone:\n\n")
		w.fields(ls, was)
	} else if f.field == "" {
		for i := range c.Fields {
			w.wholeField(ls, &c.Fields[i])
		}
	} else {
		for i := range f.details {
			if d := &f.details[i]; d.Kind == contract.DetailServed || d.Kind == contract.DetailPinned {
				b.WriteString(w.oneSided(d))
			} else {
				w.detailLines(ls, d)
			}
		}
	}
	if lines := ls.done(); len(lines) > 0 {
		b.WriteString(fence("diff", lines) + "\n")
	}
	return b.String()
}

func fullDigests(locked, live contract.Digest) string {
	var parts []string
	if !locked.IsZero() {
		parts = append(parts, "locked "+code(locked.String()))
	}
	if !live.IsZero() {
		parts = append(parts, "live "+code(live.String()))
	}
	return strings.Join(parts, ", ")
}

// lineBudget collects lines until there are too many.
type lineBudget struct {
	bounds
	lines []string
	over  int
}

func (l *lineBudget) add(s string) {
	for _, part := range wrapLine(s, fenceWidth) {
		part = visible.Inert(part)
		if len(l.lines) >= l.bounds.lines || l.bytes < len(part) {
			l.over++
			return
		}
		l.bytes -= len(part)
		l.lines = append(l.lines, part)
	}
}

func (l *lineBudget) done() []string {
	if l.over > 0 {
		return append(l.lines, "  … "+count(l.over, "more line"))
	}
	return l.lines
}

// fenceWidth is how many columns of a fence a reader sees without scrolling. What stands further right could hide.
const fenceWidth = 80

// wrapLine breaks a line of a fence at blanks. The parts after the first begin with the line's sign and are indented; one
// may begin with what a CI runner would take for a command.
func wrapLine(l string, width int) []string {
	if len(l) <= width {
		return []string{l}
	}
	sign := ""
	if strings.IndexByte("+-@ ", l[0]) >= 0 {
		sign = l[:1]
	}
	var out []string
	for utf8.RuneCountInString(l) > width {
		i := byteAt(l, width)
		if j := strings.LastIndexByte(l[:i], ' '); j > width/2 {
			i = j
		} else if j := strings.LastIndexByte(l[:i], ','); j > width/2 {
			i = j + 1
		}
		out = append(out, strings.TrimRight(l[:i], " "))
		l = sign + "    " + strings.TrimLeft(l[i:], " ")
	}
	return append(out, l)
}

// byteAt is the offset of the n-th character.
func byteAt(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// fields are the lines of several changed fields.
func (w *writer) fields(out *lineBudget, fs []verify.FieldChange) {
	for i := range fs {
		out.add("@@ " + fieldName(fs[i].Field) + " @@")
		for j := range fs[i].Details {
			w.detailLines(out, &fs[i].Details[j])
		}
	}
	if len(fs) == 0 {
		out.add("  nothing else differs")
	}
}

// detailLines are the lines of a diff fence.
func (w *writer) detailLines(out *lineBudget, d *contract.Detail) {
	at := pointer(d.Pointer)
	old, new := visible.Line(d.Old, w.detail.value), visible.Line(d.New, w.detail.value)
	if lines := diffLines(d); lines != nil {
		if at != "" {
			out.add("@@ " + at + " @@")
		}
		for _, l := range lines {
			out.add(cutLine(l, 4*w.detail.value))
		}
		return
	}
	switch d.Kind {
	case contract.DetailAdded:
		out.add("+ " + at + colon(at) + new)
	case contract.DetailRemoved:
		out.add("- " + at + colon(at) + old)
	case contract.DetailMoved:
		out.add("@@ " + at + colon(at) + "same members, other order; the server is probably non-deterministic @@")
		out.add("- " + old)
		out.add("+ " + new)
	case contract.DetailMore:
		out.add("  … and " + visible.Line(d.New, 20) + " more changes")
	default:
		out.add("- " + at + colon(at) + old)
		out.add("+ " + at + colon(at) + new)
	}
}

// wholeField writes one field of an added or removed tool.
func (w *writer) wholeField(out *lineBudget, fc *verify.FieldChange) {
	if fc.Field == contract.FieldName {
		return
	}
	for i := range fc.Details {
		d := &fc.Details[i]
		sign, value := "+ ", d.New
		if value == "" {
			sign, value = "- ", d.Old
		}
		plain, isText := jsonText(value)
		if lines := schemaLines(fc.Field, value, w.detail.value); lines != nil {
			for _, l := range lines {
				out.add(sign + l)
			}
			continue
		}
		if !isText && fc.Field != contract.FieldDescription {
			out.add(sign + fieldName(fc.Field) + ": " + visible.Line(value, w.detail.value))
			continue
		}
		for j, l := range strings.Split(visible.Text(cutString(plain, w.detail.bytes)), "\n") {
			if j == 0 {
				l = fieldName(fc.Field) + ": " + l
			}
			out.add(sign + l)
		}
	}
}

// schemaLines shows a schema with a line for each property, whose descriptions a model reads too; nil where that is
// not possible.
func schemaLines(field, value string, max int) []string {
	var schema, properties map[string]json.RawMessage
	if field != contract.FieldInputSchema && field != contract.FieldOutputSchema || json.Unmarshal([]byte(value), &schema) != nil ||
		json.Unmarshal(schema["properties"], &properties) != nil || len(properties) == 0 {
		return nil
	}
	delete(schema, "properties")
	var rest []string
	for _, k := range slices.Sorted(maps.Keys(schema)) {
		rest = append(rest, name(k)+" "+visible.Line(string(schema[k]), max))
	}
	out := []string{field + ": " + strings.Join(rest, ", ")}
	for _, k := range slices.Sorted(maps.Keys(properties)) {
		out = append(out, "  "+name(k)+": "+visible.Line(string(properties[k]), max))
	}
	return out
}

// oneSided is a value of which only one side is known.
func (w *writer) oneSided(d *contract.Detail) string {
	head, value, info := "Reads now:", d.New, "text"
	if d.Kind == contract.DetailPinned {
		head, value = "Read when it was pinned:", d.Old
	}
	if strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") {
		var b bytes.Buffer
		if json.Indent(&b, []byte(value), "", "  ") == nil {
			value, info = b.String(), "json"
		}
	}
	ls := &lineBudget{bounds: w.detail}
	for _, l := range strings.Split(visible.Text(cutString(value, 2*w.detail.bytes)), "\n") {
		ls.add(cutLine(l, 4*w.detail.value))
	}
	return head + "\n\n" + fence(info, ls.done()) + "\n"
}
