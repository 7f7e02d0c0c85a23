package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contractpin/verify/e2e/runner"
	"github.com/contractpin/verify/e2e/workflow"
)

// What the program in hostile/ tries, in its order, and whether it must succeed: in the image as it is, with Landlock refused
// to it, and with isolate: false. What succeeds nowhere is prevented by more than isolation, such as the allow-list of
// variables.
var attempts = []struct {
	name                        string
	isolated, noLandlock, naked bool
}{
	{"find the token in its own environment", false, false, false},
	{"find the token in a file that was left open", false, false, false},
	{"read the environment of process 1", false, false, true},
	{"read the environment of any process but its own", false, false, true},
	{"read the command line of any process but its own", false, true, true},
	{"read the memory of any process but its own", false, false, true},
	{"open a file that another process has open", false, false, true},
	{"reach files through the root folder of process 1", false, false, true},
	{"trace the action", false, false, true},
	{"read the action's memory by process_vm_readv", false, false, true},

	{"read the event", false, false, true},
	{"read the event through runner_temp", false, false, true},
	{"list the file commands", false, false, true},
	{"list runner_temp", false, false, true},
	{"append to GITHUB_ENV", false, false, true},
	{"append to GITHUB_ENV through runner_temp", false, false, true},
	{"append to GITHUB_OUTPUT", false, false, true},
	{"append to GITHUB_OUTPUT through runner_temp", false, false, true},
	{"append to GITHUB_PATH", false, false, true},
	{"append to GITHUB_PATH through runner_temp", false, false, true},
	{"append to the job summary", false, false, true},
	{"read checkout's credentials in runner_temp", false, false, true},
	{"write to runner_temp", false, false, true},
	{"read the action's HOME", false, false, true},
	{"read the action's HOME through runner_temp", false, false, true},
	{"write to the action's HOME", false, false, true},

	{"read .git/config", false, false, true},
	{"read .git/config through a link in the checkout", false, false, true},
	{"read .git/config of a checkout further down", false, false, true},
	{"link .git/config into its own HOME", false, false, true},
	{"write to the lock", false, false, true},
	{"move the lock away", false, false, true},
	{"make a file in the checkout", false, false, true},
	{"rewrite its own program in the checkout", false, false, true},

	{"read another server's HOME", false, false, true},
	{"list the servers' homes", false, false, true},
	{"read another server's environment", false, false, true},
	{"read another server's command line", false, true, true},
	{"read another server's memory", false, false, true},
	{"open another server's files", false, false, true},
	{"trace another server", false, false, true},
	{"read another server's shared memory", false, false, true},
	{"reach another server's abstract socket", false, true, true},
	{"signal another server", false, false, true},

	{"reach the Docker socket", false, false, true},
	{"see that there is a Docker socket", false, false, true},

	{"terminate process 1", false, false, true},
	{"terminate the action", false, false, true},
	{"become root", false, false, true},
	{"change its root folder", false, false, true},
	{"read what only root may", false, false, true},
	{"change a program of the image", false, false, true},
	{"write to a temporary folder that later servers use", false, true, true},

	{"write a file larger than the bound", false, false, true},
	{"open more files than the bound", false, false, true},
	{"start more processes than the bound", false, false, true},
	{"start more threads than the bound", false, false, true},

	{"write runner commands to the log of the run", false, false, true},
	{"outlive its own end as a daemon", false, false, true},
}

// needle is what every secret of these runs holds.
const needle = "S3CR3T"

// noLandlock is a seccomp profile that refuses Landlock, as kernels without it do, and nothing else: also what Docker's
// own profile would refuse is open to the server.
const noLandlock = `{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["landlock_create_ruleset","landlock_add_rule",
"landlock_restrict_self"],"action":"SCMP_ACT_ERRNO","errnoRet":38}]}`

func TestHostile_isDenied(t *testing.T) {
	a := startAssault(t, map[string]string{"isolate": "true"})
	old := strings.Contains(a.outcome.Log, "this kernel's Landlock is version") // says what it cannot close
	a.check(func(i int) bool {
		return attempts[i].isolated || old && attempts[i].name == "reach another server's abstract socket"
	})
	a.unharmed()
}

