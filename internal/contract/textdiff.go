package contract

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/contractpin/verify/internal/visible"
)

const (
	maxDiffed  = 64 << 10 // bytes of a text that is compared by words and lines; a longer one is compared only around its first change
	contextLen = 60       // bytes kept on each side of a change in a long line
	longLine   = 160      // bytes; a longer line of a diff is cut to windows
)

func isString(canonical []byte) bool { return len(canonical) > 0 && canonical[0] == '"' }

// textOf is the text of a canonical JSON string, or the canonical bytes of anything else.
func textOf(canonical []byte) string {
	var s string
	if isString(canonical) && json.Unmarshal(canonical, &s) == nil {
		return s
	}
	return string(canonical)
}

// compareTexts fills Diff and Words.
func (d *Detail) compareTexts(old, new string) {
	old, new = aroundFirstChange(old, new)
	// Escaping comes first: it keeps different texts different, and what is unseen must be seen in the diff.
	a, b := visible.Text(old), visible.Text(new)
	d.Words = shorten(words(a, b))
	d.Diff = lineDiff(a, b)
}

// aroundFirstChange cuts two long texts to the part that begins shortly before they differ.
func aroundFirstChange(a, b string) (string, string) {
	if len(a) <= maxDiffed && len(b) <= maxDiffed {
		return a, b
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	i = max(0, i-4*contextLen)
	for i > 0 && !(utf8.RuneStart(a[i])) {
		i--
	}
	return validPrefix(a[i:], maxDiffed), validPrefix(b[i:], maxDiffed)
}

func validPrefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// words compares two escaped texts by words.
func words(a, b string) []Word {
	head, tail := sameEnds(a, b)
	out := wordsBetween(a[head:len(a)-tail], b[head:len(b)-tail], push(nil, "same", a[:head]))
	return push(out, "same", a[len(a)-tail:])
}

// sameEnds measures what two texts begin and end with alike, up to a blank: most changes are small, and comparing
// words is the dear part.
func sameEnds(a, b string) (head, tail int) {
	n := min(len(a), len(b))
	for head < n && a[head] == b[head] {
		head++
	}
	head = strings.LastIndexByte(a[:head], ' ') + 1
	for tail < n-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if i := strings.IndexByte(a[len(a)-tail:], ' '); i >= 0 {
		return head, tail - i
	}
	return head, 0
}

func wordsBetween(a, b string, out []Word) []Word {
	ta, tb := tokens(a), tokens(b)
	// The line diff does the work: each distinct token stands for one line, a single character long.
	ids := map[string]rune{}
	la, lb := asLines(ta, ids), asLines(tb, ids)
	at := 0 // tokens of a used so far
	for _, e := range udiff.Lines(la.text, lb.text) {
		from, to := la.token(e.Start), la.token(e.End)
		out = push(out, "same", ta[at:from]...)
		out = push(out, "old", ta[from:to]...)
		out = push(out, "new", lb.named(e.New)...)
		at = to
	}
	return push(out, "same", ta[at:]...)
}

// lines is a text of one-character lines that stands for tokens.
type lines struct {
	text  string
	start map[int]int // byte offset in text → index of the token there
	names map[rune]string
}

func (l *lines) token(offset int) int { return l.start[offset] }

func (l *lines) named(text string) []string {
	var out []string
	for _, r := range text {
		if r != '\n' {
			out = append(out, l.names[r])
		}
	}
	return out
}

func asLines(ts []string, ids map[string]rune) *lines {
	l := &lines{start: make(map[int]int, len(ts)+1), names: map[rune]string{}}
	var b strings.Builder
	for i, t := range ts {
		l.start[b.Len()] = i
		id, ok := ids[t]
		if !ok {
			id = rune(0x4E00 + len(ids)) // any characters will do that are no line feed and no surrogate
			if id >= 0xD800 {
				id += 0x800
			}
			ids[t] = id
		}
		l.names[id] = t
		b.WriteRune(id)
		b.WriteByte('\n')
	}
	l.start[b.Len()] = len(ts)
	l.text = b.String()
	return l
}

// tokens splits an escaped text into words, runs of blanks, and single other characters; an escape such as \u{200B}
// belongs to the word that it stands in.
func tokens(s string) []string {
	var out []string
	for len(s) > 0 {
		n := tokenLen(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func tokenLen(s string) int {
	word, blank := 0, 0
	for word < len(s) {
		if strings.HasPrefix(s[word:], `\u{`) {
			if end := strings.IndexByte(s[word:], '}'); end > 0 {
				word += end + 1
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(s[word:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' {
			break
		}
		word += n
	}
	if word > 0 {
		return word
	}
	for blank < len(s) && s[blank] == ' ' {
		blank++
	}
	if blank > 0 {
		return blank
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// push appends tokens under one op, joined to the run before where that has the same op.
func push(out []Word, op string, ts ...string) []Word {
	text := strings.Join(ts, "")
	if text == "" {
		return out
	}
	if n := len(out); n > 0 && out[n-1].Op == op {
		out[n-1].Text += text
		return out
	}
	return append(out, Word{Op: op, Text: text})
}

// shorten leaves out the middle of long parts that are the same.
func shorten(ws []Word) []Word {
	var out []Word
	for i, w := range ws {
		if w.Op != "same" || len(w.Text) <= 3*contextLen {
			out = append(out, w)
			continue
		}
		head, tail := headOf(w.Text, contextLen), tailOf(w.Text, contextLen)
		if i > 0 {
			out = append(out, Word{Op: "same", Text: head})
		}
		out = append(out, Word{Op: "skip"})
		if i < len(ws)-1 {
			out = append(out, Word{Op: "same", Text: tail})
		}
	}
	return out
}

// headOf and tailOf take about n bytes, whole tokens where they can.
func headOf(s string, n int) string {
	cut := validPrefix(s, n)
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return cut
}

func tailOf(s string, n int) string {
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	cut := s[i:]
	if j := strings.IndexByte(cut, ' '); j >= 0 && j < n/2 {
		cut = cut[j+1:]
	}
	return cut
}

// lineDiff renders hunks of a unified diff with one line of context.
func lineDiff(a, b string) string {
	u, err := udiff.ToUnifiedDiff("", "", a, udiff.Lines(a, b), 1)
	if err != nil { // the edits come from the same two texts
		return ""
	}
	var out strings.Builder
	for i, h := range u.Hunks {
		if i > 0 {
			out.WriteString(" …\n")
		}
		writeHunk(&out, h.Lines)
	}
	return out.String()
}

func writeHunk(out *strings.Builder, ls []udiff.Line) {
	for len(ls) > 0 {
		n := 0
		for n < len(ls) && ls[n].Kind != udiff.Equal {
			n++
		}
		if n == 0 {
			out.WriteString(" " + ellipsis(strings.TrimSuffix(ls[0].Content, "\n")) + "\n")
			ls = ls[1:]
			continue
		}
		writeChange(out, ls[:n])
		ls = ls[n:]
	}
}

// writeChange writes a run of deleted and inserted lines; long ones as windows around the words that differ.
func writeChange(out *strings.Builder, ls []udiff.Line) {
	var old, new strings.Builder
	long := false
	for _, l := range ls {
		long = long || len(l.Content) > longLine
		if l.Kind == udiff.Delete {
			old.WriteString(l.Content)
		} else {
			new.WriteString(l.Content)
		}
	}
	a, b := old.String(), new.String()
	if long && a != "" && b != "" {
		ws := shorten(words(a, b))
		a, b = sideOf(ws, "old"), sideOf(ws, "new")
	}
	writeLines(out, "-", a)
	writeLines(out, "+", b)
}

func sideOf(ws []Word, op string) string {
	var b strings.Builder
	for _, w := range ws {
		switch w.Op {
		case "skip":
			b.WriteString("…")
		case "same", op:
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

func writeLines(out *strings.Builder, sign, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		out.WriteString(sign + line + "\n")
	}
}

func ellipsis(s string) string {
	if len(s) <= longLine {
		return s
	}
	return headOf(s, longLine-contextLen) + "…"
}
