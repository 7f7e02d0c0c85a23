package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/contractpin/verify/internal/clientconfig"
	"github.com/contractpin/verify/internal/github"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/sandbox"
	"github.com/contractpin/verify/internal/secret"
	"github.com/contractpin/verify/internal/verify"
)

// job is what one run of the action works with.
type job struct {
	in        inputs
	badIn     error // of an input; the run is an exit 2
	lookup    func(string) (string, bool)
	gh        *github.Runner
	at        github.Context
	client    *github.Client // nil without a token
	ws        string         // the workspace, absolute
	lock      string         // path of the lock, absolute
	secrets   *run.Secrets
	sandbox   *sandbox.Sandbox // nil with isolate: false
	scratch   string           // holds empty folders; "" until one is needed
	headBytes []byte           // the lock at the pull request's head, once review has read it
	edited    bool             // the pull request edits the lock or the contracts file
}

func newJob(lookup func(string) (string, bool), stdout io.Writer) *job {
	getenv := func(name string) string {
		v, _ := lookup(name)
		return v
	}
	j := &job{lookup: lookup, gh: github.NewRunner(stdout, getenv), secrets: &run.Secrets{}}
	j.gh.Redact(j.secrets.Redact)
	j.in, j.badIn = readInputs(j.gh.Input)
	j.keepSecrets(getenv)
	at, err := github.ReadContext(getenv)
	if err != nil {
		j.warnf("what the runner says about this run cannot all be read: %v", err)
	}
	j.at = at
	j.ws = workspace(at.Workspace)
	j.lock = j.abs(j.in.lockFile)
	if j.in.token != "" {
		if j.client, err = github.NewClient(at, j.in.token, run.BuildVersion()); err != nil {
			j.warnf("GitHub's API is not called: %v", err)
		}
	}
	if j.in.isolate {
		j.sandbox = sandbox.New(sandbox.Config{
			Workspace: j.ws, DockerServers: j.in.dockerServers, Log: func(line string) { j.gh.Logf("%s", line) },
		})
	}
	return j
}

func (j *job) close() {
	if j.sandbox != nil {
		j.sandbox.Close()
	}
	if j.scratch != "" {
		os.RemoveAll(j.scratch)
	}
}

func (j *job) warnf(format string, args ...any) { j.gh.Warn(fmt.Sprintf(format, args...)) }

// keepSecrets masks the step's credentials in the log and hides them from every other output.
func (j *job) keepSecrets(getenv func(string) string) {
	j.hide(j.in.token)
	for _, name := range []string{"GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"} {
		j.hide(getenv(name))
	}
	for _, h := range j.in.headers {
		for rest, more := h, true; more; { // a server's name may hold a colon too
			if _, rest, more = strings.Cut(rest, ":"); more {
				value := strings.TrimSpace(rest)
				j.hide(value)
				_, credential, _ := strings.Cut(value, " ")
				j.hide(credential)
			}
		}
	}
	for _, name := range j.in.passEnv {
		if !secret.Public(name) {
			j.hide(getenv(name))
		}
	}
}

func (j *job) hide(value string) {
	j.secrets.Add(value)
	if len(strings.TrimSpace(value)) >= secret.MinLength { // a shorter one would blot out half of the log
		j.gh.Mask(value)
	}
}

// workspace is where the runner says the checkout is, else the folder that we were started in.
func workspace(path string) string {
	if path == "" {
		path = "."
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return abs
}

func (j *job) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(j.ws, path)
}

// verdict makes the report. Whatever goes wrong on the way is in it.
func (j *job) verdict(ctx context.Context) *verify.Report {
	o := run.Options{Shard: j.in.shard, Version: run.BuildVersion()}
	fail := func(code string, err error) *verify.Report {
		return run.Failed(j.in.lockFile, o, &verify.Failure{Code: code, Message: j.secrets.Redact(err.Error())})
	}
	if j.badIn != nil {
		return fail(run.BadArguments, j.badIn)
	}
	if j.client != nil {
		if err := j.client.Find(ctx, j.in.prNumber); err != nil {
			j.warnf("the pull request could not be looked up: %s", j.client.Cause(err, "pull-requests: read"))
		}
		j.at = j.client.Context()
	}
	if len(j.in.reports) > 0 {
		r, err := j.merged(ctx)
		if err != nil {
			return fail(run.BadArguments, err)
		}
		return r
	}
	if err := j.vet(j.lock); err != nil {
		return fail(run.InvalidLock, err)
	}
	p, failure := run.Load(j.lock)
	if failure != nil {
		failure.Message = strings.ReplaceAll(failure.Message, j.lock, j.in.lockFile)
		return run.Failed(j.in.lockFile, o, failure)
	}
	if err := j.vet(lock.ContractsPath(j.lock)); err != nil {
		p.Forget(err.Error())
	}
	r := j.verify(ctx, p)
	r.Lock = j.in.lockFile
	return r
}

// vet refuses a file that a link takes out of the workspace: errors about the lock quote what they find there. One that
// is not there passes.
func (j *job) vet(path string) error {
	name := github.RelativeTo(j.ws, path)
	if name == "" {
		return nil // the workflow names a file elsewhere: that is its author's choice
	}
	var refused *fs.PathError
	if _, err := github.InWorkspace(j.ws)(path); errors.As(err, &refused) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w, so it is not read", name, refused.Err)
	}
	return nil
}

