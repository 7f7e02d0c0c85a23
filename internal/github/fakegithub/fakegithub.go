// Package fakegithub is a small GitHub for tests: an HTTP server that keeps the comments, issues, pull requests, commits
// and files of one repository, answers as the API does, fails on demand and remembers what it was asked.
package fakegithub

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Bot is the login that the job's own token writes under.
const Bot = "github-actions[bot]"

// Comment is a comment of an issue or a pull request.
type Comment struct {
	ID     int64
	Number int // of the issue or pull request
	Login  string
	Body   string
}

// Issue is an issue, or a pull request where Pull is set.
type Issue struct {
	Number int
	Login  string
	Title  string
	Body   string
	State  string
	Pull   bool
}

// Pull is a pull request.
type Pull struct {
	Number         int
	HeadSHA, Base  string
	HeadRepo, Repo string // full names
	Branch         string // OWNER:BRANCH
	Login          string
}

// Request is one that was received.
type Request struct {
	Method, Path, Query, Authorization, Body string
}

// Failure is an answer given in place of the real one. With After the request is carried out first, as when a connection
// breaks before the answer arrives.
type Failure struct {
	Status int
	Header map[string]string
	Body   string
	After  bool
}

// Server is the double. Set its members before the first request, or hold Lock.
type Server struct {
	sync.Mutex
	URL      string // of the API, without a final slash
	Login    string // GET /user; "": refused, as for an installation's token
	Viewer   string // GraphQL's viewer.login; "": refused
	Comments []Comment
	Issues   []Issue
	Pulls    []Pull
	Parents  map[string][]string          // commit → parents
	Files    map[string]map[string]string // commit → path → content
	PerPage  int                          // most entries of a page; 0: 100
	// Fail may answer a request in place of the double. nil result: answer as usual.
	Fail     func(r Request) *Failure
	Requests []Request
	nextID   int64
}

// New starts a double that ends with the test. prefix is "" or "/api/v3".
func New(t testing.TB, prefix string) *Server {
	s := &Server{Parents: map[string][]string{}, Files: map[string]map[string]string{}, nextID: 9000}
	srv := httptest.NewServer(http.StripPrefix(prefix, s))
	t.Cleanup(srv.Close)
	s.URL = srv.URL + prefix
	return s
}

// Writes lists the requests that were not GET or GraphQL, as "METHOD path".
func (s *Server) Writes() []string {
	s.Lock()
	defer s.Unlock()
	var out []string
	for _, r := range s.Requests {
		if r.Method != http.MethodGet && r.Path != "/graphql" {
			out = append(out, r.Method+" "+r.Path)
		}
	}
	return out
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	body, _ := io.ReadAll(r.Body)
	req := Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Authorization"), string(body)}
	s.Requests = append(s.Requests, req)
	if s.Fail != nil {
		if f := s.Fail(req); f != nil {
			if f.After {
				s.answer(httptest.NewRecorder(), r, body)
			}
			for k, v := range f.Header {
				w.Header().Set(k, v)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(f.Status)
			io.WriteString(w, f.Body)
			return
		}
	}
	s.answer(w, r, body)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/user":
		s.user(w, s.Login)
	case r.URL.Path == "/graphql":
		if s.Viewer == "" {
			reply(w, http.StatusForbidden, map[string]any{"message": "Resource not accessible by integration"})
			return
		}
		reply(w, http.StatusOK, map[string]any{"data": map[string]any{"viewer": map[string]any{"login": s.Viewer}}})
	case len(parts) > 3 && parts[0] == "repos":
		s.repo(w, r, parts[3:], body)
	default:
		notFound(w)
	}
}

func (s *Server) user(w http.ResponseWriter, login string) {
	if login == "" {
		reply(w, http.StatusForbidden, map[string]any{"message": "Resource not accessible by integration"})
		return
	}
	reply(w, http.StatusOK, map[string]any{"login": login})
}

