package fakegithub

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
)

// Fork is the repository that pull requests from elsewhere come from.
const Fork = "stranger/octo-repo"

// payloads are GitHub's own example payloads by event name.
var payloads = sync.OnceValues(func() (map[string][]json.RawMessage, error) {
	path, err := describedBy()
	if err != nil {
		return nil, err
	}
	path = strings.Replace(path, "openapi/generated/api.github.com.json", "webhooks-examples/api.github.com/index.json", 1)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: run `make e2e-tools` first", err)
	}
	var list []struct {
		Name     string
		Examples []json.RawMessage
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	out := map[string][]json.RawMessage{}
	for _, e := range list {
		out[e.Name] = e.Examples
	}
	return out, nil
})

// Payload is GitHub's first example of an event with that action ("" is any), in this repository.
func (s *Server) Payload(t *testing.T, name, action string) map[string]any {
	t.Helper()
	all, err := payloads()
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range all[name] {
		var p map[string]any
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		if action != "" && p["action"] != action {
			continue
		}
		if r, ok := p["repository"].(map[string]any); ok {
			maps.Copy(r, s.repository(s.state.repository))
		}
		return p
	}
	t.Fatalf("@octokit/webhooks-examples has no %s %s event", name, action)
	return nil
}

func (s *Server) repository(name string) map[string]any {
	owner, short, _ := strings.Cut(name, "/")
	return map[string]any{"full_name": name, "name": short, "fork": name == Fork, "owner": s.user(owner)}
}

// PullRequestEvent is the payload of a pull_request or pull_request_target event of a pull request in place.
func (s *Server) PullRequestEvent(t *testing.T, number int) []byte {
	t.Helper()
	p := s.Payload(t, "pull_request", "synchronize")
	p["number"] = number
	pr := p["pull_request"].(map[string]any)
	s.describe(t, pr, number)
	return encode(t, p)
}

// describe puts a pull request in place of the example's.
func (s *Server) describe(t *testing.T, pr map[string]any, number int) {
	t.Helper()
	pull, ok := s.state.pulls[number]
	if !ok {
		t.Fatalf("no pull request %d in place", number)
	}
	owner, _, _ := strings.Cut(pull.HeadRepository, "/")
	pr["number"], pr["state"], pr["user"] = number, pull.State, s.user(pull.Author)
	head, base := pr["head"].(map[string]any), pr["base"].(map[string]any)
	head["sha"], head["ref"], head["label"] = pull.HeadSHA, pull.HeadRef, owner+":"+pull.HeadRef
	maps.Copy(head["repo"].(map[string]any), s.repository(pull.HeadRepository))
	base["sha"], base["ref"] = pull.BaseSHA, pull.BaseRef
	maps.Copy(base["repo"].(map[string]any), s.repository(s.state.repository))
}

// WorkflowRunEvent is the payload of a workflow_run event after a run for the pull request in place. As for a fork's
// pull request, the payload itself names none.
func (s *Server) WorkflowRunEvent(t *testing.T, number int) []byte {
	t.Helper()
	p := s.Payload(t, "workflow_run", "completed")
	pull := s.state.pulls[number]
	run := p["workflow_run"].(map[string]any)
	run["event"], run["head_branch"], run["head_sha"], run["pull_requests"] = "pull_request", pull.HeadRef, pull.HeadSHA, []any{}
	maps.Copy(run["head_repository"].(map[string]any), s.repository(pull.HeadRepository))
	maps.Copy(run["repository"].(map[string]any), s.repository(s.state.repository))
	return encode(t, p)
}

// IssueCommentEvent is the payload of a comment on a pull request in place.
func (s *Server) IssueCommentEvent(t *testing.T, number int) []byte {
	t.Helper()
	p := s.Payload(t, "issue_comment", "created")
	issue := p["issue"].(map[string]any)
	issue["number"] = number
	issue["pull_request"] = map[string]any{"url": fmt.Sprintf("%s/repos/%s/pulls/%d", s.URL, s.state.repository, number)}
	return encode(t, p)
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
