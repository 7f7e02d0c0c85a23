package clientconfig

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/pattern"
	"github.com/contractpin/verify/internal/secret"
	"github.com/contractpin/verify/internal/visible"
)

// builder makes one entry.
type builder struct {
	client Client
	file   string
	inputs map[string]input
	entry  *Entry
	faults []string
}

// build fills the entry from its value in the file. off says why the file's lists turn it off, if they do.
func (b *builder) build(value any, off string) {
	m, ok := value.(map[string]any)
	if !ok {
		b.entry.Refused = "it must be an object"
		return
	}
	if off == "" {
		off = b.disabled(m)
	}
	if off != "" {
		b.entry.Skipped = off
		return
	}
	s := &lock.Server{Name: b.entry.Name}
	switch transport := b.transport(m); transport {
	case lock.Stdio:
		b.stdio(s, m)
	case lock.HTTP:
		b.http(s, m)
	}
	if len(b.faults) > 0 {
		b.entry.Refused, b.entry.Headers = strings.Join(b.faults, "; "), nil
		return
	}
	b.entry.Server = s
}

func (b *builder) fault(format string, args ...any) {
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

// note says something once.
func (b *builder) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(b.entry.Notes, n) {
		b.entry.Notes = append(b.entry.Notes, n)
	}
}

func (b *builder) disabled(m map[string]any) string {
	if enabled, ok := m["enabled"].(bool); ok && !enabled {
		return "it is marked enabled: false"
	}
	if disabled, ok := m["disabled"].(bool); ok && disabled {
		if b.client.ignoresDisabled() {
			b.note("%s starts servers that are marked disabled all the same: take the entry out if it is not wanted", b.client)
		}
		return "it is marked disabled: true"
	}
	return ""
}

// ignoresDisabled tells whether the client is known to start servers marked "disabled": true.
// Sources: github.com/anthropics/claude-code/issues/43865, VS Code's schema, which has no such member.
func (c Client) ignoresDisabled() bool { return c == ClaudeCode || c == ClaudeDesktop || c == VSCode }

// transport tells how the server is reached; "" with a fault when that is not known.
func (b *builder) transport(m map[string]any) string {
	kind, _ := m["type"].(string)
	if kind == "" {
		kind, _ = m["transport"].(string)
	}
	_, command := m["command"]
	url := b.urlKey(m)
	switch strings.ToLower(kind) {
	case "":
		switch {
		case command && url != "":
			b.fault("it has both a command and a URL")
		case command:
			return lock.Stdio
		case url != "":
			return lock.HTTP
		default:
			b.fault("it has neither a command nor a URL")
		}
		return ""
	case "stdio", "local":
		return lock.Stdio
	case "http", "streamable-http", "streamablehttp", "streamable_http", "remote":
		return lock.HTTP
	case "sse":
		b.note("type sse became http, which reaches servers of the older kind too")
		return lock.HTTP
	}
	b.fault("transport %s cannot be pinned: only stdio, http and sse can", strconv.QuoteToASCII(kind))
	return ""
}

// urlKey is the member that holds the URL, "" for none.
func (b *builder) urlKey(m map[string]any) string {
	for _, key := range []string{"httpUrl", "url", "serverUrl"} {
		if _, ok := m[key]; ok {
			return key
		}
	}
	return ""
}

func (b *builder) stdio(s *lock.Server, m map[string]any) {
	s.Transport = lock.Stdio
	program, ok := m["command"].(string)
	if !ok || program == "" {
		b.fault("command must be a string that names a program")
		return
	}
	s.Command = []string{b.folder("command", program)}
	args, ok := list(m["args"])
	if !ok {
		b.fault("args must be a list of strings")
	}
	for i, v := range args {
		place := "args[" + strconv.Itoa(i) + "]"
		arg, ok := v.(string)
		if !ok {
			b.fault("%s must be a string", place)
		}
		s.Command = append(s.Command, b.expand(place, arg))
	}
	if cwd, ok := m["cwd"].(string); ok && cwd != "" {
		s.Cwd = b.cwd(cwd)
	} else if !ok && m["cwd"] != nil {
		b.fault("cwd must be a string")
	}
	s.Env = b.env(m)
	if file, ok := m["envFile"].(string); ok && file != "" {
		b.note("envFile is not read: name its variables with --env, and set them where you verify")
	}
	if len(b.faults) > 0 {
		return
	}
	b.secrets(secret.InCommand(s.Command))
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if f, ok := secret.InEnv(name, s.Env[name]); ok {
			b.secrets([]secret.Finding{f})
		}
	}
}

// env reads the variables. Codex names in env_vars those that are passed on under their own names.
func (b *builder) env(m map[string]any) map[string]string {
	env := map[string]string{}
	values, ok := m["env"].(map[string]any)
	if !ok && m["env"] != nil {
		b.fault("env must be an object")
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch v := values[name].(type) {
		case nil: // VS Code: the variable is not passed on
		case string:
			env[name] = b.expand("env."+name, v)
		case json.Number:
			env[name] = v.String()
		default:
			b.fault("env.%s must be a string", quoteFree(name))
		}
	}
	passed, ok := list(m["env_vars"])
	if !ok {
		b.fault("env_vars must be a list")
	}
	for _, v := range passed {
		name, ok := v.(string)
		if table, isTable := v.(map[string]any); isTable {
			name, ok = table["name"].(string)
		}
		if !ok || !pattern.Variable().MatchString(name) {
			b.fault("env_vars must name variables")
			continue
		}
		env[name] = "${" + name + "}"
		b.note("env_vars: %s became env.%s = ${%s}", name, name, name)
	}
	if len(env) == 0 {
		return nil
	}
	return env
}