// verify checks the servers, and meanwhile asks what the pull request does to the lock.
func (j *job) verify(ctx context.Context, p *run.Pinned) *verify.Report {
	o := run.Options{
		Servers: j.in.servers, Shard: j.in.shard, Headers: j.in.headers, AllowNew: j.in.allowNew, Concurrency: j.in.concurrency,
		Configs: j.configs(), PinAll: j.in.requirePinned,
		Timeout: j.in.timeout, Protocol: j.in.protocol, PassEnv: j.in.passEnv, Version: run.BuildVersion(), Lookup: j.lookup,
		CheckFile: github.InWorkspace(j.ws), Block: j.trust(ctx, p.Lock), Secrets: j.secrets,
		Done: func(s verify.Server) { j.gh.Logf("%s", report.ServerLine(&s, report.TextOptions{})) },
	}
	if j.sandbox != nil {
		o.Prepare = j.isolate
		o.Concurrency = min(o.Concurrency, sandbox.Users) // one more would wait, and its time would run
	}
	j.maskReferences(p.Lock)
	reviewed := make(chan *verify.Review, 1)
	go func() { reviewed <- j.review(ctx) }()
	r := run.Verify(ctx, p, o)
	r.Review = <-reviewed
	markLive(r)
	return r
}

// configs are the client configurations that the lock is held against. One that leads out of the workspace is not read.
func (j *job) configs() []run.Config {
	if j.in.noConfigs {
		return nil
	}
	names := j.in.configs
	if len(names) == 0 {
		for _, path := range clientconfig.Files(j.ws) {
			names = append(names, github.RelativeTo(j.ws, path))
		}
	}
	if len(names) == 0 && j.in.requirePinned {
		j.warnf("require-pinned: the checkout holds no client configuration, so there was nothing to hold the lock against")
	}
	var configs []run.Config
	for _, name := range names {
		path := j.abs(name)
		configs = append(configs, run.Config{Name: name, Path: path, Err: j.vet(path)})
	}
	return configs
}

// isolate prepares a server's command; what keeps it from being isolated is a reason of its own in the report.
func (j *job) isolate(ctx context.Context, cmd *exec.Cmd) (cleanup func(), err error) {
	cleanup, err = j.sandbox.Prepare(ctx, cmd)
	if e, ok := errors.AsType[*sandbox.Error](err); ok {
		err = &mcp.Error{Kind: mcp.Unreachable, Code: e.Code, Message: e.Message, Hint: e.Hint}
	}
	return cleanup, err
}

// maskReferences masks what ${NAME} stands for in the lock before any of it can be printed.
func (j *job) maskReferences(l *lock.Lock) {
	for _, s := range l.Servers {
		for _, v := range run.References(s, j.lookup) {
			j.hide(v)
		}
	}
}

// trust is the rule of privileged events; nil where it does not apply.
func (j *job) trust(ctx context.Context, l *lock.Lock) func(*lock.Server) *verify.Failure {
	if !j.at.Event.Privileged() || j.in.allowUntrusted {
		return nil
	}
	t := &github.Trust{Workspace: j.ws, Dir: filepath.Dir(j.lock), Lookup: run.InWorkspace(j.lock, j.lookup)}
	t.Lock, t.Why = j.trustedLock(ctx)
	verdicts := map[string]*verify.Failure{}
	var err error
	for name, s := range l.Servers {
		verdicts[name] = t.Block(s)
		if verdicts[name] != nil || s.Transport != lock.Stdio || s.Cwd != "" {
			continue
		}
		// Nothing of the checkout may reach it through the folder that it starts in.
		if s.Cwd, err = j.emptyDir(); err != nil {
			verdicts[name] = &verify.Failure{Code: "no-empty-folder", Message: "there is no empty folder to start it in: " + err.Error()}
		}
	}
	return func(s *lock.Server) *verify.Failure { return verdicts[s.Name] }
}

// trustedLock is the lock of the repository's own branch, which GITHUB_SHA is a commit of, else why it is not to be had.
func (j *job) trustedLock(ctx context.Context) (*lock.Lock, string) {
	path := github.RepoPath(j.ws, j.lock)
	switch {
	case j.client == nil:
		return nil, "no github-token to read it with"
	case path == "":
		return nil, "lock-file lies outside the workspace"
	case j.at.SHA == "":
		return nil, "GITHUB_SHA names no commit"
	}
	data, err := j.client.File(ctx, path, j.at.SHA)
	if err != nil {
		return nil, j.client.Cause(err, "contents: read")
	}
	trusted, err := lock.Parse(path, data)
	if err != nil {
		return nil, err.Error()
	}
	return trusted, ""
}

// emptyDir makes a folder for one server to start in. It goes when the job ends.
func (j *job) emptyDir() (string, error) {
	if j.scratch == "" {
		dir, err := os.MkdirTemp("", "contractpin-")
		if err != nil {
			return "", err
		}
		j.scratch = dir
	}
	return os.MkdirTemp(j.scratch, "")
}
