package report

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/visible"
)

// Bounds of what a terminal shows of one value, text or field.
const (
	textValue   = 160 // bytes of a value on one line
	textLines   = 12  // lines of a text as served
	textDiff    = 40  // lines of a diff
	textDetails = 12  // details of one finding
)

// details writes what differs, old against new.
func (t *texter) details(f *finding) {
	ds := f.details
	if was := f.compared(); was != nil {
		t.line("      compared with " + name(f.renamed.Tool) + ":")
		if len(was) == 0 {
			t.line("      nothing else differs")
		}
		for _, fc := range was {
			t.line("      " + fieldName(fc.Field))
			for i := range fc.Details[:min(len(fc.Details), textDetails)] {
				t.detail(&fc.Details[i])
			}
			if n := len(fc.Details) - textDetails; n > 0 {
				t.line("      … and " + count(n, "more change") + ": --format json shows all")
			}
		}
		return
	}
	if f.field == "" { // added or removed: all that the tool says, as far as it is known
		for _, fc := range f.tools[0].Fields {
			if fc.Field == contract.FieldName {
				continue
			}
			for i := range fc.Details {
				t.whole(fc.Field, &fc.Details[i])
			}
		}
		return
	}
	for i := range ds {
		if i == textDetails && len(ds) > textDetails+1 {
			t.line("      … and " + count(len(ds)-i, "more change") + ": --format json shows all")
			return
		}
		t.detail(&ds[i])
	}
}

// whole writes one field of an added or removed tool.
func (t *texter) whole(field string, d *contract.Detail) {
	text, sign := d.New, "+"
	if text == "" {
		text, sign = d.Old, "-"
	}
	plain, isText := jsonText(text)
	if field == contract.FieldDescription && (isText || d.Kind == contract.DetailServed || d.Kind == contract.DetailPinned) {
		t.block(sign, fieldName(field)+":", plain)
		return
	}
	t.sided(sign, fieldName(field)+": "+visible.Line(text, textValue))
}

// jsonText returns the text of a canonical JSON string; anything else stays as it is.
func jsonText(canonical string) (string, bool) {
	var s string
	if strings.HasPrefix(canonical, `"`) && json.Unmarshal([]byte(canonical), &s) == nil {
		return s, true
	}
	return canonical, false
}

func (t *texter) detail(d *contract.Detail) {
	at := pointer(d.Pointer)
	switch d.Kind {
	case contract.DetailText, contract.DetailChanged:
		if ls := diffLines(d); ls != nil {
			if at != "" {
				t.line("      " + at)
			}
			t.diff(ls, shownWords(d))
			return
		}
		old, new := visible.Line(d.Old, textValue), visible.Line(d.New, textValue)
		if at != "" && len(at)+len(old)+len(new)+12 <= t.Width {
			t.line("      " + at + ": " + t.paint(red, old) + " → " + t.paint(green, new))
			return
		}
		t.sided("-", at+colon(at)+old)
		t.sided("+", at+colon(at)+new)
	case contract.DetailAdded:
		t.sided("+", at+colon(at)+visible.Line(d.New, textValue))
	case contract.DetailRemoved:
		t.sided("-", at+colon(at)+visible.Line(d.Old, textValue))
	case contract.DetailMoved:
		t.line("      " + at + colon(at) + "same members, other order; the server is probably non-deterministic")
		t.sided("-", visible.Line(d.Old, textValue))
		t.sided("+", visible.Line(d.New, textValue))
	case contract.DetailServed:
		t.block(" ", "as served now:", d.New)
	case contract.DetailPinned:
		t.block(" ", "as pinned:", d.Old)
	case contract.DetailMore:
		t.line("      … and " + visible.Line(d.New, 20) + " more changes")
	}
}

func colon(at string) string {
	if at == "" {
		return ""
	}
	return ": "
}

// pointer is a JSON Pointer for people; its keys come from a server.
func pointer(p string) string {
	return name(p)
}

// sided writes one old or new value.
func (t *texter) sided(sign, s string) {
	for _, part := range wrapLine(sign+" "+s, t.Width-6) {
		t.line("      " + t.paint(map[string]string{"-": red, "+": green}[sign], part))
	}
}

// block writes the first lines of a text.
func (t *texter) block(sign, head, text string) {
	t.line("      " + head)
	n := 0
	for l := range strings.SplitSeq(visible.Text(strings.TrimRight(text, "\n")), "\n") {
		if n == textLines {
			t.line("        …")
			return
		}
		for _, part := range chop(l, t.Width-8, textLines-n) {
			t.line("        " + t.paint(map[string]string{"-": red, "+": green}[sign], part))
			n++
		}
	}
}

// chop breaks a long line at blanks into at most n lines of about width.
func chop(l string, width, n int) []string {
	var out []string
	for len(l) > width && len(out) < n-1 {
		i := strings.LastIndexByte(l[:width], ' ')
		if i < width/3 {
			i = len(cutString(l, width))
		}
		out = append(out, l[:i])
		l = strings.TrimPrefix(l[i:], " ")
	}
	return append(out, cutLine(l, 2*width))
}

// cutLine cuts escaped text to about n bytes.
func cutLine(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return cutString(s, n) + "…"
}

// diff writes a changed text: on a terminal with colours as one text with its old and new words marked, as long as
// most of it stayed; else line by line.
func (t *texter) diff(lines []string, ws []contract.Word) {
	if t.Color && mostlySame(ws) {
		t.words(ws)
		return
	}
	for i, l := range lines {
		if i == textDiff && len(lines) > textDiff+1 {
			t.line("      … and " + count(len(lines)-i, "more line"))
			return
		}
		for _, part := range wrapLine(cutLine(l, 4*t.Width), t.Width-6) {
			t.line("      " + t.paint(map[byte]string{'+': green, '-': red, ' ': dim}[l[0]], part))
		}
	}
}

func mostlySame(ws []contract.Word) bool {
	same, all := 0, 0
	for _, w := range ws {
		switch w.Op {
		case "same", "skip":
			same += len(w.Text) + len(w.Op)
		}
		all += len(w.Text) + len(w.Op)
	}
	return len(ws) > 0 && same*3 >= all
}

// words writes a text with what went struck red and what came green, wrapped to the width.
func (t *texter) words(ws []contract.Word) {
	const indent = "      "
	lines, col := 1, 0
	full := false
	breakLine := func() {
		if full = lines == textDiff; !full {
			t.write("\n" + indent)
			lines, col = lines+1, 0
		}
	}
	t.write(indent)
	for _, w := range ws {
		code, text := map[string]string{"old": struck, "new": fresh}[w.Op], w.Text
		if w.Op == "skip" {
			code, text = dim, "…"
		}
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				breakLine()
			}
			for _, word := range strings.SplitAfter(line, " ") {
				n := utf8.RuneCountInString(word)
				if col > 0 && col+n > t.Width-len(indent) {
					breakLine()
				}
				if full {
					t.line("\n" + indent + "…")
					return
				}
				t.write(paintWord(t, code, word))
				col += n
			}
		}
	}
	t.line("")
}

func paintWord(t *texter, code, s string) string {
	if code == "" {
		return s
	}
	return t.paint(code, s)
}
