package clientconfig

import (
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/pattern"
	"github.com/contractpin/verify/internal/secret"
)

// WorkspaceFolder is the variable that stands for the client's workspace folder in a lock.
const WorkspaceFolder = "WORKSPACE_FOLDER"

var (
	withDefault = pattern.Lazy(`^([A-Za-z_][A-Za-z0-9_]*):-(.*)$`)
	// placeholder matches ${…} and, for Gemini, $NAME.
	placeholder    = pattern.Lazy(`\$\{([^{}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)
	workspaceStart = pattern.Lazy(`^\$\{(?:workspaceFolder(?::[^{}]*)?|workspaceRoot|CLAUDE_PROJECT_DIR(?::-[^{}]*)?)\}((?:[/\\].*)?)$`)
)

// expand turns a client's placeholders into a lock's references and says so. What has no counterpart is a fault.
func (b *builder) expand(place, text string) string {
	if b.client == Codex { // it passes the text on as it is
		return strings.ReplaceAll(text, "${", "$${")
	}
	var out strings.Builder
	last := 0
	for _, m := range placeholder().FindAllStringSubmatchIndex(text, -1) {
		whole := text[m[0]:m[1]]
		if m[2] < 0 && b.client != Gemini { // $NAME is text to the others
			continue
		}
		name := ""
		if m[2] >= 0 {
			name = text[m[2]:m[3]]
		} else {
			name = text[m[4]:m[5]]
		}
		became, ok := b.reference(place, name)
		if !ok {
			b.fault("%s: %s has no counterpart in a lock: write a ${NAME} and set it in the environment", place, strconv.QuoteToASCII(whole))
			return text
		}
		if strings.HasSuffix(text[:m[0]], "$") && strings.HasPrefix(became, "${") {
			b.fault("%s: a $ before %s cannot be written in a lock", place, strconv.QuoteToASCII(whole))
			return text
		}
		if became != whole {
			b.note("%s: %s became %s", place, quoteFree(whole), became)
		}
		out.WriteString(text[last:m[0]] + became)
		last = m[1]
	}
	return out.String() + text[last:]
}

// reference is what the inside of a placeholder becomes.
func (b *builder) reference(place, name string) (string, bool) {
	if m := withDefault().FindStringSubmatch(name); m != nil && m[1] != "CLAUDE_PROJECT_DIR" {
		if m[2] != "" {
			b.note("%s: the default of ${%s} is not stored: set %s where you verify", place, m[1], m[1])
		}
		return "${" + m[1] + "}", true
	}
	kind, rest, _ := strings.Cut(name, ":")
	switch kind {
	case "env":
		return "${" + rest + "}", pattern.Variable().MatchString(rest)
	case "input":
		in, ok := b.inputs[rest]
		if !ok {
			b.note("inputs does not describe %s", strconv.QuoteToASCII(rest))
		}
		variable := secret.Variable(rest)
		if in.description != "" {
			b.note("%s stands for the input %s", variable, strconv.QuoteToASCII(in.description[:min(len(in.description), 100)]))
		}
		return "${" + variable + "}", rest != ""
	case "workspaceFolder", "workspaceRoot", "cwd", "CLAUDE_PROJECT_DIR":
		return "${" + WorkspaceFolder + "}", true
	case "workspaceFolderBasename":
		return "${" + WorkspaceFolder + "_BASENAME}", true
	case "userHome":
		return "${HOME}", true
	case "pathSeparator", "/":
		return "/", true
	}
	if !pattern.Variable().MatchString(name) {
		return "", false
	}
	if name == "GITHUB_TOKEN" || strings.HasPrefix(name, "INPUT_") || strings.HasPrefix(name, "ACTIONS_") {
		b.note("%s: ${%s} resolves in the action only where pass-env names it", place, name)
	}
	return "${" + name + "}", true
}
