package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/visible"
)

// Whatever is not our own word stands in a code span, in a fence or, inside a <summary>, in <code>. There nothing
// mentions, links, draws or opens HTML; what follows sees to it that nothing gets out.

// code is a code span of text that is on one line and escaped already.
func code(s string) string {
	if s == "" {
		return "(empty)"
	}
	s = noMarker(s)
	fence := strings.Repeat("`", longestRun(s)+1)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' { // a span loses a blank at both ends, never at one
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// nameCode and lineCode are code spans of foreign text.
func nameCode(s string) string          { return code(name(s)) }
func lineCode(s string, max int) string { return code(visible.Line(s, max)) }

// cell makes markdown safe to stand in a table. Tables are split at pipes before code spans are looked at; a pipe after
// a backslash counts as escaped for some parsers whatever stands before, so such a one is written as an escape.
func cell(md string) string {
	if !strings.Contains(md, "|") {
		return md
	}
	var b strings.Builder
	backslashes := 0
	for i := 0; i < len(md); i++ {
		switch {
		case md[i] != '|':
			b.WriteByte(md[i])
		case backslashes%2 == 0:
			b.WriteString(`\|`)
		default:
			b.WriteString(`\\u{007C}`)
		}
		if md[i] == '\\' {
			backslashes++
		} else {
			backslashes = 0
		}
	}
	return b.String()
}

// row is one row of a table.
func tableRow(cells ...string) string {
	for i := range cells {
		cells[i] = cell(cells[i])
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// fence is a fenced block of lines that are escaped already.
func fence(info string, lines []string) string {
	text := noMarker(strings.Join(lines, "\n"))
	f := strings.Repeat("`", max(3, longestRun(text)+1))
	return f + info + "\n" + text + "\n" + f + "\n"
}

// htmlCode is a name inside an HTML block, where markdown does not reach: everything but letters and digits is written
// as an entity.
func htmlCode(s string) string {
	var b strings.Builder
	for _, r := range name(s) {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '-' || r == '.' || r == ' ' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return "<code>" + b.String() + "</code>"
}

// noMarker breaks our own marker in foreign text, so that it stands in a comment once.
func noMarker(s string) string {
	return strings.ReplaceAll(s, markerPrefix, strings.Replace(markerPrefix, "!", `\u{0021}`, 1))
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

// utf16Len is the length that GitHub's limit may count: characters above U+FFFF are two.
func utf16Len(s string) int {
	n := utf8.RuneCountInString(s)
	for i := 0; i < len(s); i++ {
		if s[i] >= 0xf0 {
			n++
		}
	}
	return n
}

// byteLen is what the job summary's limit counts.
func byteLen(s string) int { return len(s) }
