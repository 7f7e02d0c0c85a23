package clientconfig

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
)

var update = flag.Bool("update", false, "write the golden files anew")

// formats are the six clients' files: each with placeholders, a secret and a server that is turned off.
var formats = map[Client]string{
	ClaudeCode:    "claude-code/.mcp.json",
	ClaudeDesktop: "claude-desktop/claude_desktop_config.json",
	Cursor:        "cursor/.cursor/mcp.json",
	VSCode:        "vscode/.vscode/mcp.json",
	Gemini:        "gemini/.gemini/settings.json",
	Codex:         "codex/.codex/config.toml",
}

func load(t *testing.T, client Client) *File {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(formats[client])))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(formats[client], data)
	if err != nil {
		t.Fatal(err)
	}
	if f.Client != client {
		t.Fatalf("taken for %s's", f.Client)
	}
	return f
}

// dump writes down what was read, for people to check.
func dump(f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", f.Client)
	for _, e := range f.Entries {
		fmt.Fprintf(&b, "\n%s (line %d)\n", e.Name, e.Line)
		if e.Server != nil {
			for _, c := range lock.LaunchChanges(&lock.Server{}, e.Server) {
				fmt.Fprintf(&b, "  %s = %s\n", c.Field, c.New)
			}
		}
		for _, h := range e.Headers {
			fmt.Fprintf(&b, "  header %s: %s\n", h.Name, h.Value)
		}
		for _, n := range e.Notes {
			fmt.Fprintf(&b, "  note: %s\n", n)
		}
		if e.Skipped != "" {
			fmt.Fprintf(&b, "  skipped: %s\n", e.Skipped)
		}
		if e.Refused != "" {
			fmt.Fprintf(&b, "  refused: %s\n", strings.ReplaceAll(e.Refused, "; ", "\n           "))
		}
	}
	return b.String()
}

func TestParse_sixFormats(t *testing.T) {
	for client, path := range formats {
		t.Run(string(client), func(t *testing.T) {
			got := dump(load(t, client))
			golden := filepath.Join("testdata", strings.SplitN(path, "/", 2)[0], "expected.txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got; -update writes it anew\n%s", diff)
			}
			if strings.Contains(got, "made-up") {
				t.Error("a credential is shown")
			}
		})
	}
}

// Whatever can be pinned can be written to a lock and read back, and holds no credential.
func TestParse_whatIsTakenIsALaunchDescription(t *testing.T) {
	for client := range formats {
		l := &lock.Lock{Servers: map[string]*lock.Server{}}
		kinds := map[string]int{}
		for _, e := range load(t, client).Entries {
			switch {
			case (e.Server != nil) == (e.Skipped != "" || e.Refused != "") || e.Skipped != "" && e.Refused != "":
				t.Errorf("%s: %s is not one of taken, skipped, refused: %+v", client, e.Name, e)
			case e.Server == nil:
				kinds[e.Skipped[:min(1, len(e.Skipped))]]++
				continue
			}
			kinds["taken"]++
			if found := e.Server.Secrets(); len(found) > 0 {
				t.Errorf("%s: %s: %v", client, e.Name, found)
			}
			s := *e.Server
			s.Tools = contract.Pins{}
			s.Digest = s.Tools.Digest()
			l.Servers[e.Name] = &s
		}
		if kinds["taken"] == 0 || kinds[""] == 0 || len(kinds) < 3 {
			t.Errorf("%s: taken, skipped and refused are not all there: %v", client, kinds)
		}
		got, err := lock.Parse("x.lock", l.Encode())
		if err != nil {
			t.Fatalf("%s: %v", client, err)
		}
		for name, s := range l.Servers {
			if c := lock.LaunchChanges(s, got.Servers[name]); c != nil {
				t.Errorf("%s: %s is read back otherwise: %v", client, name, c)
			}
		}
	}
}

