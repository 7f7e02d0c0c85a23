package visible

import (
	"strings"
	"unicode"
)

// Inert breaks what a CI runner would obey in one line: "::" at its start, space before it or not, and "##[" anywhere.
// Name, Text and Line do so themselves; it is for lines that are put together or broken anew.
func Inert(line string) string {
	if start := strings.TrimLeftFunc(line, unseen); strings.HasPrefix(start, "::") {
		line = line[:len(line)-len(start)] + `\u{003A}` + start[1:]
	}
	return strings.ReplaceAll(line, "##[", `##\u{005B}`)
}

// unseen is what may stand before "::" at what a reader, or the runner's comparison, takes for the start of a line.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar
}
