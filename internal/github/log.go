package github

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/visible"
)

// maxLine bounds what an unfinished line may hold in memory; a longer one is broken in two.
const maxLine = 1 << 20

// logWriter passes complete lines on, made harmless.
type logWriter struct {
	r       *Runner
	partial []byte // a line without its end; guarded by r.mu
}

func (l *logWriter) Write(p []byte) (int, error) {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	l.partial = append(l.partial, p...)
	for {
		end := bytes.IndexByte(l.partial, '\n')
		next := end + 1
		if end < 0 && len(l.partial) > maxLine {
			end, next = maxLine, maxLine
		}
		if end < 0 {
			return len(p), nil
		}
		l.line(l.partial[:end])
		l.partial = l.partial[next:]
	}
}

// flush ends a line that has begun, so that a command can follow.
func (l *logWriter) flush() {
	if len(l.partial) > 0 {
		l.line(l.partial)
		l.partial = nil
	}
}

func (l *logWriter) line(b []byte) {
	l.r.out.Write([]byte(Harmless(l.r.redact(string(b))) + "\n"))
}

// Harmless makes one line safe for the log. The runner reads a command after "::" at the start of a line, spaces before
// it or not, and after "##[" anywhere; and a carriage return ends a line for it as a line feed does. Control characters
// are shown as \u{001B}.
func Harmless(line string) string {
	line = visible.Inert(line)
	if !strings.ContainsFunc(line, control) {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		if control(r) {
			fmt.Fprintf(&b, `\u{%04X}`, r)
		} else {
			b.WriteString(line[i : i+n])
		}
		i += n
	}
	return b.String()
}

func control(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || r == '\u2028' || r == '\u2029'
}
