// Package github is the action's side of GitHub: what the runner tells about the job, the event's payload, the lock at
// the base commit, the pull request's comment, the nightly issue, and everything that is written for the runner (log,
// commands, annotations, outputs, summary). It is the only package that knows go-github and go-githubactions.
package github

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/sethvargo/go-githubactions"
)

// Context says where a run takes place. Members that the runner does not tell are empty.
type Context struct {
	Owner, Repo string
	APIURL      string // https://api.github.com, or https://HOST/api/v3
	GraphQLURL  string // "" where the runner names none
	ServerURL   string
	SHA         string
	Ref         string
	Actor       string
	Workflow    string
	Job         string
	RunID       int64
	Attempt     int
	Workspace   string // absolute path
	Event       Event
}

// ReadContext reads the runner's variables and the event's payload. What cannot be read is an error and leaves its
// members empty: no verdict depends on them.
func ReadContext(getenv func(string) string) (Context, error) {
	// The library gives up everything when it cannot read the payload, so that is read here.
	raw, err := githubactions.New(githubactions.WithGetenv(func(name string) string {
		if name == "GITHUB_EVENT_PATH" {
			return ""
		}
		return getenv(name)
	})).Context()
	if raw == nil {
		return Context{}, err
	}
	c := Context{
		APIURL:     raw.APIURL,
		GraphQLURL: getenv("GITHUB_GRAPHQL_URL"),
		ServerURL:  strings.TrimSuffix(raw.ServerURL, "/"),
		SHA:        commit(raw.SHA),
		Ref:        raw.Ref,
		Actor:      raw.Actor,
		Workflow:   raw.Workflow,
		Job:        raw.Job,
		RunID:      raw.RunID,
		Attempt:    max(1, int(raw.RunAttempt)),
		Workspace:  raw.Workspace,
		Event:      Event{Name: raw.EventName},
	}
	if owner, repo, ok := strings.Cut(raw.Repository, "/"); ok && isName(owner) && isName(repo) {
		c.Owner, c.Repo = owner, repo
	}
	if path := getenv("GITHUB_EVENT_PATH"); path != "" {
		payload, readErr := os.ReadFile(path)
		if readErr == nil {
			c.Event, readErr = ParseEvent(raw.EventName, payload)
		}
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("event payload: %w", readErr))
		}
	}
	return c, err
}

// RunURL is the page of this run's attempt, or "".
func (c Context) RunURL() string {
	if c.ServerURL == "" || c.Repo == "" || c.RunID == 0 {
		return ""
	}
	url := c.ServerURL + "/" + c.Owner + "/" + c.Repo + "/actions/runs/" + strconv.FormatInt(c.RunID, 10)
	if c.Attempt > 1 {
		url += "/attempts/" + strconv.Itoa(c.Attempt)
	}
	return url
}

// HeadSHA is the commit that the run is about: the pull request's head rather than its merge commit.
func (c Context) HeadSHA() string {
	if c.Event.HeadSHA != "" {
		return c.Event.HeadSHA
	}
	return c.SHA
}

// OnDefaultBranch tells whether the run is about the repository's default branch and no pull request.
func (c Context) OnDefaultBranch() bool {
	switch c.Event.Name {
	case "schedule":
		return true
	case "push", "workflow_dispatch", "repository_dispatch":
		return c.Event.DefaultBranch != "" && c.Ref == "refs/heads/"+c.Event.DefaultBranch
	}
	return false
}

// isName accepts what GitHub allows in the name of an owner or a repository, so that it may stand in a URL.
func isName(s string) bool {
	if s == "" || s == "." || s == ".." {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// commit returns s when it is a commit's full hexadecimal name (SHA-1 or SHA-256), else "".
func commit(s string) string {
	if (len(s) != 40 && len(s) != 64) || strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}
