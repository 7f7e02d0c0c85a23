// Package clientconfig reads the files in which MCP clients name their servers, and turns what they say into what a lock
// says (SPEC §5): a launch description whose variables are ${NAME} and which holds no credential.
//
// The clients and their files:
//
//	Claude Code     .mcp.json                    mcpServers; ${VAR}, ${VAR:-default}
//	Claude Desktop  claude_desktop_config.json   mcpServers; expands nothing itself
//	Cursor          .cursor/mcp.json             mcpServers; ${env:VAR}, ${workspaceFolder}, ${userHome}
//	VS Code         .vscode/mcp.json             servers, inputs; as Cursor, and ${input:id}
//	Gemini CLI      .gemini/settings.json        mcpServers (httpUrl; url is SSE), mcp.allowed, mcp.excluded; $VAR, ${VAR}
//	Codex           .codex/config.toml           mcp_servers tables; expands nothing, names variables instead
//
// JSON may have comments and trailing commas, as the clients allow. Nothing is started, contacted or looked up here.
package clientconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/lock"
)

// Client is a program that reads such a file. It is its own name.
type Client string

// The clients whose files are understood.
const (
	ClaudeCode    Client = "Claude Code"
	ClaudeDesktop Client = "Claude Desktop"
	Cursor        Client = "Cursor"
	VSCode        Client = "VS Code"
	Gemini        Client = "Gemini CLI"
	Codex         Client = "Codex"
)

// MaxSize is the largest file that is read, in bytes.
const MaxSize = 4 << 20

// File is a client's configuration.
type File struct {
	Path    string // as the caller named it
	Client  Client
	Entries []Entry // sorted by name
}

// Entry is one server that a client's configuration names. Either it can be pinned (Server is set), or it was skipped or
// refused, with the reason.
type Entry struct {
	Name    string
	Line    int          // of the server's key in the file, from 1; 0 when unknown
	Server  *lock.Server // launch description only; nil when Skipped or Refused is set
	Headers []Header     // of an http server, sorted by name; to be sent, never to be stored
	Notes   []string     // what was turned into what, and what was left out
	Skipped string       // why the server is left out: the file turns it off
	Refused string       // why it cannot be pinned, with what to do about it
}

// Header is a header that a client sends. Value holds ${NAME} references and no credential.
type Header struct{ Name, Value string }

// inCheckout are the files that belong to a checkout, as against a person's own.
var inCheckout = []string{".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json", ".codex/config.toml"}

// Files lists the client configurations that exist in a checkout, as paths below dir.
func Files(dir string) []string {
	var found []string
	for _, name := range inCheckout {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			found = append(found, path)
		}
	}
	return found
}

// Load reads a file. Errors read `path: place: what`.
func Load(path string) (*File, error) { return LoadAs(path, path) }

// LoadAs reads a file that messages call by another name, such as its path in the checkout. The name tells which client
// it belongs to.
func LoadAs(path, name string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, plain(err))
	}
	if info.Size() > MaxSize || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a file of at most 4 MiB", name)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, plain(err))
	}
	return Parse(name, data)
}

func plain(err error) error {
	if pe, ok := err.(*os.PathError); ok {
		return pe.Err
	}
	return err
}

// Parse reads a file's bytes; its path tells which client it belongs to.
func Parse(path string, data []byte) (*File, error) {
	f := &File{Path: path, Client: detect(path)}
	d, err := decode(f, data)
	if err != nil {
		return nil, err
	}
	off := d.switchedOff()
	for name, value := range d.servers {
		e := Entry{Name: name, Line: d.lines[name]}
		b := &builder{client: f.Client, file: path, inputs: d.inputs, entry: &e}
		b.build(value, off(name))
		f.Entries = append(f.Entries, e)
	}
	slices.SortFunc(f.Entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return f, nil
}

// detect tells a client by its file's name and folder; what is unknown is read as Claude Code's, whose form the others
// took over.
func detect(path string) Client {
	slashed := "/" + strings.ReplaceAll(path, `\`, "/")
	switch base := slashed[strings.LastIndexByte(slashed, '/')+1:]; {
	case strings.HasSuffix(base, ".toml"):
		return Codex
	case base == "claude_desktop_config.json":
		return ClaudeDesktop
	case strings.HasSuffix(slashed, "/.cursor/mcp.json"):
		return Cursor
	case strings.HasSuffix(slashed, "/.vscode/mcp.json"), strings.HasSuffix(slashed, "/Code/User/mcp.json"):
		return VSCode
	case base == "settings.json":
		return Gemini
	}
	return ClaudeCode
}
