package visible

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ShellWord quotes a word for bash and zsh, in a command that a person may copy. What cannot be seen, or would start a runner command, is written as an
// escape in $'…', so that the command shown is the command run. One that begins with a dash is still an option.
func ShellWord(s string) string {
	plain, printable := s != "", !strings.Contains(s, "##[")
	for i := 0; i < len(s); i++ {
		c := s[i]
		printable = printable && c >= ' ' && c < 0x7f
		plain = plain && (c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("_./:@%+=,-", c) >= 0)
	}
	if plain {
		return s
	}
	if printable {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == utf8.RuneError && n == 1, r < ' ' || r == 0x7f, r == '[':
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case r >= utf8.RuneSelf:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	b.WriteByte('\'')
	return b.String()
}

// ShellOperand is ShellWord for the last words of a command, where one that begins with a dash must not be an option.
func ShellOperand(s string) string {
	if strings.HasPrefix(s, "-") {
		return "-- " + ShellWord(s)
	}
	return ShellWord(s)
}
