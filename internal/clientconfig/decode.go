package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"

	"github.com/contractpin/verify/internal/canon"
)

// document is a configuration as decoded: the servers by name, each a map where it is well-formed.
type document struct {
	servers map[string]any
	lines   map[string]int // of the servers' keys, from 1
	inputs  map[string]input
	// Gemini's lists; allowed is nil when there is none.
	allowed, excluded []string
}

// input is a question that VS Code asks: its text, if there is any.
type input struct{ description string }

func decode(f *File, data []byte) (*document, error) {
	if f.Client == Codex {
		return decodeTOML(f.Path, data)
	}
	return decodeJSON(f, data)
}

func decodeTOML(path string, data []byte) (*document, error) {
	var top map[string]any
	if err := toml.Unmarshal(data, &top); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return nil, fmt.Errorf("%s: %s (line %d)", path, quoteFree(pe.Message), pe.Position.Line)
		}
		return nil, fmt.Errorf("%s: no valid TOML", path)
	}
	d := &document{}
	servers, there := top["mcp_servers"]
	if !there {
		return d, nil
	}
	var ok bool
	if d.servers, ok = servers.(map[string]any); !ok {
		return nil, fmt.Errorf("%s: mcp_servers: must be a table", path)
	}
	d.lines = tableLines(data, d.servers)
	return d, nil
}

// tableLines finds the headers [mcp_servers.NAME], with NAME bare or quoted.
func tableLines(data []byte, servers map[string]any) map[string]int {
	lines := map[string]int{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		header, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "[mcp_servers.")
		if !ok {
			continue
		}
		for name := range servers {
			for _, form := range []string{name, strconv.Quote(name), "'" + name + "'"} {
				if rest, ok := strings.CutPrefix(header, form); ok && (rest[:min(1, len(rest))] == "]" || rest[:min(1, len(rest))] == ".") && lines[name] == 0 {
					lines[name] = n
				}
			}
		}
	}
	return lines
}

// decodeJSON reads JSON with comments. A key that occurs twice is an error: clients take the last, and what a reviewer
// reads may be the first.
func decodeJSON(f *File, data []byte) (*document, error) {
	data, err := hujson.Standardize(bytes.TrimPrefix(data, []byte("\uFEFF")))
	if err == nil {
		_, err = canon.Append(nil, data)
	}
	if err != nil {
		return nil, jsonError(f.Path, data, err)
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("%s: no valid JSON", f.Path)
	}
	top, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: must be an object", f.Path)
	}
	d := &document{inputs: inputsOf(top["inputs"])}
	key := "mcpServers"
	if _, there := top[key]; !there || f.Client == VSCode {
		if _, there := top["servers"]; there {
			key = "servers"
			f.Client = VSCode // whatever the file is called
		}
	}
	if servers, there := top[key]; there {
		if d.servers, ok = servers.(map[string]any); !ok {
			return nil, fmt.Errorf("%s: %s: must be an object", f.Path, key)
		}
		d.lines = memberLines(data, key)
	}
	if mcp, ok := top["mcp"].(map[string]any); ok && f.Client == Gemini {
		d.allowed, d.excluded = texts(mcp["allowed"]), texts(mcp["excluded"])
	}
	return d, nil
}

func jsonError(path string, data []byte, err error) error {
	var ce *canon.Error
	if errors.As(err, &ce) {
		line := 1 + bytes.Count(data[:min(int(ce.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("%s: %s (line %d)", path, ce.Reason, line)
	}
	return fmt.Errorf("%s: %s", path, strings.TrimPrefix(quoteFree(err.Error()), "hujson: "))
}

// quoteFree makes a parser's message one line of ASCII.
func quoteFree(message string) string {
	quoted := strconv.QuoteToASCII(message[:min(len(message), 500)])
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// memberLines finds the lines of the keys of the object that is the top level's member of that name.
func memberLines(data []byte, member string) map[string]int {
	lines := map[string]int{}
	var r canon.Reader
	r.Reset(data, func([]byte) bool { return false })
	r.Object(func(key []byte) error {
		if string(key) != member || r.Kind() != '{' {
			return nil
		}
		return r.Object(func(key []byte) error {
			r.Kind()
			colon := bytes.LastIndexByte(data[:r.Offset()], '"')
			lines[string(key)] = 1 + bytes.Count(data[:colon], []byte("\n"))
			return nil
		})
	})
	return lines
}

func inputsOf(value any) map[string]input {
	found := map[string]input{}
	list, _ := value.([]any)
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			if id, ok := m["id"].(string); ok {
				description, _ := m["description"].(string)
				found[id] = input{description}
			}
		}
	}
	return found
}

// texts are the strings of a list, nil when there is no list.
func texts(value any) []string {
	list, ok := value.([]any)
	if !ok {
		return nil
	}
	out := []string{}
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// switchedOff tells, for a name, whether the file's own lists keep the server from starting.
func (d *document) switchedOff() func(name string) string {
	return func(name string) string {
		switch {
		case slices.Contains(d.excluded, name):
			return "mcp.excluded names it"
		case d.allowed != nil && !slices.Contains(d.allowed, name):
			return "mcp.allowed does not name it"
		}
		return ""
	}
}
