package runner

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode"
)

// Command is one runner command: ::name key=value::data, or ##[name key=value]data.
type Command struct {
	Name       string
	Properties map[string]string
	Data       string
}

// known are the commands that the runner obeys.
var known = map[string]bool{
	"stop-commands": true, "set-env": true, "set-output": true, "save-state": true, "add-mask": true, "add-path": true,
	"add-matcher": true, "remove-matcher": true, "debug": true, "warning": true, "error": true, "notice": true,
	"group": true, "endgroup": true, "echo": true,
}

// logReader takes the lines of a step's two streams in turn.
type logReader struct {
	job *Job
	out *Outcome

	mu    sync.Mutex
	text  strings.Builder
	token string // of stop-commands; "" while commands are obeyed
}

// read splits as .NET's ReadLine does: LF, CR and CRLF each end a line. Bytes that are no UTF-8 become U+FFFD.
func (l *logReader) read(r io.Reader) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 64<<20)
	s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		i := bytes.IndexAny(data, "\r\n")
		switch {
		case i < 0 && atEOF && len(data) > 0:
			return len(data), data, nil
		case i < 0 || data[i] == '\r' && i+1 == len(data) && !atEOF:
			return 0, nil, nil
		case data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n':
			return i + 2, data[:i], nil
		}
		return i + 1, data[:i], nil
	})
	for s.Scan() {
		l.line(strings.ToValidUTF8(s.Text(), "\uFFFD"))
	}
	if s.Err() != nil {
		l.line("##runner double: " + s.Err().Error())
		io.Copy(io.Discard, r)
	}
}

func (l *logReader) line(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.parse(line); !ok || !l.obey(c, line) {
		l.show(line)
	}
}

func (l *logReader) show(line string) {
	l.text.WriteString(l.job.masker.mask(line))
	l.text.WriteByte('\n')
}

func (l *logReader) parse(line string) (Command, bool) {
	if c, ok := l.parseColons(line); ok {
		return c, true
	}
	return l.parseBrackets(line)
}

func (l *logReader) registered(name string) bool {
	return known[strings.ToLower(name)] || l.token != "" && strings.EqualFold(name, l.token)
}

// parseColons reads ::name key=value,key=value::data at the start of a line, white space before it allowed.
func (l *logReader) parseColons(line string) (Command, bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::")
	if !ok {
		return Command{}, false
	}
	head, data, ok := strings.Cut(rest, "::")
	name, properties, _ := strings.Cut(head, " ")
	if !ok || !l.registered(name) {
		return Command{}, false
	}
	c := Command{Name: strings.ToLower(name), Data: unescape(data, "%0D", "\r", "%0A", "\n", "%25", "%")}
	c.Properties = readProperties(strings.TrimSpace(properties), ",", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	return c, true
}

// parseBrackets reads ##[name key=value;key=value]data, at the first ##[ of a line.
func (l *logReader) parseBrackets(line string) (Command, bool) {
	_, rest, ok := strings.Cut(line, "##[")
	if !ok {
		return Command{}, false
	}
	head, data, ok := strings.Cut(rest, "]")
	name, properties, _ := strings.Cut(head, " ")
	if !ok || !l.registered(name) {
		return Command{}, false
	}
	escapes := []string{"%3B", ";", "%0D", "\r", "%0A", "\n", "%5D", "]", "%25", "%"}
	return Command{
		Name:       strings.ToLower(name),
		Data:       unescape(data, escapes...),
		Properties: readProperties(properties, ";", escapes...),
	}, true
}

func readProperties(s, separator string, escapes ...string) map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq(s, separator) {
		if key, value, ok := strings.Cut(pair, "="); ok && key != "" && value != "" {
			out[strings.ToLower(key)] = unescape(value, escapes...)
		}
	}
	return out
}

// unescape replaces each pair in turn, not at once: the runner turns %250A into a line feed.
func unescape(s string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, pairs[i], pairs[i+1])
	}
	return s
}

// obey does what a command says; false leaves its line to the log.
func (l *logReader) obey(c Command, line string) bool {
	if l.token != "" {
		if !strings.EqualFold(c.Name, l.token) {
			return false
		}
		l.token = ""
		l.show(line)
		l.out.Commands = append(l.out.Commands, c)
		return true
	}
	l.out.Commands = append(l.out.Commands, c)
	switch c.Name {
	case "stop-commands":
		if c.Data == "" || known[strings.ToLower(c.Data)] || strings.EqualFold(c.Data, "pause-logging") {
			l.out.problem("stop-commands: token %q is not allowed", c.Data)
			return true
		}
		l.token = c.Data
		if len(l.token) > 6 {
			l.job.masker.add(l.token)
		}
		l.show(line)
	case "add-mask":
		l.job.masker.add(c.Data)
		for _, part := range strings.FieldsFunc(c.Data, func(r rune) bool { return r == '\r' || r == '\n' }) {
			l.job.masker.add(strings.TrimSpace(part))
		}
	case "error", "warning", "notice":
		l.annotate(c)
	case "group", "endgroup":
		l.show("##[" + c.Name + "]" + c.Data)
	case "set-output":
		l.out.Outputs[strings.ToLower(c.Properties["name"])] = c.Data
	case "save-state":
		l.out.State[c.Properties["name"]] = c.Data
	case "set-env", "add-path":
		l.out.problem("%s: the command is disabled", c.Name)
	}
	return true
}

func (l *logReader) annotate(c Command) {
	message := []rune(l.job.masker.mask(c.Data))
	a := Annotation{
		Type: c.Name, Message: string(message[:min(len(message), MessageLimit)]),
		Title: c.Properties["title"], File: c.Properties["file"],
		Line: c.Properties["line"], EndLine: c.Properties["endline"],
		Column: c.Properties["col"], EndColumn: c.Properties["endcolumn"],
	}
	a.File = strings.TrimPrefix(l.job.toHost(a.File), l.job.Workspace+"/")
	if len(message) > 0 {
		l.show("##[" + c.Name + "]" + c.Data)
	}
	l.out.add(a)
}

// add keeps the first ten annotations of a type.
func (o *Outcome) add(a Annotation) {
	if o.Count(a.Type) >= AnnotationLimit {
		o.Dropped++
		return
	}
	o.Annotations = append(o.Annotations, a)
}