func TestParse_badFiles(t *testing.T) {
	for _, c := range []struct{ path, data, want string }{
		{".mcp.json", `{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}`, `.mcp.json: duplicate key "a" (line 1)`},
		{".mcp.json", "{\n\"mcpServers\": {", ".mcp.json: line 2, column 16"},
		{".mcp.json", ``, ".mcp.json: line 1, column 1"},
		{".mcp.json", `[]`, ".mcp.json: must be an object"},
		{".mcp.json", `{"mcpServers": []}`, ".mcp.json: mcpServers: must be an object"},
		{".vscode/mcp.json", `{"servers": 1}`, ".vscode/mcp.json: servers: must be an object"},
		{".mcp.json", "{\"mcpServers\": {\"\xff\": {}}}", ".mcp.json: "},
		{".codex/config.toml", "a = [", ".codex/config.toml: "},
		{".codex/config.toml", "a = 1\na = 2", "(line 2)"},
		{".codex/config.toml", "mcp_servers = 1", ".codex/config.toml: mcp_servers: must be a table"},
	} {
		f, err := Parse(c.path, []byte(c.data))
		if err == nil || f != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.data, err, c.want)
		}
	}
}

func TestParse_filesWithoutServers(t *testing.T) {
	for path, data := range map[string]string{".mcp.json": `{}`, ".codex/config.toml": ``, ".vscode/mcp.json": `{"inputs": []}`, "settings.json": `{"mcpServers": {}}`} {
		if f, err := Parse(path, []byte(data)); err != nil || len(f.Entries) != 0 {
			t.Errorf("%s: %v %v", path, f, err)
		}
	}
}