// list returns the elements of a list, none where there is nothing, and false for any other value.
func list(value any) ([]any, bool) {
	switch v := value.(type) {
	case nil:
		return nil, true
	case []any:
		return v, true
	case []map[string]any: // TOML's
		out := make([]any, len(v))
		for i := range v {
			out[i] = v[i]
		}
		return out, true
	}
	return nil, false
}

func (b *builder) http(s *lock.Server, m map[string]any) {
	s.Transport = lock.HTTP
	key := b.urlKey(m)
	url, ok := m[key].(string)
	if !ok || url == "" {
		b.fault("url must be a string that is not empty")
		return
	}
	if b.client == Gemini && key == "url" && m["type"] == nil {
		b.note("url, which Gemini CLI takes for SSE, became http, which reaches servers of the older kind too")
	}
	s.URL = b.expand(key, url)
	if len(b.faults) > 0 {
		return
	}
	b.secrets(secret.InURL(s.URL))
	b.headers(m)
}

// headers reads the headers. They are not stored: who verifies passes them again.
func (b *builder) headers(m map[string]any) {
	headers := map[string]string{}
	for _, key := range []string{"headers", "http_headers"} {
		values, ok := m[key].(map[string]any)
		if !ok && m[key] != nil {
			b.fault("%s must be an object", key)
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			value, ok := values[name].(string)
			if !ok {
				b.fault("%s.%s must be a string", key, quoteFree(name))
			}
			headers[name] = b.expand(key+"."+name, value)
		}
	}
	values, _ := m["env_http_headers"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if variable, ok := values[name].(string); ok && pattern.Variable().MatchString(variable) {
			headers[name] = "${" + variable + "}"
		} else {
			b.fault("env_http_headers.%s must name a variable", quoteFree(name))
		}
	}
	if variable, ok := m["bearer_token_env_var"].(string); ok && pattern.Variable().MatchString(variable) {
		headers["Authorization"] = "Bearer ${" + variable + "}"
		b.note("bearer_token_env_var became the header Authorization: Bearer ${%s}", variable)
	} else if m["bearer_token_env_var"] != nil {
		b.fault("bearer_token_env_var must name a variable")
	}
	if _, ok := m["bearer_token"]; ok {
		b.fault(`bearer_token holds a credential: name the variable that holds it instead, bearer_token_env_var = "MCP_TOKEN"`)
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if f, ok := secret.InHeader(name, headers[name]); ok {
			b.secrets([]secret.Finding{f})
		}
		b.entry.Headers = append(b.entry.Headers, Header{name, headers[name]})
	}
	if len(b.entry.Headers) > 0 && len(b.faults) == 0 {
		flags := ""
		for _, h := range b.entry.Headers {
			flags += " --header " + visible.ShellWord(b.entry.Name+"="+h.Name+": "+h.Value)
		}
		b.note("headers are not stored, pass them again when verifying:%s", flags)
	}
}

// secrets refuses credentials, each with what to write instead in this client's words.
func (b *builder) secrets(found []secret.Finding) {
	for _, f := range found {
		name := f.Variable()
		write := f.Write
		header := strings.HasPrefix(f.Place, "header")
		switch {
		case b.client == Cursor || b.client == VSCode:
			write = strings.ReplaceAll(write, "${", "${env:")
		case b.client == Codex && strings.HasPrefix(f.Place, "env."):
			write = `env_vars = ["` + name + `"]`
		case b.client == Codex && header:
			write = `env_http_headers = { "` + strings.TrimPrefix(f.Place, "header ") + `" = "` + name + `" }`
		case b.client == Codex || b.client == ClaudeDesktop: // they expand nothing: the way is past the file
			b.fault("%s %s: %s does not expand variables, so pin this server by hand: %s", f.Place, f.What, b.client, b.byHand(f))
			continue
		}
		b.fault("%s %s: in %s write %s, and set %s in the environment", f.Place, f.What, b.file, write, name)
	}
}

// byHand is the command that pins a server whose file has no place for a reference.
func (b *builder) byHand(f secret.Finding) string {
	command := "contractpin init " + visible.ShellWord(b.entry.Name)
	if strings.HasPrefix(f.Place, "env.") {
		return command + " --env " + f.Variable() + "=VALUE -- COMMAND"
	}
	return command + " -- COMMAND, with " + visible.ShellWord(f.Write) + " in its place and " + f.Variable() + " set"
}

// folder expands the program; one below the workspace becomes relative, as the lock's folder is where it is looked for.
func (b *builder) folder(place, text string) string {
	if rest, ok := b.belowWorkspace(text); ok {
		became := "./" + rest
		b.note("%s: %s became %s, relative to the lock's folder", place, quoteFree(text), quoteFree(became))
		return became
	}
	return b.expand(place, text)
}

// cwd becomes relative to the lock's folder; a lock has no references there.
func (b *builder) cwd(text string) string {
	rest, ok := b.belowWorkspace(text)
	if !ok {
		if strings.Contains(text, "${") || b.client == Gemini && strings.Contains(text, "$") {
			b.fault("cwd %s: a lock has no variables in cwd, only a path relative to its folder", strconv.QuoteToASCII(text))
		}
		return text
	}
	became := path.Clean("./" + rest)
	b.note("cwd: %s became %s, relative to the lock's folder", quoteFree(text), quoteFree(became))
	return became
}

// belowWorkspace returns what follows the workspace's folder where a path begins with it and holds no other variable.
func (b *builder) belowWorkspace(text string) (string, bool) {
	m := workspaceStart().FindStringSubmatch(text)
	if m == nil || b.client == Codex || strings.Contains(m[1], "${") {
		return "", false
	}
	return strings.TrimLeft(strings.ReplaceAll(m[1], `\`, "/"), "/"), true
}
