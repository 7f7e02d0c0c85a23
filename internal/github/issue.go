package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/go-github/v62/github"
)

// Issue brings the repository's one open issue about drift up to date: opens it, edits it, or with clear closes it. It
// is ours by the same signs as a comment. A closed one is never opened again: new drift gets a new issue.
func (c *Client) Issue(ctx context.Context, title string, clear bool, s Sticky) (Posted, error) {
	ctx, cancel := context.WithTimeout(ctx, phase)
	defer cancel()
	old, err := c.ownIssue(ctx, s.Marker)
	switch {
	case err != nil:
		return Posted{}, err
	case old == nil && clear:
		return Posted{Outcome: Nothing}, nil
	case old == nil:
		return c.openIssue(ctx, title, s)
	}
	posted := Posted{ID: int64(old.GetNumber()), URL: old.GetHTMLURL()}
	posted.Outcome = s.against(old.GetBody())
	if posted.Outcome == Superseded || posted.Outcome == Unchanged && !clear {
		return posted, nil
	}
	body := s.Body(true)
	edit := &github.IssueRequest{Body: &body}
	posted.Outcome = Updated
	if clear {
		edit.State, edit.StateReason = github.String("closed"), github.String("completed")
		posted.Outcome = Closed
	}
	if _, _, err := c.gh.Issues.Edit(ctx, c.at.Owner, c.at.Repo, old.GetNumber(), edit); err != nil {
		return Posted{}, fmt.Errorf("editing issue %d: %w", old.GetNumber(), err)
	}
	return posted, nil
}

// ownIssue reads all open issues: pages of this list are found by a cursor, which go-github's method does not know.
func (c *Client) ownIssue(ctx context.Context, marker string) (*github.Issue, error) {
	var found *github.Issue
	query := url.Values{"state": {"open"}, "per_page": {"100"}}
	for {
		req, err := c.gh.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/issues?%s", c.at.Owner, c.at.Repo, query.Encode()), nil)
		if err != nil {
			return nil, err
		}
		var issues []*github.Issue
		resp, err := c.gh.Do(ctx, req, &issues)
		if err != nil {
			return nil, fmt.Errorf("listing issues: %w", err)
		}
		for _, issue := range issues {
			if !issue.IsPullRequest() && c.isOwn(ctx, issue.GetBody(), issue.GetUser(), marker) &&
				(found == nil || issue.GetNumber() > found.GetNumber()) {
				found = issue
			}
		}
		if resp.NextPage == 0 && resp.After == "" {
			return found, nil
		}
		query.Del("page")
		query.Del("after")
		if resp.NextPage != 0 {
			query.Set("page", strconv.Itoa(resp.NextPage))
		}
		if resp.After != "" {
			query.Set("after", resp.After)
		}
	}
}

func (c *Client) openIssue(ctx context.Context, title string, s Sticky) (Posted, error) {
	body := s.Body(false)
	for try := 1; ; try++ {
		made, _, err := c.gh.Issues.Create(ctx, c.at.Owner, c.at.Repo, &github.IssueRequest{Title: &title, Body: &body})
		if err == nil {
			return Posted{Outcome: Created, ID: int64(made.GetNumber()), URL: made.GetHTMLURL()}, nil
		}
		err = fmt.Errorf("opening an issue: %w", err)
		if !passing(err) || try >= tries || c.pause(ctx, firstPause<<(try-1)) != nil {
			return Posted{}, err
		}
		found, listErr := c.ownIssue(ctx, s.Marker)
		if listErr != nil {
			return Posted{}, err
		}
		if found != nil && same(found.GetBody(), body) {
			return Posted{Outcome: Created, ID: int64(found.GetNumber()), URL: found.GetHTMLURL()}, nil
		}
	}
}
