package contract

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/contractpin/verify/internal/pattern"
	"github.com/contractpin/verify/internal/visible"
)

// instructions are the turns of phrase with which known poisoned descriptions address the model: few, and each about
// doing something other than using the tool. Compiled when first needed: it would be a tenth of the start of a run that
// matches.
var instructions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\b(ignore|disregard|forget|override)\b.{0,30}\b(previous|prior|above|earlier|other|user)\b`,
		`\b(do not|don't|never|without)\b.{0,20}\b(tell|telling|mention|mentioning|inform|informing|reveal|asking|notify|notifying)\b`,
		`\b(before|after|whenever|every time)\b.{0,40}\b(using|use|calling|call|invoking|running)\b.{0,30}\b(any|other|another|each|every)\b.{0,15}\btools?\b`,
		`\b(always|must|make sure to|be sure to)\b.{0,30}\b(call|read|send|include|pass|forward|upload|append|copy)\b`,
		`</?(important|system|instructions?|secret|hidden|admin)\b[^>]{0,40}>`,
		`\b(system prompt|conversation history|chat history)\b`,
		`(\.ssh\b|\bid_rsa\b|\.aws\b|/etc/passwd|mcp\.json\b|\bprivate keys?\b|\bcredentials\b)`,
		`\binstead of\b.{0,40}\btools?\b`,
	}, "|"))
})

// identifier is a word that looks like a tool's name. A tool that is called by an ordinary word ("search") cannot be
// told from the word.
var identifier = pattern.Lazy(`[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)+|[a-z]+[A-Z][A-Za-z0-9]*`)

// labelText labels what a text says that its old form did not say; all of it where the old form is not known.
func labelText(found map[string]bool, tool string, d Detail, pinned func(string) bool) {
	if d.Kind == DetailMoved || d.New == "" {
		return
	}
	old, new := proseOf(d, d.Old), proseOf(d, d.New)
	if visible.Hidden(new) && (!visible.Hidden(old) || hiddenWordCame(d)) {
		found[LabelHidden] = true
	}
	if len(d.Words) > 0 {
		new = sideOf(d.Words, "new") // what is new, with some of what stands around it
	}
	if cameNew(instructions(), old, new, nil) {
		found[LabelInstruction] = true
	}
	isOther := func(id string) bool { return id != tool && pinned != nil && pinned(id) }
	if cameNew(identifier(), old, new, isOther) {
		found[LabelNamesTool] = true
	}
}

// cameNew tells whether pattern finds something in new, accepted by want, that old does not hold.
func cameNew(pattern *regexp.Regexp, old, new string, want func(string) bool) bool {
	for _, m := range pattern.FindAllString(new, -1) {
		if !strings.Contains(old, m) && (want == nil || want(m)) {
			return true
		}
	}
	return false
}

// hiddenWordCame tells whether a new word of a text holds an escape.
func hiddenWordCame(d Detail) bool {
	for _, w := range d.Words {
		if w.Op == "new" && strings.Contains(w.Text, `\u{`) {
			return true
		}
	}
	return false
}

// proseOf is the running text of a detail's value: a text as it is, or every string of a JSON value on a line of its own.
func proseOf(d Detail, value string) string {
	if d.Kind == DetailText || d.Cut {
		return value
	}
	var v any
	if json.Unmarshal([]byte(value), &v) != nil {
		return value // a text as served
	}
	var b strings.Builder
	prose(&b, v, 0)
	return b.String()
}

func prose(b *strings.Builder, v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case string:
		b.WriteString(v + "\n")
	case []any:
		for _, e := range v {
			prose(b, e, depth+1)
		}
	case map[string]any:
		for k, e := range v {
			b.WriteString(k + "\n")
			prose(b, e, depth+1)
		}
	}
}