func TestHostile_isDeniedWithoutLandlock(t *testing.T) {
	a := startAssault(t, map[string]string{"isolate": "true"}, "--security-opt", "seccomp="+refuseLandlock(t))
	a.check(func(i int) bool { return attempts[i].noLandlock })
	a.unharmed()
	if n := strings.Count(a.outcome.Log, "no Landlock"); n != 1 {
		t.Errorf("the log says %d times that there is no Landlock, want once:\n%s", n, a.outcome.Log)
	}
	a.sameModes()
}

// Without isolation everything that isolation prevents must succeed, or the tests above could not fail. Docker's own
// profile is off, so that nothing but isolation could have stood in the way.
func TestHostile_succeedsWithoutIsolation(t *testing.T) {
	a := startAssault(t, map[string]string{"isolate": "false"}, "--security-opt", "seccomp=unconfined")
	a.check(func(i int) bool { return attempts[i].naked })
}

var update = flag.Bool("update", false, "write the tables in docs anew")

// The table in docs says what the tests above hold.
func TestHostile_docsSayWhatWasTried(t *testing.T) {
	const path, from, to = "../docs/isolation.md", "<!-- table -->\n", "<!-- end of table -->"
	words := map[bool]string{false: "denied", true: "**possible**"}
	table := "\n| a server tries to | in the image | without Landlock | `isolate: false` |\n|---|---|---|---|\n"
	for _, at := range attempts {
		table += fmt.Sprintf("| %s | %s | %s | %s |\n", at.name, words[at.isolated], words[at.noLandlock], words[at.naked])
	}
	text := read(t, path)
	before, rest, ok1 := strings.Cut(text, from)
	_, after, ok2 := strings.Cut(rest, to)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", path)
	}
	want := before + from + table + "\n" + to + after
	switch {
	case *update:
		write(t, path, want, 0o644)
	case text != want:
		t.Errorf("%s does not have this table; write it with `go test -run docsSayWhatWasTried -update .` in e2e:\n%s", path, table)
	}
}

// assault is one run of the action with the hostile server and its victim.
type assault struct {
	t       *testing.T
	job     *runner.Job
	outcome *runner.Outcome
	results map[string]tried
	modes   map[string]fs.FileMode
}

// tried is what the attacker says of an attempt.
type tried struct {
	Name      string
	Succeeded bool
	Detail    string
}

type hello struct {
	Role string
	PID  int
	Home string
}

// connection is one process of the assault.
type connection struct {
	net.Conn
	hello
	lines *bufio.Scanner
}

func (c *connection) send(v any) {
	data, _ := json.Marshal(v)
	c.Write(append(data, '\n'))
}

// receive returns an error at the end of the connection, or when nothing came for two minutes.
func (c *connection) receive(v any) error {
	c.SetReadDeadline(time.Now().Add(2 * time.Minute))
	if !c.lines.Scan() {
		return fmt.Errorf("%s: no more lines: %v", c.Role, c.lines.Err())
	}
	return json.Unmarshal(c.lines.Bytes(), v)
}

// startAssault runs the action to its end.
func startAssault(t *testing.T, inputs map[string]string, options ...string) *assault {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listen.Close() })
	a := &assault{t: t, results: map[string]tried{}}
	a.layOut(listen.Addr().String())

	inputs["timeout"] = "240s" // the attacker takes its time
	step := runner.DockerStep{
		Image: image(t), Inputs: inputsOf(t, a.job, inputs), Env: map[string]string{"VICTIM_SECRET": needle + "-of-the-victim"},
		Options: append([]string{"--network", "host"}, options...),
	}
	container := make(chan string, 1)
	step.Started = func(name string) { container <- name }
	failed := make(chan error, 1)
	go func() { failed <- a.direct(listen, container, inputs["isolate"] == "false") }()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	a.outcome, err = a.job.Docker(ctx, step)
	listen.Close()
	if err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err != nil {
		t.Fatalf("%v\n%s", err, a.outcome.Log)
	}
	if a.outcome.ExitCode != 0 {
		t.Errorf("exit code %d: the assault kept the run from a match\n%s", a.outcome.ExitCode, a.outcome.Log)
	}
	return a
}

