package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"
)

// Client calls the API of one repository.
type Client struct {
	gh        *github.Client
	at        Context
	graphQL   string
	transport *transport
	login     string // of the token, once it has been asked for
}

// phase bounds everything that is asked of the API for one purpose, waits included.
const phase = time.Minute

// NewClient makes a client for the repository of a run. It sends nothing yet.
func NewClient(at Context, token, version string) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(at.APIURL, "/") + "/")
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
		return nil, fmt.Errorf("GITHUB_API_URL: no URL: %q", at.APIURL)
	}
	if at.Repo == "" {
		return nil, errors.New("GITHUB_REPOSITORY: no owner/name")
	}
	t := newTransport(token, base)
	if u, err := url.Parse(at.GraphQLURL); err == nil && at.GraphQLURL != "" {
		t.trust(u)
	}
	gh := github.NewClient(&http.Client{Transport: t})
	// WithEnterpriseURLs would append /api/v3 to what GITHUB_API_URL already holds.
	gh.BaseURL = base
	gh.UserAgent = "contractpin/" + version
	return &Client{gh: gh, at: at, graphQL: at.GraphQLURL, transport: t}, nil
}

// Login is the token's own login, with which the API signs what it writes.
func (c *Client) Login(ctx context.Context) string {
	if c.login != "" {
		return c.login
	}
	if user, _, err := c.gh.Users.Get(ctx, ""); err == nil && user.GetLogin() != "" {
		c.login = user.GetLogin()
		return c.login
	}
	// An installation's token, such as the job's own, is no user; GraphQL tells its name all the same.
	if c.graphQL != "" {
		if c.login = c.viewer(ctx); c.login != "" {
			return c.login
		}
	}
	c.login = "github-actions[bot]"
	return c.login
}

func (c *Client) viewer(ctx context.Context) string {
	req, err := c.gh.NewRequest(http.MethodPost, c.graphQL, map[string]string{"query": "query{viewer{login}}"})
	if err != nil {
		return ""
	}
	var answer struct {
		Data struct {
			Viewer struct {
				Login string `json:"login"`
			} `json:"viewer"`
		} `json:"data"`
	}
	if _, err := c.gh.Do(repeatable(ctx), req, &answer); err != nil {
		return ""
	}
	return answer.Data.Viewer.Login
}

// status is the HTTP status of a failed call, 0 when there was no answer.
func status(err error) int {
	var response *github.ErrorResponse
	var rate *github.RateLimitError
	var abuse *github.AbuseRateLimitError
	switch {
	case errors.As(err, &response) && response.Response != nil:
		return response.Response.StatusCode
	case errors.As(err, &rate) && rate.Response != nil:
		return rate.Response.StatusCode
	case errors.As(err, &abuse) && abuse.Response != nil:
		return abuse.Response.StatusCode
	}
	return 0
}

// message is the API's own word on a failed call, or "".
func message(err error) string {
	var response *github.ErrorResponse
	if errors.As(err, &response) {
		text := response.Message
		for _, e := range response.Errors {
			if e.Message != "" {
				text += ": " + e.Message
			}
		}
		return text
	}
	return ""
}

// Cause puts a failed call in words for a warning: what happened and what to do. need is the permission that the call
// takes, such as "pull-requests: write".
func (c *Client) Cause(err error, need string) string {
	var rate *github.RateLimitError
	var abuse *github.AbuseRateLimitError
	switch code := status(err); {
	case errors.As(err, &rate), errors.As(err, &abuse), code == http.StatusTooManyRequests:
		return "the API's rate limit is used up"
	case code == http.StatusForbidden && strings.Contains(message(err), "locked"):
		return "the conversation is locked"
	case code == http.StatusForbidden && (c.at.Actor == dependabot || c.at.Event.Author == dependabot):
		return "403: runs that Dependabot starts get a token that can only read, unless the workflow grants `permissions: " + need + "`"
	case code == http.StatusForbidden && c.at.Event.Fork():
		return "403: the pull request comes from a fork, so its token can only read; the job summary holds the same report"
	case code == http.StatusForbidden || code == http.StatusNotFound:
		return fmt.Sprintf("%d: the token lacks a right; give the job `permissions: %s`", code, need)
	case code == http.StatusUnauthorized:
		return "401: the token is not valid"
	case code == http.StatusGone:
		return "410: the repository has issues turned off"
	case code != 0:
		return strings.TrimSuffix(fmt.Sprintf("%d: %s", code, message(err)), ": ")
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer from the API within a minute"
	default:
		return err.Error()
	}
}

const dependabot = "dependabot[bot]"
