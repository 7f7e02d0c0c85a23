package github

import (
	"encoding/json"
	"fmt"
)

// Event is what a payload says about where the run belongs. Everything in it but the numbers and commits can have been
// chosen by whoever opened the pull request.
type Event struct {
	Name    string
	PR      int    // the pull request's number; 0: none, or not in the payload
	HeadSHA string // its head, or the commit that a merge group, push or workflow run is about
	BaseSHA string
	// BaseRepo and HeadRepo are full names. A fork deleted since has the empty HeadRepo.
	BaseRepo, HeadRepo string
	Author             string // login of the pull request's author
	// HeadOwner and HeadBranch find the pull request of a workflow_run, whose payload names none for forks.
	HeadOwner, HeadBranch string
	DefaultBranch         string
}

// Privileged tells whether the event runs with the rights of the repository's own branch although the checkout may be
// that of a stranger's pull request.
func (e Event) Privileged() bool {
	switch e.Name {
	case "pull_request_target", "workflow_run", "issue_comment":
		return true
	}
	return false
}

// Fork tells whether the pull request comes from another repository, whose runs get a token that cannot write.
func (e Event) Fork() bool { return e.BaseRepo != "" && e.HeadRepo != e.BaseRepo }

type payloadRepo struct {
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
	Owner         struct {
		Login string `json:"login"`
	} `json:"owner"`
}

type payloadUser struct {
	Login string `json:"login"`
}

// payload is the part of all events' payloads that is of use. Missing members stay zero.
type payload struct {
	Number      int         `json:"number"`
	After       string      `json:"after"`
	Repository  payloadRepo `json:"repository"`
	PullRequest *struct {
		Number int         `json:"number"`
		User   payloadUser `json:"user"`
		Head   struct {
			SHA  string       `json:"sha"`
			Repo *payloadRepo `json:"repo"`
		} `json:"head"`
		Base struct {
			SHA  string      `json:"sha"`
			Repo payloadRepo `json:"repo"`
		} `json:"base"`
	} `json:"pull_request"`
	Issue *struct {
		Number      int              `json:"number"`
		User        payloadUser      `json:"user"`
		PullRequest *json.RawMessage `json:"pull_request"`
	} `json:"issue"`
	MergeGroup *struct {
		HeadSHA string `json:"head_sha"`
	} `json:"merge_group"`
	WorkflowRun *struct {
		HeadSHA        string       `json:"head_sha"`
		HeadBranch     string       `json:"head_branch"`
		HeadRepository *payloadRepo `json:"head_repository"`
	} `json:"workflow_run"`
}

// ParseEvent reads a payload. An error leaves all but the name empty.
func ParseEvent(name string, data []byte) (Event, error) {
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return Event{Name: name}, fmt.Errorf("%s: %w", name, err)
	}
	e := Event{Name: name, DefaultBranch: p.Repository.DefaultBranch, BaseRepo: p.Repository.FullName, HeadRepo: p.Repository.FullName}
	switch {
	case p.PullRequest != nil:
		pr := p.PullRequest
		e.PR, e.Author = positive(pr.Number), pr.User.Login
		e.HeadSHA, e.BaseSHA = commit(pr.Head.SHA), commit(pr.Base.SHA)
		e.BaseRepo, e.HeadRepo = pr.Base.Repo.FullName, ""
		if pr.Head.Repo != nil {
			e.HeadRepo = pr.Head.Repo.FullName
		}
	case p.Issue != nil:
		if p.Issue.PullRequest != nil {
			e.PR, e.Author = positive(p.Issue.Number), p.Issue.User.Login
		}
	case p.WorkflowRun != nil:
		run := p.WorkflowRun
		e.HeadSHA, e.HeadBranch = commit(run.HeadSHA), run.HeadBranch
		if run.HeadRepository != nil {
			e.HeadOwner, e.HeadRepo = run.HeadRepository.Owner.Login, run.HeadRepository.FullName
		}
	case p.MergeGroup != nil:
		e.HeadSHA = commit(p.MergeGroup.HeadSHA)
	default:
		e.HeadSHA = commit(p.After)
	}
	return e, nil
}

func positive(n int) int { return max(n, 0) }
