package github

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sethvargo/go-githubactions"

	"github.com/contractpin/verify/internal/visible"
)

// Runner writes what the job's runner reads: the log, commands in it, outputs and the summary. Nothing that a server sent
// can become a command, an output or a mask through it. Writing to the log never fails.
type Runner struct {
	mu     sync.Mutex // keeps lines and commands whole
	out    io.Writer
	log    *logWriter
	action *githubactions.Action
	getenv func(string) string
	redact func(string) string
	masked map[string]bool
	used   map[Level]int // annotations so far
}

// NewRunner writes the log and the commands to stdout.
func NewRunner(stdout io.Writer, getenv func(string) string) *Runner {
	r := &Runner{
		out:    unfailing{stdout},
		getenv: getenv,
		redact: func(s string) string { return s },
		masked: map[string]bool{},
		used:   map[Level]int{},
	}
	r.log = &logWriter{r: r}
	r.action = githubactions.New(githubactions.WithWriter(r.out), githubactions.WithGetenv(getenv))
	return r
}

// Redact sets what takes secrets out of every text written from now on.
func (r *Runner) Redact(f func(string) string) { r.redact = f }

// Input is the value of an input, without the space around it.
func (r *Runner) Input(name string) string { return r.action.GetInput(name) }

// Log takes text of any origin and writes its complete lines, each made harmless.
func (r *Runner) Log() io.Writer { return r.log }

// Logf writes one line to the log.
func (r *Runner) Logf(format string, args ...any) { fmt.Fprintf(r.log, format+"\n", args...) }

// Group opens a section of the log that a reader can fold; EndGroup closes it.
func (r *Runner) Group(title string) {
	r.command(func() { r.action.Group(r.oneLine(title, maxTitle)) })
}

// EndGroup closes the section.
func (r *Runner) EndGroup() { r.command(r.action.EndGroup) }

// Mask has the runner show a secret as *** in the log and the summary, also where it is written in base64, as JSON or in a
// URL. The runner masks lines, so each counts.
func (r *Runner) Mask(secret string) {
	for _, line := range strings.FieldsFunc(secret, func(c rune) bool { return c == '\n' || c == '\r' }) {
		line = strings.TrimSpace(line)
		if line == "" || r.masked[line] {
			continue
		}
		r.masked[line] = true
		r.command(func() { r.action.AddMask(line) })
	}
}

// command writes between two lines of the log.
func (r *Runner) command(write func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log.flush()
	write()
}

// Level is the kind of an annotation.
type Level string

// The runner's three kinds.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Notice  Level = "notice"
)

// shown is how many annotations of one kind GitHub keeps of a step.
const shown = 10

// Annotation is a message on the run's page and, with a file, on that file's line in the pull request. What a server sent
// has been through package visible before it stands in one.
type Annotation struct {
	Level   Level
	Title   string
	Message string
	File    string // relative to the workspace, with slashes; "": none
	Line    int    // from 1; 0: none
}

// Limits in bytes. The runner cuts a message at 4,096 characters.
const (
	maxTitle   = 200
	maxMessage = 4000
)

// Annotate writes one annotation. Those beyond what GitHub shows of a kind go to the log as plain lines.
func (r *Runner) Annotate(a Annotation) {
	title, message := r.oneLine(a.Title, maxTitle), r.oneLine(a.Message, maxMessage)
	if r.used[a.Level]++; r.used[a.Level] > shown {
		r.Logf("%s: %s: %s", a.Level, title, message)
		return
	}
	fields := map[string]string{"title": title}
	if a.File != "" {
		fields["file"] = a.File
		if a.Line > 0 {
			fields["line"] = strconv.Itoa(a.Line)
		}
	}
	to := r.action.WithFieldsMap(fields)
	r.command(func() {
		switch a.Level {
		case Error:
			to.Errorf("%s", message)
		case Warning:
			to.Warningf("%s", message)
		default:
			to.Noticef("%s", message)
		}
	})
}

// oneLine is text without secrets and control characters, of at most limit bytes.
func (r *Runner) oneLine(text string, limit int) string {
	text = Harmless(r.redact(text))
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len("…")], "") + "…"
}

// Warn writes a warning about the action itself, with no place in a file.
func (r *Runner) Warn(message string) {
	r.Annotate(Annotation{Level: Warning, Title: "contractpin", Message: visible.Line(message, maxMessage)})
}

// Output sets an output. A value is one line: what ends it could forge another output.
func (r *Runner) Output(name, value string) error {
	if strings.ContainsFunc(value, control) || strings.Contains(value, "\t") || !utf8.ValidString(value) {
		return fmt.Errorf("output %s: a character that does not belong there in %q", name, value)
	}
	return r.appendTo("GITHUB_OUTPUT", name+"="+value+"\n")
}

// Summary appends Markdown to the job's summary. Nothing happens where the runner keeps none.
func (r *Runner) Summary(markdown string) error {
	return r.appendTo("GITHUB_STEP_SUMMARY", strings.TrimSuffix(r.redact(markdown), "\n")+"\n")
}

func (r *Runner) appendTo(variable, text string) (err error) {
	path := r.getenv(variable)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("%s: %w", variable, closeErr)
		}
	}()
	if _, err := io.WriteString(f, text); err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	return nil
}

// unfailing drops what cannot be written: a closed log is no reason to lose a verdict, and go-githubactions panics.
type unfailing struct{ w io.Writer }

func (u unfailing) Write(p []byte) (int, error) {
	u.w.Write(p)
	return len(p), nil
}