func (s *Server) repo(w http.ResponseWriter, r *http.Request, p []string, body []byte) {
	id := func(i int) int64 { n, _ := strconv.ParseInt(p[i], 10, 64); return n }
	switch route := r.Method + " " + p[0]; {
	case route == "GET contents":
		s.contents(w, strings.Join(p[1:], "/"), r.URL.Query().Get("ref"))
	case route == "GET git" && len(p) == 3 && p[1] == "commits":
		s.commit(w, p[2])
	case route == "GET git" && len(p) == 3 && p[1] == "blobs":
		s.blob(w, p[2])
	case route == "GET compare":
		base, head, _ := strings.Cut(p[1], "...")
		s.compare(w, base, head)
	case route == "GET pulls" && len(p) == 1:
		s.pulls(w, r)
	case route == "GET pulls":
		s.pull(w, int(id(1)))
	case route == "GET issues" && len(p) == 3 && p[2] == "comments":
		s.listComments(w, r, int(id(1)))
	case route == "POST issues" && len(p) == 3 && p[2] == "comments":
		s.addComment(w, int(id(1)), body)
	case route == "PATCH issues" && len(p) == 3 && p[1] == "comments":
		s.editComment(w, id(2), body)
	case route == "GET issues" && len(p) == 1:
		s.listIssues(w, r)
	case route == "POST issues" && len(p) == 1:
		s.addIssue(w, body)
	case route == "PATCH issues" && len(p) == 2:
		s.editIssue(w, int(id(1)), body)
	default:
		notFound(w)
	}
}

func (s *Server) contents(w http.ResponseWriter, path, ref string) {
	files := s.Files[ref]
	text, ok := files[path]
	switch {
	case !ok:
		notFound(w)
	case len(text) > 1<<20:
		reply(w, http.StatusOK, map[string]any{"type": "file", "encoding": "none", "content": "", "size": len(text), "sha": BlobName(text), "path": path})
	default:
		reply(w, http.StatusOK, map[string]any{"type": "file", "encoding": "base64",
			"content": base64.StdEncoding.EncodeToString([]byte(text)), "size": len(text), "sha": BlobName(text), "path": path})
	}
}

// BlobName is the name under which the double keeps a text as a blob.
func BlobName(text string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(text))) }

func (s *Server) blob(w http.ResponseWriter, name string) {
	for _, files := range s.Files {
		for _, text := range files {
			if BlobName(text) == name {
				io.WriteString(w, text)
				return
			}
		}
	}
	notFound(w)
}

func (s *Server) commit(w http.ResponseWriter, sha string) {
	parents, ok := s.Parents[sha]
	if _, has := s.Files[sha]; !ok && !has {
		notFound(w)
		return
	}
	list := []map[string]any{}
	for _, p := range parents {
		list = append(list, map[string]any{"sha": p})
	}
	reply(w, http.StatusOK, map[string]any{"sha": sha, "parents": list})
}

// compare takes the first parent of head for the merge base.
func (s *Server) compare(w http.ResponseWriter, _, head string) {
	parents := s.Parents[head]
	if len(parents) == 0 {
		notFound(w)
		return
	}
	reply(w, http.StatusOK, map[string]any{"merge_base_commit": map[string]any{"sha": parents[0]}})
}

func (p Pull) json() map[string]any {
	return map[string]any{
		"number": p.Number, "user": map[string]any{"login": p.Login},
		"head": map[string]any{"sha": p.HeadSHA, "repo": map[string]any{"full_name": p.HeadRepo}},
		"base": map[string]any{"sha": p.Base, "repo": map[string]any{"full_name": p.Repo}},
	}
}

func (s *Server) pulls(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for _, p := range s.Pulls {
		if head := r.URL.Query().Get("head"); head == "" || head == p.Branch {
			list = append(list, p.json())
		}
	}
	s.page(w, r, list)
}

func (s *Server) pull(w http.ResponseWriter, number int) {
	for _, p := range s.Pulls {
		if p.Number == number {
			reply(w, http.StatusOK, p.json())
			return
		}
	}
	notFound(w)
}

func (s *Server) page(w http.ResponseWriter, r *http.Request, all []map[string]any) {
	q := r.URL.Query()
	per, _ := strconv.Atoi(q.Get("per_page"))
	if per == 0 {
		per = 30
	}
	if s.PerPage > 0 {
		per = min(per, s.PerPage)
	}
	page, _ := strconv.Atoi(q.Get("page"))
	page = max(page, 1)
	if page*per < len(all) {
		q.Set("page", strconv.Itoa(page+1))
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.URL, r.URL.Path, q.Encode()))
	}
	from := min((page-1)*per, len(all))
	reply(w, http.StatusOK, all[from:min(from+per, len(all))])
}

func notFound(w http.ResponseWriter) {
	reply(w, http.StatusNotFound, map[string]any{"message": "Not Found"})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
