package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contractpin/verify/e2e/runner"
	"github.com/contractpin/verify/internal/verify"
)

// isolatedRun runs the action on a checkout whose lock pins these servers and returns what the report says of each.
func isolatedRun(t *testing.T, servers map[string]launch, files, inputs map[string]string, options ...string) (*runner.Outcome, map[string]verify.Server) {
	t.Helper()
	j, err := runner.NewJob(t.TempDir(), runner.Context{Token: "ghs_0123456789"})
	if err != nil {
		t.Fatal(err)
	}
	checkout := map[string]string{"contractpin.lock": stdioLock(t, servers)}
	for name, text := range files {
		checkout[name] = text
	}
	if err := j.Checkout(checkout); err != nil {
		t.Fatal(err)
	}
	with := inputsOf(t, j, inputs)
	with["report-file"] = "report.json"
	o, err := j.Docker(t.Context(), runner.DockerStep{
		Image: image(t), Inputs: with, Options: append([]string{"--network", "host"}, options...),
	})
	if err != nil {
		t.Fatal(err)
	}
	var r verify.Report
	if err := json.Unmarshal([]byte(read(t, filepath.Join(j.Workspace, "report.json"))), &r); err != nil {
		t.Fatalf("report: %v\n%s", err, o.Log)
	}
	found := map[string]verify.Server{}
	for _, s := range r.Servers {
		found[s.Name] = s
	}
	return o, found
}

// Servers that answer in the languages of the image. Each says what the polite one of hostile/ says.
const (
	pythonServer = `import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    r = {}
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": "pick", "description": "Picks a flower.", "inputSchema": {"type": "object"}}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`
	nodeServer = `require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const m = JSON.parse(line);
  if (m.id === undefined) return;
  let result = {};
  if (m.method === "initialize")
    result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "n", version: "1" } };
  else if (m.method === "tools/list")
    result = { tools: [{ name: "pick", description: "Picks a flower.", inputSchema: { type: "object" } }] };
  console.log(JSON.stringify({ jsonrpc: "2.0", id: m.id, result }));
});
`
)

func TestIsolation_runtimesOfTheImageWork(t *testing.T) {
	for _, landlock := range []bool{true, false} {
		t.Run(fmt.Sprintf("landlock=%v", landlock), func(t *testing.T) {
			var options []string
			if !landlock {
				options = []string{"--security-opt", "seccomp=" + refuseLandlock(t)}
			}
			o, servers := isolatedRun(t, map[string]launch{
				"node":          {command: []string{"node", "server.js"}},
				"node-wrapped":  {command: []string{"sh", "-c", "node server.js | cat"}},
				"node-child":    {command: []string{"node", "-e", `require("child_process").spawn("node", ["server.js"], {stdio: "inherit"})`}},
				"python":        {command: []string{"python3", "servers/plain.py"}},
				"python-module": {command: []string{"python3", "-m", "servers.plain"}},
				"script":        {command: []string{"./run"}},
			}, map[string]string{
				"server.js": nodeServer, "servers/plain.py": pythonServer, "servers/__init__.py": "",
				"run": "#!/bin/sh\nexec python3 servers/plain.py 2>/dev/stderr\n",
			}, nil, options...)
			for name, s := range servers {
				if s.Status != verify.Match {
					t.Errorf("%s is %s: %+v", name, s.Status, s.Reason)
				}
			}
			if o.ExitCode != 0 || len(servers) != 6 {
				t.Errorf("exit code %d, %d servers:\n%s", o.ExitCode, len(servers), o.Log)
			}
		})
	}
}

func refuseLandlock(t *testing.T) string {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "seccomp.json")
	write(t, profile, noLandlock, 0o644)
	return profile
}

