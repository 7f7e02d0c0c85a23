package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
)

// RunRef orders runs by age: a later run has the greater number, a later try of one run the greater attempt.
type RunRef struct {
	ID      int64
	Attempt int
}

// After tells whether r began after o.
func (r RunRef) After(o RunRef) bool {
	return r.ID > o.ID || r.ID == o.ID && r.Attempt > o.Attempt
}

// Sticky is the one text that a run keeps on a pull request (or in an issue).
type Sticky struct {
	Marker string                           // how the body begins
	Body   func(updated bool) string        // updated: it takes the place of an earlier text
	Run    RunRef                           // that wrote it
	State  func(body string) (RunRef, bool) // the run that wrote an earlier body
	Create bool                             // also where there is none yet; false: only bring an earlier one up to date
	New    bool                             // never edit an earlier one that still tells of trouble: write another
}

// Outcome is what became of a Sticky.
type Outcome string

// The outcomes. All but Nothing name the comment or issue.
const (
	Nothing    Outcome = "nothing to write"
	Created    Outcome = "created"
	Updated    Outcome = "updated"
	Unchanged  Outcome = "left as it is: it says the same"
	Superseded Outcome = "left as it is: a newer run wrote it"
	Closed     Outcome = "closed"
)

// Posted names what was written or found.
type Posted struct {
	Outcome Outcome
	ID      int64 // of a comment; an issue's number
	URL     string
}

// Comment brings a pull request's comment up to date. It is ours only when its body begins with the marker and its
// author is the token's own login. All of the pull request's comments are read.
func (c *Client) Comment(ctx context.Context, pr int, s Sticky) (Posted, error) {
	ctx, cancel := context.WithTimeout(ctx, phase)
	defer cancel()
	old, err := c.ownComment(ctx, pr, s.Marker)
	if err != nil {
		return Posted{}, err
	}
	if old == nil {
		if !s.Create {
			return Posted{Outcome: Nothing}, nil
		}
		return c.createComment(ctx, pr, s)
	}
	posted := Posted{ID: old.GetID(), URL: old.GetHTMLURL()}
	switch outcome := s.against(old.GetBody()); {
	case outcome != Updated:
		posted.Outcome = outcome
		return posted, nil
	case s.New && s.Create:
		return c.createComment(ctx, pr, s)
	}
	body := s.Body(true)
	edited, _, err := c.gh.Issues.EditComment(ctx, c.at.Owner, c.at.Repo, old.GetID(), &github.IssueComment{Body: &body})
	if status(err) == http.StatusNotFound && s.Create { // somebody has deleted it since
		return c.createComment(ctx, pr, s)
	}
	if err != nil {
		return Posted{}, fmt.Errorf("editing comment %d: %w", old.GetID(), err)
	}
	if edited.GetHTMLURL() != "" {
		posted.URL = edited.GetHTMLURL()
	}
	posted.Outcome = Updated
	return posted, nil
}

// against compares with the body that stands there now. Updated means that it is to be replaced.
func (s Sticky) against(body string) Outcome {
	if run, ok := s.State(body); ok && run.After(s.Run) {
		return Superseded
	}
	if same(body, s.Body(true)) || same(body, s.Body(false)) {
		return Unchanged
	}
	return Updated
}

// same compares bodies as GitHub keeps them.
func same(a, b string) bool {
	tidy := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return tidy(a) == tidy(b)
}

// ownComment finds our comment, the newest where there are several.
func (c *Client) ownComment(ctx context.Context, pr int, marker string) (*github.IssueComment, error) {
	var found *github.IssueComment
	o := &github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	for {
		comments, resp, err := c.gh.Issues.ListComments(ctx, c.at.Owner, c.at.Repo, pr, o)
		if err != nil {
			return nil, fmt.Errorf("listing comments of pull request %d: %w", pr, err)
		}
		for _, comment := range comments {
			if c.isOwn(ctx, comment.GetBody(), comment.GetUser(), marker) && (found == nil || comment.GetID() > found.GetID()) {
				found = comment
			}
		}
		if resp.NextPage == 0 {
			return found, nil
		}
		o.Page = resp.NextPage
	}
}

func (c *Client) isOwn(ctx context.Context, body string, author *github.User, marker string) bool {
	return strings.HasPrefix(body, marker) && strings.EqualFold(author.GetLogin(), c.Login(ctx))
}

// createComment posts. A failed POST may have been carried out all the same, so each further try begins with a look.
func (c *Client) createComment(ctx context.Context, pr int, s Sticky) (Posted, error) {
	body := s.Body(false)
	for try := 1; ; try++ {
		made, _, err := c.gh.Issues.CreateComment(ctx, c.at.Owner, c.at.Repo, pr, &github.IssueComment{Body: &body})
		if err == nil {
			return Posted{Outcome: Created, ID: made.GetID(), URL: made.GetHTMLURL()}, nil
		}
		err = fmt.Errorf("commenting on pull request %d: %w", pr, err)
		if !passing(err) || try >= tries || c.pause(ctx, firstPause<<(try-1)) != nil {
			return Posted{}, err
		}
		found, listErr := c.ownComment(ctx, pr, s.Marker)
		if listErr != nil {
			return Posted{}, err
		}
		if found != nil && same(found.GetBody(), body) {
			return Posted{Outcome: Created, ID: found.GetID(), URL: found.GetHTMLURL()}, nil
		}
	}
}

// passing tells whether a failed call may go through when it is made again: the network failed, or the server did.
func passing(err error) bool {
	code := status(err)
	return code >= 500 || code == 0 && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
}

// pause waits, unless that is beyond the context's deadline.
func (c *Client) pause(ctx context.Context, d time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && time.Now().Add(d).After(deadline) {
		return context.DeadlineExceeded
	}
	return c.transport.pause(ctx, d)
}
