// Package fakegithub is a stateful double of the part of GitHub's API that the action uses: comments, commits, contents,
// blobs, pull requests, issues, the token's own user and one GraphQL query. Every request and every answer is checked
// against GitHub's own OpenAPI description; a violation of either is a Problem that the test must not have.
package fakegithub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is GitHub for one repository and one token.
type Server struct {
	URL string

	// Token is what requests must bear; any other is 401.
	Token string
	// Login is who the token is. As for a workflow's own token, GET /user is 403 unless UserReadable.
	Login        string
	UserReadable bool
	// ReadOnly refuses every write with 403, as for the token of a fork's or Dependabot's run.
	ReadOnly bool

	api *description

	mu       sync.Mutex
	state    state
	faults   []*Fault
	requests []Request
	problems []string
	clock    time.Time
}

// Request is one request as it came in.
type Request struct {
	Method, Path string // Path with the query
	Body         string
	Status       int // of the answer
}

// Fault makes the next Times requests that match fail. It is answered instead of the route, and not checked against the
// description, which does not name 429 and most 5xx.
type Fault struct {
	Method string         // "" is any
	Path   *regexp.Regexp // nil is any
	Times  int
	Status int
	Header map[string]string
	Body   string // default: a message that names the status
}

// New starts the server; the test fails at its end if a request or an answer was not as GitHub describes it.
func New(t *testing.T, repository string) *Server {
	t.Helper()
	api, err := load()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Token: "ghs_e2eToken0123456789", Login: "github-actions[bot]", api: api,
		state: newState(repository), clock: time.Date(2026, 8, 14, 9, 0, 0, 0, time.UTC),
	}
	h := httptest.NewServer(s)
	s.URL = h.URL
	t.Cleanup(func() {
		h.Close()
		for _, p := range s.Problems() {
			t.Errorf("GitHub's API: %s", p)
		}
	})
	return s
}

// Fail adds a fault.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Requests lists what came in since the last call.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.requests
	s.requests = nil
	return out
}

// Writes counts requests that are no reads.
func Writes(requests []Request) int {
	n := 0
	for _, r := range requests {
		if r.Method != http.MethodGet && !strings.HasPrefix(r.Path, "/graphql") {
			n++
		}
	}
	return n
}

// Problems lists violations of GitHub's description, and requests for which there is no route.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problems
}

// answer is what a route gives back. Raw goes out as it is, else Body as JSON.
type answer struct {
	status int
	body   any
	raw    []byte
	header map[string]string
}

func refuse(status int, message string) answer {
	return answer{status: status, body: map[string]any{
		"message": message, "documentation_url": "https://docs.github.com/rest", "status": fmt.Sprint(status),
	}}
}

func invalid(message string) answer {
	a := refuse(http.StatusUnprocessableEntity, "Validation Failed")
	a.body.(map[string]any)["errors"] = []any{map[string]any{"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": message}}
	return a
}

func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.answer(req, body)
	s.requests = append(s.requests, Request{req.Method, req.URL.RequestURI(), string(body), a.status})
	for k, v := range a.header {
		w.Header().Set(k, v)
	}
	out := a.raw
	if out == nil && a.body != nil {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		out, err = json.Marshal(a.body)
		if err != nil {
			panic("fakegithub: " + err.Error())
		}
	}
	w.WriteHeader(a.status)
	w.Write(out)
}

func (s *Server) answer(req *http.Request, body []byte) answer {
	for _, f := range s.faults {
		if f.Times > 0 && (f.Method == "" || f.Method == req.Method) && (f.Path == nil || f.Path.MatchString(req.URL.Path)) {
			f.Times--
			if f.Body != "" {
				return answer{status: f.Status, raw: []byte(f.Body), header: f.Header}
			}
			a := refuse(f.Status, http.StatusText(f.Status))
			a.header = f.Header
			return a
		}
	}
	scheme, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if token != s.Token || !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token") {
		return refuse(http.StatusUnauthorized, "Bad credentials")
	}
	if req.URL.Path == "/graphql" {
		return s.graphQL(req, body)
	}
	for _, r := range routes {
		if params := r.match(req); params != nil {
			return s.route(r, req, params, body)
		}
	}
	s.problems = append(s.problems, "no route for "+req.Method+" "+req.URL.RequestURI())
	return refuse(http.StatusNotFound, "Not Found")
}

func (s *Server) route(r route, req *http.Request, params map[string]string, body []byte) answer {
	in := s.api.check(r, req, params, body)
	at := req.Method + " " + req.URL.RequestURI()
	if err := checkRequest(in); err != nil {
		s.problems = append(s.problems, at+": request: "+brief(err))
		return refuse(http.StatusUnprocessableEntity, "Invalid request.")
	}
	if params["owner"] != "" && params["owner"]+"/"+params["repo"] != s.state.repository {
		return refuse(http.StatusNotFound, "Not Found")
	}
	if s.ReadOnly && req.Method != http.MethodGet {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	var parsed map[string]any
	if len(body) > 0 {
		if err := json.Unmarshal(body, &parsed); err != nil {
			return refuse(http.StatusBadRequest, "Problems parsing JSON")
		}
	}
	s.clock = s.clock.Add(time.Second)
	a := r.handle(s, call{req, params, parsed})
	if a.raw != nil || a.status == http.StatusNoContent {
		return a
	}
	data, err := json.Marshal(a.body)
	if err != nil {
		panic("fakegithub: " + err.Error())
	}
	if err := checkAnswer(in, a.status, http.Header{"Content-Type": {"application/json"}}, data); err != nil {
		s.problems = append(s.problems, at+": our own answer: "+brief(err))
	}
	return a
}

// brief leaves out the schemas that kin-openapi prints in full.
func brief(err error) string {
	return schemas.ReplaceAllString(err.Error(), "")
}

var schemas = regexp.MustCompile(`(?s)\nSchema:.*?(\| |$)`)

// route is one operation: a path of the description, and what it does.
type route struct {
	method, template string
	pattern          *regexp.Regexp
	handle           func(s *Server, c call) answer
}

type call struct {
	req    *http.Request
	params map[string]string
	body   map[string]any
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func newRoute(method, template string, handle func(s *Server, c call) answer) route {
	pattern := placeholder.ReplaceAllStringFunc(template, func(p string) string {
		name := p[1 : len(p)-1]
		if name == "path" || name == "ref" { // these two may hold slashes
			return "(?P<" + name + ">.+)"
		}
		return "(?P<" + name + ">[^/]+)"
	})
	return route{method, template, regexp.MustCompile("^" + pattern + "$"), handle}
}

func (r route) match(req *http.Request) map[string]string {
	if req.Method != r.method {
		return nil
	}
	m := r.pattern.FindStringSubmatch(req.URL.Path)
	if m == nil {
		return nil
	}
	params := map[string]string{}
	for i, name := range r.pattern.SubexpNames() {
		if name != "" {
			params[name] = m[i]
		}
	}
	return params
}

func (s *Server) graphQL(req *http.Request, body []byte) answer {
	if req.Method != http.MethodPost {
		return refuse(http.StatusNotFound, "Not Found")
	}
	if bytes.Contains(body, []byte("viewer")) {
		return answer{status: 200, body: map[string]any{"data": map[string]any{"viewer": map[string]any{"login": s.Login}}}}
	}
	s.problems = append(s.problems, "no GraphQL answer for "+string(body))
	return answer{status: 200, body: map[string]any{"errors": []any{map[string]any{"message": "unknown field"}}}}
}
