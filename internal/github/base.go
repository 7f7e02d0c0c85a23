package github

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"
)

// Find completes what the payload says about the pull request: its number for a workflow_run, its head and base where
// only the number is known. number, when not 0, is the one to use whatever the payload says.
func (c *Client) Find(ctx context.Context, number int) error {
	ctx, cancel := context.WithTimeout(ctx, phase)
	defer cancel()
	e := &c.at.Event
	if number != 0 && number != e.PR {
		*e = Event{Name: e.Name, DefaultBranch: e.DefaultBranch, BaseRepo: c.at.Owner + "/" + c.at.Repo, PR: number}
	}
	switch {
	case e.PR != 0 && (e.HeadSHA == "" || e.BaseSHA == ""):
		pr, _, err := c.gh.PullRequests.Get(ctx, c.at.Owner, c.at.Repo, e.PR)
		if err != nil {
			return fmt.Errorf("pull request %d: %w", e.PR, err)
		}
		e.take(pr)
	case e.PR == 0 && e.Name == "workflow_run":
		return c.findByHead(ctx)
	}
	return nil
}

// Context is the run's, with what Find has found.
func (c *Client) Context() Context { return c.at }

// findByHead looks for the open pull request whose head is the commit that the earlier workflow ran on.
func (c *Client) findByHead(ctx context.Context) error {
	e := &c.at.Event
	if e.HeadOwner == "" || e.HeadBranch == "" || e.HeadSHA == "" {
		return nil
	}
	o := &github.PullRequestListOptions{
		State: "open", Head: e.HeadOwner + ":" + e.HeadBranch, ListOptions: github.ListOptions{PerPage: 100},
	}
	for {
		prs, resp, err := c.gh.PullRequests.List(ctx, c.at.Owner, c.at.Repo, o)
		if err != nil {
			return fmt.Errorf("pull request of %s: %w", e.HeadSHA, err)
		}
		for _, pr := range prs {
			if pr.GetHead().GetSHA() == e.HeadSHA {
				e.take(pr)
				return nil
			}
		}
		if resp.NextPage == 0 {
			return nil
		}
		o.Page = resp.NextPage
	}
}

func (e *Event) take(pr *github.PullRequest) {
	e.PR = positive(pr.GetNumber())
	e.HeadSHA, e.BaseSHA = commit(pr.GetHead().GetSHA()), commit(pr.GetBase().GetSHA())
	e.BaseRepo, e.HeadRepo = pr.GetBase().GetRepo().GetFullName(), pr.GetHead().GetRepo().GetFullName()
	e.Author = pr.GetUser().GetLogin()
}

// Base is the commit against which the pull request's edit of the lock is reviewed, so that nobody else's re-pins are
// blamed on it: the first parent of the merge commit that the run checks out, or where the head alone can be checked
// out the commit at which its branch began. Failing those it is the base branch as the payload has it.
func (c *Client) Base(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, phase)
	defer cancel()
	e := c.at.Event
	if e.PR == 0 {
		return ""
	}
	if e.Privileged() {
		if e.BaseSHA == "" || e.HeadSHA == "" {
			return e.BaseSHA
		}
		cmp, _, err := c.gh.Repositories.CompareCommits(ctx, c.at.Owner, c.at.Repo, e.BaseSHA, e.HeadSHA, &github.ListOptions{PerPage: 1})
		if sha := commit(cmp.GetMergeBaseCommit().GetSHA()); err == nil && sha != "" {
			return sha
		}
		return e.BaseSHA
	}
	if c.at.SHA != "" {
		if parents, err := c.parents(ctx, c.at.SHA); err == nil && len(parents) > 1 && parents[0] != "" {
			return parents[0]
		}
	}
	return e.BaseSHA
}

// File reads a file of the repository at a commit, by the API. Its name is relative to the repository's root, with slashes.
// The error satisfies errors.Is(err, fs.ErrNotExist) only when the commit can be read and holds no such file.
func (c *Client) File(ctx context.Context, file, sha string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, phase)
	defer cancel()
	at := fmt.Sprintf("%s at %.12s", file, sha)
	found, _, _, err := c.gh.Repositories.GetContents(ctx, c.at.Owner, c.at.Repo, file, &github.RepositoryContentGetOptions{Ref: sha})
	switch {
	case status(err) == http.StatusNotFound:
		// A token without the right to read gets the same answer.
		if _, commitErr := c.parents(ctx, sha); commitErr == nil {
			return nil, fmt.Errorf("%s: %w", at, fs.ErrNotExist)
		}
		return nil, fmt.Errorf("%s: %w", at, err)
	case tooLarge(err):
		return c.listedBlob(ctx, file, sha)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", at, err)
	case found == nil || found.GetType() != "file":
		return nil, fmt.Errorf("%s: no file", at)
	}
	// Above 1 MB the content is left out, and the blob has to be asked for.
	if found.GetEncoding() == "none" || (found.GetSize() > 0 && found.Content == nil) {
		return c.blob(ctx, found.GetSHA(), at)
	}
	text, err := found.GetContent()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return []byte(text), nil
}

func (c *Client) blob(ctx context.Context, name, at string) ([]byte, error) {
	data, _, err := c.gh.Git.GetBlobRaw(ctx, c.at.Owner, c.at.Repo, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return data, nil
}

// tooLarge is how older servers refuse a file above 1 MB.
func tooLarge(err error) bool {
	var refused *github.ErrorResponse
	return errors.As(err, &refused) && slices.ContainsFunc(refused.Errors, func(e github.Error) bool { return e.Code == "too_large" })
}

// listedBlob reads a file whose blob's name only the listing of its folder tells.
func (c *Client) listedBlob(ctx context.Context, file, sha string) ([]byte, error) {
	at := fmt.Sprintf("%s at %.12s", file, sha)
	folder := strings.TrimPrefix(path.Dir(file), ".")
	_, entries, _, err := c.gh.Repositories.GetContents(ctx, c.at.Owner, c.at.Repo, folder, &github.RepositoryContentGetOptions{Ref: sha})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	for _, e := range entries {
		if e.GetName() == path.Base(file) && e.GetType() == "file" {
			return c.blob(ctx, e.GetSHA(), at)
		}
	}
	return nil, fmt.Errorf("%s: no file", at)
}

// parents names the parents of a commit. The git database answers without the commit's changes; where it does not answer,
// the repository's own list of commits may.
func (c *Client) parents(ctx context.Context, sha string) ([]string, error) {
	var parents []*github.Commit
	found, _, err := c.gh.Git.GetCommit(ctx, c.at.Owner, c.at.Repo, sha)
	if err == nil {
		parents = found.Parents
	} else {
		listed, _, listErr := c.gh.Repositories.GetCommit(ctx, c.at.Owner, c.at.Repo, sha, &github.ListOptions{PerPage: 1})
		if listErr != nil {
			return nil, fmt.Errorf("commit %.12s: %w", sha, err)
		}
		parents = listed.Parents
	}
	var names []string
	for _, p := range parents {
		names = append(names, commit(p.GetSHA()))
	}
	return names, nil
}

// RepoPath is where a file of the checkout stands in its repository: relative to the nearest folder with a .git, else to
// the workspace. It is "" for a file outside the workspace.
func RepoPath(workspace, file string) string {
	root := workspace
	for dir := filepath.Dir(file); RelativeTo(workspace, dir) != ""; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); !errors.Is(err, fs.ErrNotExist) {
			root = dir
			break
		}
	}
	return RelativeTo(root, file)
}