// layOut makes the checkout and the runner's files, with a secret in each place where one would be.
func (a *assault) layOut(address string) {
	t := a.t
	t.Helper()
	j, err := runner.NewJob(t.TempDir(), runner.Context{Token: "ghs_" + needle, Event: []byte(`{"secret":"` + needle + `"}`)})
	if err != nil {
		t.Fatal(err)
	}
	a.job = j
	files := map[string]string{
		"contractpin.lock": stdioLock(t, map[string]launch{
			"attacker": {command: []string{"./server", "attack", address}},
			"victim":   {command: []string{"./server", "victim", address}, env: map[string]string{"VICTIM_SECRET": "${VICTIM_SECRET}"}},
		}),
		"third/party/code": "code\n", "third/party/.git/config": "token = " + needle + "\n",
	}
	if err := j.Checkout(files); err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(j.Workspace, "server")
	build := exec.Command("go", "build", "-trimpath", "-o", server, "./hostile")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	config := filepath.Join(j.Workspace, ".git/config")
	write(t, config, read(t, config)+"[http]\n\textraheader = "+needle+"\n", 0o644)
	write(t, a.credentials(), "token = "+needle+"\n", 0o644)
	write(t, filepath.Join(j.Temp, "_github_home/.npmrc"), "token="+needle+"\n", 0o644)
	if err := os.Symlink(".git", filepath.Join(j.Workspace, "innocent")); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 { // as on a runner, nothing of the job is root's
		if out, err := exec.Command("chown", "-R", "1001:1001", j.Workspace, j.Temp).CombinedOutput(); err != nil {
			t.Fatalf("chown: %v: %s", err, out)
		}
	}
	a.modes = a.currentModes()
}

// credentials is the file in which checkout keeps the token.
func (a *assault) credentials() string {
	a.t.Helper()
	found, err := filepath.Glob(filepath.Join(a.job.Temp, "git-credentials-*"))
	if err != nil || len(found) != 1 {
		a.t.Fatalf("checkout's credentials: %q %v", found, err)
	}
	return found[0]
}

// stdioLock pins servers that all serve one tool, pick, and nothing else: NAME → how the lock starts it.
func stdioLock(t *testing.T, servers map[string]launch) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "dump.json"), `{"tools":[{"name":"pick","description":"Picks a flower.","inputSchema":{"type":"object"}}]}`, 0o644)
	var lock map[string]any
	for name := range servers {
		if r := contractpin(t, dir, "init", name, "--file", "dump.json"); r.code != 0 {
			t.Fatalf("init: %s", r)
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "contractpin.lock"))), &lock); err != nil {
		t.Fatal(err)
	}
	for name, l := range servers {
		s := lock["servers"].(map[string]any)[name].(map[string]any)
		delete(s, "path")
		s["transport"], s["command"] = "stdio", l.command
		if l.env != nil {
			s["env"] = l.env
		}
	}
	text, err := json.MarshalIndent(lock, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

type launch struct {
	command []string
	env     map[string]string
}

// inputsOf are the action's, with the defaults of action.yml.
func inputsOf(t *testing.T, j *runner.Job, with map[string]string) map[string]string {
	t.Helper()
	inputs, err := workflow.Defaults("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range inputs {
		inputs[name] = strings.ReplaceAll(value, "${{ github.token }}", j.Token)
	}
	maps.Copy(inputs, with)
	return inputs
}

// direct plays the assault: the attacker gets its target when the victim is up, and the victim is held until the attacker's
// server has ended, so that the run is still on when its daemon is looked for.
func (a *assault) direct(listen net.Listener, container <-chan string, naked bool) error {
	peers := map[string]*connection{}
	meet := func(roles ...string) error {
		for _, role := range roles {
			for peers[role] == nil {
				c, err := listen.Accept()
				if err != nil {
					return fmt.Errorf("the %s did not call: %w", role, err)
				}
				p := &connection{Conn: c, lines: bufio.NewScanner(c)}
				p.lines.Buffer(nil, 1<<20)
				if err := p.receive(&p.hello); err != nil {
					return err
				}
				peers[p.Role] = p
			}
		}
		return nil
	}
	defer func() {
		for _, p := range peers {
			p.Close()
		}
	}()
	if err := meet("attack", "victim"); err != nil {
		return err
	}
	attacker, victim := peers["attack"], peers["victim"]
	attacker.send(a.target(victim.hello, naked))
	for {
		var r tried
		if err := attacker.receive(&r); err != nil {
			return err
		}
		if r.Name == "done" {
			break
		}
		a.results[r.Name] = r
	}
	if err := meet("daemon"); err != nil {
		return err
	}
	waitForLog(a.t, <-container, "attacker")
	peers["daemon"].send("are you there")
	var answer string
	err := peers["daemon"].receive(&answer)
	a.results["outlive its own end as a daemon"] = tried{Succeeded: err == nil, Detail: fmt.Sprint(err)}
	victim.send("go on")
	return nil
}

func (a *assault) target(victim hello, naked bool) any {
	var commands []string
	entries, _ := os.ReadDir(filepath.Join(a.job.Temp, "_runner_file_commands"))
	for _, e := range entries {
		commands = append(commands, e.Name())
	}
	return map[string]any{"Victim": victim, "Commands": commands, "Secret": filepath.Base(a.credentials()), "Harmless": naked}
}

// waitForLog returns when a line of the container's output names the server, which it does once the server has ended.
func waitForLog(t *testing.T, container, name string) {
	logs := exec.Command("docker", "logs", "--follow", container)
	out, err := logs.StdoutPipe()
	if err == nil {
		err = logs.Start()
	}
	if err != nil {
		t.Errorf("docker logs: %v", err)
		return
	}
	defer func() {
		logs.Process.Kill()
		logs.Wait()
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), name) {
			return
		}
	}
	t.Errorf("the log never named %s", name)
}