// A key in other letters is another key to the clients, so it is to us.
func TestParse_keysAreTakenToTheLetter(t *testing.T) {
	f, err := Parse(".mcp.json", []byte(`{"MCPSERVERS": {"x": {}}, "mcpServers": {"a": {"command": "good", "COMMAND": "evil", "Args": ["evil"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Entries) != 1 || !slices.Equal(f.Entries[0].Server.Command, []string{"good"}) {
		t.Errorf("%+v", f.Entries)
	}
}

func TestParse_manyNotesAndFaultsAreSaidOnce(t *testing.T) {
	f, err := Parse(".cursor/mcp.json", []byte(`{"mcpServers": {"a": {"command": "x", "args": ["${env:A}${env:A}", "$${env:B}"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	e := f.Entries[0]
	if len(e.Notes) != 1 || e.Refused != `args[1]: a $ before "${env:B}" cannot be written in a lock` {
		t.Errorf("%+v", e)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".mcp.json", ".codex/config.toml", "settings.json"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{filepath.Join(dir, ".mcp.json"), filepath.Join(dir, ".codex", "config.toml")}
	if got := Files(dir); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".mcp.json")
	if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"a": {"command": "x"}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if f, err := Load(path); err != nil || len(f.Entries) != 1 {
		t.Error(f, err)
	}
	if err := os.Truncate(path, MaxSize+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "4 MiB") {
		t.Error(err)
	}
}

func TestUnversioned(t *testing.T) {
	for command, want := range map[string]string{
		"npx -y @acme/mcp@1.2.3":                           "",
		"npx -y @acme/mcp":                                 "@acme/mcp has no version",
		"npx acme":                                         "acme has no version",
		"npx -y acme@latest --port 1":                      "acme@latest has no exact version",
		"npx acme@^1.2.0":                                  "acme@^1.2.0 has no exact version",
		"npx acme@1":                                       "acme@1 has no exact version",
		"npx acme@1.2.3-beta.1":                            "",
		"npx --yes --package=@acme/mcp@1.2.3 acme":         "",
		"npx -p @acme/mcp acme":                            "@acme/mcp has no version",
		"npx -y --registry https://r.example acme@1.0.0":   "",
		"npx ./server":                                     "",
		"npx github:acme/mcp":                              "github:acme/mcp is fetched from a source without a fixed commit",
		"npx acme/mcp":                                     "acme/mcp is fetched from a source without a fixed commit",
		"npx acme/mcp#" + strings.Repeat("0a", 20):         "",
		"npx ${PACKAGE}":                                   "",
		"npx":                                              "",
		"cmd /c npx -y acme":                               "acme has no version",
		`C:\node\npx.cmd -y acme`:                          "acme has no version",
		"env A=B npx acme":                                 "acme has no version",
		"pnpm dlx acme":                                    "acme has no version",
		"pnpm exec acme":                                   "",
		"bunx -y acme@2.0.0":                               "",
		"npm exec -- acme":                                 "acme has no version",
		"uvx acme-mcp":                                     "acme-mcp has no version",
		"uvx acme-mcp==1.0":                                "",
		"uvx acme-mcp@1.0.2":                               "",
		"uvx acme-mcp@latest":                              "acme-mcp@latest has no exact version",
		"uvx --from acme>=1 acme-mcp":                      "acme>=1 has no exact version",
		"uvx --python 3.12 --from acme==1.0 acme-mcp":      "",
		"uvx --from git+https://x.example/a acme":          "git+https://x.example/a is fetched from a source without a fixed commit",
		"uvx --from git+https://x.example/a@v1 acme":       "git+https://x.example/a@v1 is fetched from a source without a fixed commit",
		"uv tool run acme":                                 "acme has no version",
		"uv run server.py":                                 "",
		"pipx run acme==1.2":                               "",
		"docker run -i --rm -e A acme/mcp":                 "image acme/mcp has no tag",
		"docker run -i --rm -e A=1 acme/mcp:latest --flag": "image acme/mcp:latest is whatever is latest",
		"docker run --rm r.example:5000/acme/mcp":          "image r.example:5000/acme/mcp has no tag",
		"docker run --rm -v /a:/b acme/mcp:1.2":            "",
		"docker run acme/mcp@sha256:00":                    "",
		"docker compose up":                                "",
		"node server.js":                                   "",
	} {
		if got := Unversioned(strings.Fields(command)); got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
	if Unversioned(nil) != "" {
		t.Error("no command")
	}
}

func TestCompare(t *testing.T) {
	l := &lock.Lock{Servers: map[string]*lock.Server{
		"same":        {Transport: lock.Stdio, Command: []string{"node", "a.js"}, Env: map[string]string{"T": "${T}"}, Cwd: "."},
		"other name":  {Transport: lock.HTTP, URL: "https://mcp.example.com/mcp"},
		"differs":     {Transport: lock.Stdio, Command: []string{"npx", "-y", "acme@1.0.0"}},
		"only locked": {Transport: lock.File, Path: "x"},
		"secret":      {Transport: lock.Stdio, Command: []string{"x"}},
	}}
	f, err := Parse(".mcp.json", []byte(`{"mcpServers": {
		"same": {"command": "node", "args": ["a.js"], "env": {"T": "${T}"}},
		"renamed": {"type": "http", "url": "https://mcp.example.com/mcp"},
		"differs": {"command": "npx", "args": ["-y", "acme@2.0.0"], "env": {"A": "1"}},
		"new": {"command": "uvx", "args": ["acme"]},
		"secret": {"command": "x", "args": ["--token", "made-up"]},
		"secret, new": {"command": "x", "args": ["--token", "made-up"]},
		"off": {"command": "x", "disabled": true},
		"off for good": {"command": "x", "enabled": false}
	}}`))
	if err != nil {
		t.Fatal(err)
	}
	hint := `command[2] is the value of "--token": in .mcp.json write ${TOKEN}, and set TOKEN in the environment`
	want := []Finding{
		{".mcp.json", 4, "differs", LaunchDiffers, `server "differs" is launched otherwise than the lock says: command, env.A`, []lock.LaunchField{
			{Field: "command", Old: `["npx", "-y", "acme@1.0.0"]`, New: `["npx", "-y", "acme@2.0.0"]`}, {Field: "env.A", New: "1"}}},
		{".mcp.json", 5, "new", Unpinned, `server "new" is not pinned: contractpin init --from .mcp.json new`, nil},
		{".mcp.json", 5, "new", MovingVersion, `server "new": acme has no version, so what runs can change while the lock stays the same`, nil},
		{".mcp.json", 8, "off", StartsDisabled, `server "off" is marked disabled, which Claude Code does not heed, and the lock does not pin it`, nil},
		{".mcp.json", 6, "secret", NotComparable, `server "secret" is pinned, but its entry cannot be compared: ` + hint, nil},
		{".mcp.json", 7, "secret, new", Unpinned, `server "secret, new" is not pinned: ` + hint, nil},
	}
	if diff := cmp.Diff(want, Compare(f, l)); diff != "" {
		t.Error(diff)
	}
}

// FuzzParse: never a crash; what is taken is a launch description without credentials.
func FuzzParse(f *testing.F) {
	for client, path := range formats {
		data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(path)))
		if err != nil {
			f.Fatal(client, err)
		}
		f.Add(path, data)
	}
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		file, err := Parse(path, data)
		if err != nil {
			return
		}
		for _, e := range file.Entries {
			if (e.Server != nil) == (e.Skipped != "" || e.Refused != "") {
				t.Fatalf("%+v", e)
			}
			if e.Server == nil {
				continue
			}
			if found := e.Server.Secrets(); len(found) > 0 {
				t.Fatal(found)
			}
		}
		Compare(file, &lock.Lock{})
	})
}
