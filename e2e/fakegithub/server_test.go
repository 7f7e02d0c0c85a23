package fakegithub

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-github/v62/github"
)

const owner, repo = "octo-org", "octo-repo"

var sha = strings.Repeat("c", 40)

func newServer(t *testing.T) (*Server, *github.Client) {
	t.Helper()
	s := New(t, owner+"/"+repo)
	c := github.NewClient(nil).WithAuthToken(s.Token)
	u, err := url.Parse(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	c.BaseURL = u
	s.AddPull(Pull{Number: 7, HeadSHA: sha, BaseSHA: strings.Repeat("b", 40)})
	s.AddCommit(Commit{SHA: sha, Parents: []string{strings.Repeat("b", 40)}, Files: map[string]string{
		"contractpin.lock": "{}\n", "dir/big.json": strings.Repeat("x", 1<<20+1),
	}}, "main")
	return s, c
}

func TestComments_liveThroughTheClient(t *testing.T) {
	s, c := newServer(t)
	for range 101 {
		s.AddComment(7, "someone", "hi")
	}
	made, _, err := c.Issues.CreateComment(t.Context(), owner, repo, 7, &github.IssueComment{Body: github.String("one")})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Issues.EditComment(t.Context(), owner, repo, made.GetID(), &github.IssueComment{Body: github.String("two")}); err != nil {
		t.Fatal(err)
	}
	o := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100, Page: 2}}
	list, resp, err := c.Issues.ListComments(t.Context(), owner, repo, 7, o)
	if err != nil || len(list) != 2 || list[1].GetBody() != "two" || resp.NextPage != 0 || resp.FirstPage != 1 {
		t.Errorf("second page: %v, %v", list, err)
	}
	if list[1].GetUser().GetLogin() != "github-actions[bot]" {
		t.Errorf("author %s", list[1].GetUser().GetLogin())
	}
	_, resp, _ = c.Issues.CreateComment(t.Context(), owner, repo, 7, &github.IssueComment{Body: github.String(strings.Repeat("x", 65537))})
	if resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a body too long: %s", resp.Status)
	}
	if n := Writes(s.Requests()); n != 3 {
		t.Errorf("%d writes", n)
	}
}

func TestContents_bigFilesComeAsBlobs(t *testing.T) {
	_, c := newServer(t)
	file, _, _, err := c.Repositories.GetContents(t.Context(), owner, repo, "contractpin.lock", &github.RepositoryContentGetOptions{Ref: sha})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := file.GetContent(); text != "{}\n" || err != nil {
		t.Errorf("content %q, %v", text, err)
	}
	big, _, _, err := c.Repositories.GetContents(t.Context(), owner, repo, "dir/big.json", nil)
	if err != nil || big.GetEncoding() != "none" {
		t.Fatalf("big file: %v, %v", big, err)
	}
	raw, _, err := c.Git.GetBlobRaw(t.Context(), owner, repo, big.GetSHA())
	if err != nil || len(raw) != 1<<20+1 {
		t.Errorf("blob of %d bytes, %v", len(raw), err)
	}
	if _, list, _, err := c.Repositories.GetContents(t.Context(), owner, repo, "dir", nil); err != nil || len(list) != 1 {
		t.Errorf("folder: %v, %v", list, err)
	}
}