func TestIsolation_thatCannotBeHadFailsClosed(t *testing.T) {
	dir := t.TempDir()
	canary := []string{"sh", "-c", `touch /canary/sang; exec node server.js`}
	o, servers := isolatedRun(t, map[string]launch{"canary": {command: canary}}, map[string]string{"server.js": nodeServer}, nil,
		"--cap-drop", "SETUID", "-v", dir+":/canary")
	s := servers["canary"]
	if o.ExitCode != 1 || s.Status != verify.Unreachable || s.Reason == nil || s.Reason.Code != "no-isolation" || s.Reason.Hint == "" {
		t.Errorf("exit code %d, status %s, reason %+v", o.ExitCode, s.Status, s.Reason)
	}
	if sang, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(sang) > 0 {
		t.Errorf("the server was started: %v %q", err, sang)
	}
}

func TestIsolation_modesAreRestoredAfterACancelledRun(t *testing.T) {
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listen.Close()
	a := &assault{t: t, results: map[string]tried{}}
	a.layOut(listen.Addr().String())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	closed := make(chan bool, 1)
	go func() { // the victim calls when it runs, and then waits for a word that never comes
		c, err := listen.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		bufio.NewReader(c).ReadString('\n')
		info, err := os.Stat(a.job.Temp)
		closed <- err == nil && info.Mode().Perm() == 0o700
		cancel()
	}()
	inputs := inputsOf(t, a.job, map[string]string{"servers": "victim", "isolate": "true"})
	o, err := a.job.Docker(ctx, runner.DockerStep{
		Image: image(t), Inputs: inputs, Env: map[string]string{"VICTIM_SECRET": needle},
		Options: []string{"--network", "host", "--security-opt", "seccomp=" + refuseLandlock(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if o.ExitCode != 1 || !<-closed {
		t.Errorf("exit code %d, want 1, with the runner's folder closed meanwhile:\n%s", o.ExitCode, o.Log)
	}
	a.sameModes()
}

// dockerServer is a server in a container of its own: the image has node.
func dockerServer(t *testing.T, name string) launch {
	return launch{command: []string{"docker", "run", "-i", "--rm", "--network", "host", "--name", name, "--entrypoint", "node", image(t), "-e", nodeServer}}
}

func TestIsolation_dockerServersNeedTheirSwitch(t *testing.T) {
	name := "contractpin-e2e-" + filepath.Base(t.TempDir())
	_, servers := isolatedRun(t, map[string]launch{"inner": dockerServer(t, name)}, nil, nil)
	if s := servers["inner"]; s.Status != verify.Unreachable {
		t.Errorf("without docker-servers it is %s", s.Status)
	}
	o, servers := isolatedRun(t, map[string]launch{"inner": dockerServer(t, name)}, nil, map[string]string{"docker-servers": "true"})
	if s := servers["inner"]; s.Status != verify.Match {
		t.Errorf("with docker-servers it is %s: %+v\n%s", s.Status, s.Reason, o.Log)
	}
}

func TestIsolation_containersOfAServerGoWithIt(t *testing.T) {
	name := "contractpin-e2e-left-behind"
	began := fmt.Sprint(time.Now().Unix())
	t.Cleanup(func() { exec.Command("docker", "rm", "-f", name).Run() })
	leave := launch{command: []string{"docker", "run", "-d", "--network", "host", "--name", name, "--entrypoint", "sleep", image(t), "1000"}}
	_, servers := isolatedRun(t, map[string]launch{"inner": leave}, nil, map[string]string{"docker-servers": "true"})
	if s := servers["inner"]; s.Status != verify.Unreachable {
		t.Errorf("a server that only starts a container is %s", s.Status)
	}
	events := command(t, ".", nil, "docker", "events", "--since", began, "--until", fmt.Sprint(time.Now().Unix()+1),
		"--filter", "container="+name, "--format", "{{.Action}}")
	if !strings.Contains(events.stdout, "start") {
		t.Errorf("it started none: %s", events)
	}
	if out, err := exec.Command("docker", "inspect", "--format", "{{.State.Status}}", name).CombinedOutput(); err == nil {
		t.Errorf("its container is left: %s", out)
	}
}
