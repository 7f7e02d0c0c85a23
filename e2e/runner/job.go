// Package runner runs steps as GitHub's runner does and reads what they leave as the runner would: the mounts, variables
// and paths of a Docker action, the runner commands in its output, the file commands, and the runner's limits. It follows
// the published source of actions/runner (ContainerActionHandler, ActionCommandManager, FileCommandManager).
package runner

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Context is what a job knows of its workflow run. Zero members get a plain default.
type Context struct {
	EventName  string // pull_request, push, …
	Event      []byte // the payload, JSON; default {}
	Repository string // owner/name
	SHA, Ref   string
	HeadRef    string // of pull requests
	BaseRef    string
	Actor      string
	APIURL     string // default: a port where nothing listens, so that no test can reach GitHub
	GraphQLURL string
	ServerURL  string
	Job        string
	Workflow   string
	RunID      string
	RunAttempt string
	// Token is github.token. It is masked in the log, given to no step by itself, and stands in the runtime's variables
	// and in checkout's credentials as on a hosted runner.
	Token string
}

// Job is one job of a workflow run on a machine of its own: its folders and what steps leave for later ones.
type Job struct {
	Context
	Workspace string // the checkout, on this machine
	Temp      string // the runner's _temp, on this machine

	env    map[string]string // from GITHUB_ENV
	path   []string          // from GITHUB_PATH
	masker *masker
}

// NewJob lays out a job's folders below dir, which must exist: an empty workspace and the runner's _temp with the event.
func NewJob(dir string, c Context) (*Job, error) {
	setDefaults(&c)
	_, name, ok := strings.Cut(c.Repository, "/")
	if !ok {
		return nil, fmt.Errorf("repository %q: want owner/name", c.Repository)
	}
	j := &Job{
		Context:   c,
		Workspace: filepath.Join(dir, "work", name, name),
		Temp:      filepath.Join(dir, "work", "_temp"),
		env:       map[string]string{},
		masker:    &masker{},
	}
	if c.Token != "" {
		j.masker.add(c.Token)
		j.masker.add(runtimeToken(c.Token))
	}
	for _, d := range []string{j.Workspace, j.Temp, j.home(), j.fileCommands(), filepath.Dir(j.eventPath())} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	return j, os.WriteFile(j.eventPath(), c.Event, 0o644)
}

func setDefaults(c *Context) {
	for _, d := range []struct {
		at    *string
		value string
	}{
		{&c.EventName, "push"},
		{&c.Repository, "octo-org/octo-repo"},
		{&c.SHA, strings.Repeat("a", 40)},
		{&c.Ref, "refs/heads/main"},
		{&c.Actor, "octocat"},
		{&c.APIURL, "http://127.0.0.1:9"},
		{&c.GraphQLURL, "http://127.0.0.1:9/graphql"},
		{&c.ServerURL, "https://github.com"},
		{&c.Job, "contractpin"},
		{&c.Workflow, "contracts"},
		{&c.RunID, "1001"},
		{&c.RunAttempt, "1"},
	} {
		if *d.at == "" {
			*d.at = d.value
		}
	}
	if c.Event == nil {
		c.Event = []byte("{}")
	}
}

func (j *Job) home() string         { return filepath.Join(j.Temp, "_github_home") }
func (j *Job) fileCommands() string { return filepath.Join(j.Temp, "_runner_file_commands") }
func (j *Job) eventPath() string    { return filepath.Join(j.Temp, "_github_workflow", "event.json") }

// AddMask hides a value in everything that the job shows, as a secret of the workflow is hidden.
func (j *Job) AddMask(value string) { j.masker.add(value) }

// AddPath puts a folder in front of the PATH of later steps.
func (j *Job) AddPath(dir string) { j.path = append(j.path, dir) }

// Checkout does what actions/checkout leaves behind: the files in a git repository of one commit, and the token in a
// file of its own in _temp, to which .git/config refers.
func (j *Job) Checkout(files map[string]string) error {
	for name, text := range files {
		p := filepath.Join(j.Workspace, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			return err
		}
	}
	credentials := "git-credentials-" + strings.ToLower(rand.Text()) + ".config"
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + j.Token))
	text := fmt.Sprintf("[http \"%s/\"]\n\textraheader = AUTHORIZATION: basic %s\n", j.ServerURL, basic)
	if err := os.WriteFile(filepath.Join(j.Temp, credentials), []byte(text), 0o600); err != nil {
		return err
	}
	var problems []error
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=octocat", "-c", "user.email=octocat@example.com"}, args...)...)
		cmd.Dir = j.Workspace
		if out, err := cmd.CombinedOutput(); err != nil {
			problems = append(problems, fmt.Errorf("git %s: %w: %s", args[0], err, out))
		}
	}
	git("init", "-q")
	git("config", "includeIf.gitdir:"+j.Workspace+"/.git.path", filepath.Join(j.Temp, credentials))
	git("config", "includeIf.gitdir:/github/workspace/.git.path", "/github/runner_temp/"+credentials)
	git("add", "-A")
	git("commit", "-q", "--allow-empty", "-m", "checkout")
	return errors.Join(problems...)
}