func TestPullsCommitsIssues_answerAsDescribed(t *testing.T) {
	s, c := newServer(t)
	if list, _, err := c.PullRequests.List(t.Context(), owner, repo, &github.PullRequestListOptions{Head: owner + ":topic"}); err != nil || len(list) != 1 {
		t.Errorf("pulls: %v, %v", list, err)
	}
	if p, _, err := c.PullRequests.Get(t.Context(), owner, repo, 7); err != nil || p.GetHead().GetSHA() != sha {
		t.Errorf("pull: %v, %v", p, err)
	}
	if k, _, err := c.Repositories.GetCommit(t.Context(), owner, repo, sha, nil); err != nil || len(k.Parents) != 1 {
		t.Errorf("commit: %v, %v", k, err)
	}
	if k, _, err := c.Git.GetCommit(t.Context(), owner, repo, sha); err != nil || k.GetSHA() != sha {
		t.Errorf("git commit: %v, %v", k, err)
	}
	i, _, err := c.Issues.Create(t.Context(), owner, repo, &github.IssueRequest{Title: github.String("t"), Body: github.String("b"), Labels: &[]string{"contractpin"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Issues.Edit(t.Context(), owner, repo, i.GetNumber(), &github.IssueRequest{State: github.String("closed")}); err != nil {
		t.Error(err)
	}
	if got := s.Issues(); len(got) != 1 || got[0].State != "closed" {
		t.Errorf("issues %+v", got)
	}
	if list, _, err := c.Issues.ListByRepo(t.Context(), owner, repo, &github.IssueListByRepoOptions{State: "all", Labels: []string{"contractpin"}}); err != nil || len(list) != 1 {
		t.Errorf("list: %v, %v", list, err)
	}
}

func TestFaultsAndRights_refuse(t *testing.T) {
	s, c := newServer(t)
	s.Fail(Fault{Path: regexp.MustCompile("/comments$"), Times: 1, Status: 503, Header: map[string]string{"Retry-After": "1"}})
	_, resp, _ := c.Issues.ListComments(t.Context(), owner, repo, 7, nil)
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("fault: %s", resp.Status)
	}
	if _, resp, _ := c.Users.Get(t.Context(), ""); resp.StatusCode != 403 {
		t.Errorf("user: %s", resp.Status)
	}
	s.ReadOnly = true
	if _, resp, _ := c.Issues.CreateComment(t.Context(), owner, repo, 7, &github.IssueComment{Body: github.String("x")}); resp.StatusCode != 403 {
		t.Errorf("read-only token: %s", resp.Status)
	}
	s.Token = "another"
	if _, resp, _ := c.Issues.ListComments(t.Context(), owner, repo, 7, nil); resp.StatusCode != 401 {
		t.Errorf("other token: %s", resp.Status)
	}
}

func TestCheck_findsARequestThatGitHubDoesNotKnow(t *testing.T) {
	s, _ := newServer(t)
	for _, r := range []struct{ method, path, body string }{
		{"POST", "/repos/octo-org/octo-repo/issues/7/comments", `{"text":"no body"}`},
		{"GET", "/repos/octo-org/octo-repo/issues?state=odd", ""},
		{"GET", "/repos/octo-org/octo-repo/branches", ""},
	} {
		req, err := http.NewRequest(r.method, s.URL+r.path, strings.NewReader(r.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.Token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if n := len(s.Problems()); n != 1 {
			t.Errorf("%s %s: %d problems", r.method, r.path, n)
		}
		s.problems = nil
	}
}

func TestEvents_nameThePullRequestInPlace(t *testing.T) {
	s, _ := newServer(t)
	s.AddPull(Pull{Number: 8, HeadSHA: sha, HeadRepository: Fork, Author: "stranger"})
	for name, payload := range map[string][]byte{
		"pull_request": s.PullRequestEvent(t, 8), "workflow_run": s.WorkflowRunEvent(t, 8), "issue_comment": s.IssueCommentEvent(t, 8),
	} {
		var event struct {
			Repository  github.Repository
			PullRequest github.PullRequest `json:"pull_request"`
			WorkflowRun github.WorkflowRun `json:"workflow_run"`
			Issue       github.Issue
		}
		if err := json.Unmarshal(payload, &event); err != nil {
			t.Fatal(err)
		}
		head := event.PullRequest.GetHead().GetSHA() + event.WorkflowRun.GetHeadSHA()
		if event.Repository.GetFullName() != owner+"/"+repo || name != "issue_comment" && head != sha {
			t.Errorf("%s: %s at %s", name, event.Repository.GetFullName(), head)
		}
		if name == "issue_comment" && !event.Issue.IsPullRequest() {
			t.Error("issue_comment: not on a pull request")
		}
	}
}
