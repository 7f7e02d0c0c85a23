package github

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	tries        = 5 // of one call
	firstPause   = time.Second
	answerWithin = 20 * time.Second // from the request's end to the answer's header
	maxAnswer    = 128 << 20        // bytes; the API serves no file above 100 MB
)

// transport signs calls, and repeats those that failed in passing: any call that a rate limit refused, and one that may
// be made twice (everything but POST) when the network or the server failed. It waits as long as the answer asks, and
// gives up at once when that is beyond the context's deadline.
type transport struct {
	next  http.RoundTripper
	token string
	own   map[string]bool // origins that get the token
	pause func(ctx context.Context, d time.Duration) error
}

func newTransport(token string, base *url.URL) *transport {
	next := http.DefaultTransport.(*http.Transport).Clone()
	next.ResponseHeaderTimeout = answerWithin
	t := &transport{next: next, token: token, own: map[string]bool{}, pause: sleep}
	t.trust(base)
	return t
}

// trust lets the token go to an origin. A redirect to another one goes without it.
func (t *transport) trust(u *url.URL) { t.own[u.Scheme+"://"+u.Host] = true }

type repeatableKey struct{}

// repeatable marks a POST that changes nothing, such as a GraphQL query.
func repeatable(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatableKey{}, true)
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	for try := 1; ; try++ {
		once := req.Clone(ctx)
		if req.GetBody != nil {
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			once.Body = body
		}
		if t.token != "" && t.own[req.URL.Scheme+"://"+req.URL.Host] {
			once.Header.Set("Authorization", "Bearer "+t.token)
		}
		resp, err := t.next.RoundTrip(once)
		wait, again := t.again(req, resp, err, try)
		if !again {
			return bounded(resp), err
		}
		if deadline, ok := ctx.Deadline(); ok && time.Now().Add(wait).After(deadline) {
			return bounded(resp), err
		}
		if resp != nil {
			io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
			resp.Body.Close()
		}
		if err := t.pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// again tells whether a call is worth another try, and how long to wait before it.
func (t *transport) again(req *http.Request, resp *http.Response, err error, try int) (time.Duration, bool) {
	if try >= tries || req.Context().Err() != nil || (req.Body != nil && req.GetBody == nil) {
		return 0, false
	}
	mayRepeat := req.Method != http.MethodPost || req.Context().Value(repeatableKey{}) != nil
	backoff := firstPause<<(try-1) + rand.N(firstPause/4)
	switch {
	case err != nil:
		return backoff, mayRepeat
	case resp.StatusCode == http.StatusTooManyRequests:
		return asked(resp, backoff), true
	case resp.StatusCode == http.StatusForbidden && resp.Header.Get("Retry-After") != "",
		resp.StatusCode == http.StatusForbidden && resp.Header.Get("X-RateLimit-Remaining") == "0":
		return asked(resp, phase), true
	case resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented:
		return asked(resp, backoff), mayRepeat
	}
	return 0, false
}

// asked is how long an answer asks to wait: Retry-After in seconds or as a date, else until the limit is reset.
func asked(resp *http.Response, otherwise time.Duration) time.Duration {
	if after := resp.Header.Get("Retry-After"); after != "" {
		if s, err := strconv.Atoi(after); err == nil && s >= 0 {
			return min(time.Duration(s), 24*3600) * time.Second
		}
		if at, err := http.ParseTime(after); err == nil {
			return max(0, time.Until(at))
		}
	}
	if resp.Header.Get("X-RateLimit-Remaining") == "0" {
		if s, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			return max(0, time.Until(time.Unix(s, 0))) + time.Second
		}
	}
	return otherwise
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// bounded caps an answer's body. It also hides the rate limit of an answer that came: go-github would make up a refusal
// of the next call by itself where this transport can wait.
func bounded(resp *http.Response) *http.Response {
	if resp == nil {
		return nil
	}
	if resp.StatusCode < 300 {
		for name := range resp.Header {
			if strings.HasPrefix(name, "X-Ratelimit-") {
				resp.Header.Del(name)
			}
		}
	}
	resp.Body = &boundedBody{resp.Body, maxAnswer}
	return resp
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("answer of more than %d bytes", int64(maxAnswer))
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