// contexts are the variables that the runner makes of the github and runner contexts, paths as on this machine.
func (j *Job) contexts(action string) map[string]string {
	owner, _, _ := strings.Cut(j.Repository, "/")
	kind := "branch"
	if strings.HasPrefix(j.Ref, "refs/tags/") {
		kind = "tag"
	}
	ref := j.Ref
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/pull/"} {
		ref = strings.TrimPrefix(ref, prefix)
	}
	return map[string]string{
		"GITHUB_ACTION": action, "GITHUB_ACTION_REF": "", "GITHUB_ACTION_REPOSITORY": "",
		"GITHUB_ACTOR": j.Actor, "GITHUB_ACTOR_ID": "583231", "GITHUB_TRIGGERING_ACTOR": j.Actor,
		"GITHUB_API_URL": j.APIURL, "GITHUB_GRAPHQL_URL": j.GraphQLURL, "GITHUB_SERVER_URL": j.ServerURL,
		"GITHUB_BASE_REF": j.BaseRef, "GITHUB_HEAD_REF": j.HeadRef,
		"GITHUB_EVENT_NAME": j.EventName, "GITHUB_EVENT_PATH": j.eventPath(),
		"GITHUB_JOB": j.Job, "GITHUB_WORKFLOW": j.Workflow,
		"GITHUB_REF": j.Ref, "GITHUB_REF_NAME": ref, "GITHUB_REF_PROTECTED": "false", "GITHUB_REF_TYPE": kind,
		"GITHUB_REPOSITORY": j.Repository, "GITHUB_REPOSITORY_ID": "1296269",
		"GITHUB_REPOSITORY_OWNER": owner, "GITHUB_REPOSITORY_OWNER_ID": "6811672",
		"GITHUB_RETENTION_DAYS": "90", "GITHUB_RUN_ATTEMPT": j.RunAttempt, "GITHUB_RUN_ID": j.RunID, "GITHUB_RUN_NUMBER": "42",
		"GITHUB_SHA": j.SHA, "GITHUB_WORKFLOW_SHA": j.SHA,
		"GITHUB_WORKFLOW_REF": j.Repository + "/.github/workflows/contracts.yml@" + j.Ref,
		"GITHUB_WORKSPACE":    j.Workspace,
		"RUNNER_OS":           "Linux", "RUNNER_ARCH": "X64", "RUNNER_NAME": "GitHub Actions 2", "RUNNER_ENVIRONMENT": "github-hosted",
		"RUNNER_TEMP": j.Temp, "RUNNER_TOOL_CACHE": "/opt/hostedtoolcache", "RUNNER_WORKSPACE": filepath.Dir(j.Workspace),
	}
}

// runtime are the variables with which an action reaches the cache, the artifacts and the identity provider.
func (j *Job) runtime() map[string]string {
	token := runtimeToken(j.Token)
	return map[string]string{
		"ACTIONS_RUNTIME_URL": "http://127.0.0.1:9/", "ACTIONS_RUNTIME_TOKEN": token,
		"ACTIONS_CACHE_URL": "http://127.0.0.1:9/", "ACTIONS_RESULTS_URL": "http://127.0.0.1:9/",
		"ACTIONS_ID_TOKEN_REQUEST_URL": "http://127.0.0.1:9/oidc", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": token,
	}
}

func runtimeToken(token string) string { return "runtime-" + token }

// environment joins a step's variables in the runner's order: what steps left, the step's own, its inputs, the contexts.
func (j *Job) environment(step, inputs map[string]string, action string, files map[string]string) map[string]string {
	env := maps.Clone(j.env)
	maps.Copy(env, step)
	for name, value := range inputs {
		env["INPUT_"+strings.ToUpper(strings.ReplaceAll(name, " ", "_"))] = value
	}
	maps.Copy(env, j.contexts(action))
	maps.Copy(env, files)
	return env
}
