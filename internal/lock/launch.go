package lock

import (
	"cmp"
	"maps"
	"slices"
)

// LaunchField is one part of a launch description that differs.
type LaunchField struct {
	Field string `json:"field"` // transport, command, env.NAME, cwd, url, path
	// Command as a JSON array, other values as they are; "" where absent. A value that is there but empty reads "\"\"".
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
}

// LaunchChanges compares two launch descriptions (transport, command, env, cwd, url, path).
func LaunchChanges(old, new *Server) []LaunchField {
	var out []LaunchField
	add := func(field, was, is string) {
		if was != is {
			out = append(out, LaunchField{field, was, is})
		}
	}
	add("transport", old.Transport, new.Transport)
	add("command", commandText(old.Command), commandText(new.Command))
	names := maps.Clone(old.Env)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, new.Env)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		add("env."+name, envText(old.Env, name), envText(new.Env, name))
	}
	add("cwd", old.Cwd, new.Cwd)
	add("url", old.URL, new.URL)
	add("path", old.Path, new.Path)
	return out
}

// commandText renders an argv as one line of JSON; "" for none.
func commandText(argv []string) string {
	if argv == nil {
		return ""
	}
	buf := []byte{'['}
	for i, arg := range argv {
		if i > 0 {
			buf = append(buf, ", "...)
		}
		buf = append(appendEscaped(append(buf, '"'), arg), '"')
	}
	return string(append(buf, ']'))
}

func envText(env map[string]string, name string) string {
	value, ok := env[name]
	if !ok {
		return ""
	}
	return cmp.Or(value, `""`)
}
