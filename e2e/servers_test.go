package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// stdioServers are released servers as a person would start them, each with an empty folder to work in.
func stdioServers(t *testing.T) map[string][]string {
	t.Helper()
	scope := func(name string) string { return nodeModule(t, "@modelcontextprotocol", name, "dist", "index.js") }
	return map[string][]string{
		"everything":          {"node", scope("server-everything"), "stdio"},
		"filesystem":          {"node", scope("server-filesystem"), "."},
		"memory":              {"node", scope("server-memory")},
		"sequential-thinking": {"node", scope("server-sequential-thinking")},
		"playwright":          {"node", nodeModule(t, "@playwright", "mcp", "cli.js"), "--headless"},
		"kubernetes":          {"node", nodeModule(t, "mcp-server-kubernetes", "dist", "index.js")},
		"grafana":             {tool(t, "mcp-grafana"), "-t", "stdio"},
	}
}

func TestRealServers_pinnedThenVerifiedMatch(t *testing.T) {
	for name, argv := range stdioServers(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pin(t, dir, name, argv...)
			s := verified(t, dir, 0).Servers[0]
			if s.Status != verify.Match || s.Counts.Unchanged == 0 {
				t.Errorf("server %s: %s, %d tools unchanged", name, s.Status, s.Counts.Unchanged)
			}
			if text, where := read(t, filepath.Join(dir, "contractpin.lock")), nodeModule(t); strings.Count(text, where) > 1 {
				t.Errorf("the lock names this machine's folders beside the command:\n%s", text)
			}
		})
	}
}

func TestBothProtocols_giveOneDigest(t *testing.T) {
	dir := t.TempDir()
	argv := stdioServers(t)["grafana"]
	pin(t, dir, "grafana", argv...)
	for _, protocol := range []string{"legacy", "modern"} {
		verified(t, dir, 0, "--protocol", protocol)
	}
}

func TestFilesystemUpgrade_driftsOnAnnotationsAndOneRewrittenTool(t *testing.T) {
	r := upgrade(t, "server-filesystem-2025.11.25", "@modelcontextprotocol/server-filesystem", verify.ExitDrift, ".")
	s := r.Servers[0]
	if s.Counts != (verify.Counts{Drifted: 14}) {
		t.Errorf("counts %+v, want 14 drifted and nothing else", s.Counts)
	}
	for _, c := range s.Changes {
		want := []string{"annotations"}
		if c.Tool == "read_media_file" { // its release also reads other files than images and audio
			want = []string{"annotations", "description", "outputSchema"}
		}
		var got []string
		for _, f := range c.Fields {
			got = append(got, f.Field)
		}
		if !slices.Equal(got, want) {
			t.Errorf("tool %s changed in %q, want %q", c.Tool, got, want)
		}
	}
}

func TestKubernetesUpgrade_matches(t *testing.T) {
	upgrade(t, "mcp-server-kubernetes-4.1.6", "mcp-server-kubernetes", verify.ExitMatch)
}

// upgrade pins one installed package and verifies another in its place.
func upgrade(t *testing.T, before, after string, want int, args ...string) *verify.Report {
	t.Helper()
	dir := t.TempDir()
	link := filepath.Join(dir, "server")
	point := func(to string) {
		os.Remove(link)
		if err := os.Symlink(nodeModule(t, filepath.FromSlash(to)), link); err != nil {
			t.Fatal(err)
		}
	}
	point(before)
	pin(t, dir, "s", append([]string{"node", "server/dist/index.js"}, args...)...)
	verified(t, dir, verify.ExitMatch)
	point(after)
	return verified(t, dir, want)
}

func TestTransports_giveOneDigest(t *testing.T) {
	dir := t.TempDir()
	url := everythingOverHTTP(t)
	pin(t, dir, "stdio", stdioServers(t)["everything"]...)
	if r := contractpin(t, dir, "init", "http", "--url", url); r.code != 0 {
		t.Fatalf("init --url: %s", r)
	}
	write(t, filepath.Join(dir, "dump.json"), string(listing(t, url)), 0o644)
	if r := contractpin(t, dir, "init", "file", "--file", "dump.json"); r.code != 0 {
		t.Fatalf("init --file: %s", r)
	}
	verified(t, dir, verify.ExitMatch)
	l, err := lock.Load(filepath.Join(dir, "contractpin.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := l.Servers["stdio"].Digest, l.Servers["http"].Digest, l.Servers["file"].Digest; a != b || b != c {
		t.Errorf("server digests: stdio %s, http %s, file %s", a, b, c)
	}
}

// pin runs init for one stdio server.
func pin(t *testing.T, dir, name string, argv ...string) {
	t.Helper()
	if r := contractpin(t, dir, append([]string{"init", name, "--"}, argv...)...); r.code != 0 {
		t.Fatalf("init %s: %s", name, r)
	}
}

// verified runs verify, wants that exit code, and returns the report.
func verified(t *testing.T, dir string, want int, args ...string) *verify.Report {
	t.Helper()
	r := contractpin(t, dir, append([]string{"verify", "--format", "json"}, args...)...)
	if r.code != want {
		t.Fatalf("verify: want exit %d: %s", want, r)
	}
	var out verify.Report
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
		t.Fatalf("verify: %v\n%s", err, r)
	}
	return &out
}

// everythingOverHTTP starts server-everything on a free port and returns its endpoint.
func everythingOverHTTP(t *testing.T) string {
	t.Helper()
	port := freePort(t)
	cmd := exec.Command("node", nodeModule(t, "@modelcontextprotocol", "server-everything", "dist", "index.js"), "streamableHttp")
	cmd.Env = append(plainEnv(), fmt.Sprintf("PORT=%d", port))
	start(t, cmd)
	waitPort(t, port)
	return fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
}

// start runs a process that the test needs and ends it with the test.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ours.Store(cmd.Process.Pid, struct{}{})
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		ours.Delete(cmd.Process.Pid)
		if t.Failed() {
			t.Logf("%s:\n%s", strings.Join(cmd.Args, " "), stderr.String())
		}
	})
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func waitPort(t *testing.T, port int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			return
		}
	}
	t.Fatalf("nothing listens on port %d after a minute", port)
}

// listing asks a streamable HTTP server for its tools with nothing but net/http and returns the raw result.
func listing(t *testing.T, url string) []byte {
	t.Helper()
	var session string
	post := func(body string) []byte {
		req, err := http.NewRequest("POST", url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			if rest, ok := bytes.CutPrefix(line, []byte("data: ")); ok && bytes.Contains(rest, []byte(`"result"`)) {
				return rest
			}
		}
		return data
	}
	post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var answer struct{ Result json.RawMessage }
	data := post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if err := json.Unmarshal(data, &answer); err != nil || answer.Result == nil {
		t.Fatalf("tools/list: %v: %s", err, data)
	}
	return answer.Result
}