// check compares what happened with what must, and prints the table.
func (a *assault) check(want func(i int) bool) {
	a.t.Helper()
	words := map[bool]string{false: "denied", true: "succeeded"}
	var table strings.Builder
	for i, at := range attempts {
		r, ok := a.results[at.name]
		fmt.Fprintf(&table, "%-10s %-55s %s\n", words[r.Succeeded], at.name, strings.ReplaceAll(r.Detail, "\n", "; "))
		if !ok {
			a.t.Errorf("%s: was not tried", at.name)
		} else if r.Succeeded != want(i) {
			a.t.Errorf("%s: %s, want %s (%s)", at.name, words[r.Succeeded], words[want(i)], r.Detail)
		}
		delete(a.results, at.name)
	}
	for name := range a.results {
		a.t.Errorf("%s: is not in the table", name)
	}
	a.t.Logf("\n%s", table.String())
}

// unharmed checks what the run left: nothing of the attacker's reached the runner.
func (a *assault) unharmed() {
	a.t.Helper()
	o := a.outcome
	for _, c := range o.Commands {
		// Our own warning may quote the attacker, escaped; a command of the attacker's has nothing else to say.
		if strings.HasPrefix(c.Data, "PWNED") || strings.Contains(fmt.Sprint(c.Properties), "PWNED") || c.Name == "stop-commands" {
			a.t.Errorf("the runner obeyed %+v", c)
		}
	}
	if len(o.Env) > 0 || len(o.Path) > 0 || o.Outputs["exit-code"] != "0" || len(o.Problems) > 0 {
		a.t.Errorf("env %v, path %v, exit-code %q, problems %q", o.Env, o.Path, o.Outputs["exit-code"], o.Problems)
	}
	for where, text := range map[string]string{"log": o.Log, "summary": o.Summary} {
		if strings.Contains(text, needle) {
			a.t.Errorf("the %s shows a secret", where)
		}
	}
	for _, name := range []string{"planted", "moved.lock"} {
		if _, err := os.Stat(filepath.Join(a.job.Workspace, name)); err == nil {
			a.t.Errorf("%s is in the checkout", name)
		}
	}
}

// currentModes are those of what is closed where there is no Landlock.
func (a *assault) currentModes() map[string]fs.FileMode {
	a.t.Helper()
	modes := map[string]fs.FileMode{}
	for _, path := range []string{
		a.job.Temp, filepath.Join(a.job.Temp, "_github_home"), filepath.Join(a.job.Temp, "_github_workflow"),
		filepath.Join(a.job.Temp, "_runner_file_commands"), filepath.Join(a.job.Workspace, ".git"),
		filepath.Join(a.job.Workspace, "third/party/.git"),
	} {
		info, err := os.Stat(path)
		if err != nil {
			a.t.Fatal(err)
		}
		modes[path] = info.Mode()
	}
	return modes
}

func (a *assault) sameModes() {
	a.t.Helper()
	for path, mode := range a.currentModes() {
		if mode != a.modes[path] {
			a.t.Errorf("%s had mode %v and now has %v", path, a.modes[path], mode)
		}
	}
}
