package mcp

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/pattern"
)

// reference matches ${NAME}, and $${ which stands for a literal ${. Anything else that holds a dollar is left alone:
// commands may hold shell syntax.
var reference = pattern.Lazy(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expand replaces every ${NAME} in text, which stands at the given place of the lock (command, url, env.NAME).
func (o *Options) expand(place, text string) (string, error) {
	var failed error
	out := reference().ReplaceAllStringFunc(text, func(match string) string {
		if match == "$${" {
			return "${"
		}
		name := match[2 : len(match)-1]
		value, err := o.resolve(place, name)
		if err != nil && failed == nil {
			failed = err
		}
		return value
	})
	if failed != nil {
		return "", failed
	}
	return out, nil
}

// references are the names that text refers to.
func references(text string) []string {
	var names []string
	for _, m := range reference().FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			names = append(names, m[1])
		}
	}
	return names
}

func (o *Options) resolve(place, name string) (string, error) {
	if isRunners(name) && !slices.Contains(o.PassEnv, name) {
		return "", &Error{
			Kind: Unreachable, Code: CodeEnvUnset,
			Message: fmt.Sprintf("%s refers to ${%s}, which is kept from servers", place, name),
			Hint:    fmt.Sprintf("name %s in pass-env if this server is to see it", name),
		}
	}
	value, ok := o.Lookup(name)
	if !ok || value == "" {
		state := "not set"
		if ok {
			state = "empty"
		}
		return "", &Error{
			Kind: Unreachable, Code: CodeEnvUnset,
			Message: fmt.Sprintf("%s refers to ${%s}, which is %s", place, name, state),
			Hint:    fmt.Sprintf("set %s where contractpin runs; in a workflow under the step's env, from a secret if it is one", name),
		}
	}
	return value, nil
}

// isRunners tells whether a variable belongs to the CI runner: its token, its inputs, its endpoints.
func isRunners(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	return name == "GITHUB_TOKEN" || strings.HasPrefix(name, "INPUT_") || strings.HasPrefix(name, "ACTIONS_")
}
