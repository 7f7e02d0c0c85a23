package fakegithub

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of GitHub.
const (
	bodyLimit = 65536   // characters of a comment or issue
	jsonLimit = 1 << 20 // bytes of a file that the contents API gives as JSON
)

// routes are filled in by init, since their handlers need the description, which needs them.
var routes []route

func init() {
	const repo = "/repos/{owner}/{repo}"
	routes = []route{
		newRoute("GET", "/user", getUser),
		newRoute("GET", repo+"/issues/{issue_number}/comments", listComments),
		newRoute("POST", repo+"/issues/{issue_number}/comments", createComment),
		newRoute("GET", repo+"/issues/comments/{comment_id}", getComment),
		newRoute("PATCH", repo+"/issues/comments/{comment_id}", editComment),
		newRoute("DELETE", repo+"/issues/comments/{comment_id}", deleteComment),
		newRoute("GET", repo+"/issues", listIssues),
		newRoute("POST", repo+"/issues", createIssue),
		newRoute("PATCH", repo+"/issues/{issue_number}", editIssue),
		newRoute("GET", repo+"/pulls", listPulls),
		newRoute("GET", repo+"/pulls/{pull_number}", getPull),
		newRoute("GET", repo+"/commits/{commit_sha}/pulls", listPullsOfCommit),
		newRoute("GET", repo+"/commits/{ref}", getCommit),
		newRoute("GET", repo+"/git/commits/{commit_sha}", getGitCommit),
		newRoute("GET", repo+"/compare/{basehead}", compareCommits),
		newRoute("GET", repo+"/contents/{path}", getContents),
		newRoute("GET", repo+"/git/blobs/{file_sha}", getBlob),
	}
}

func notFound() answer { return refuse(http.StatusNotFound, "Not Found") }

func getUser(s *Server, _ call) answer {
	if !s.UserReadable {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	u := s.api.example("private-user")
	u["login"] = s.Login
	return answer{status: 200, body: u}
}

// page cuts a list as GitHub does and says where the rest stands.
func page[T any](s *Server, c call, list []T) ([]T, map[string]string) {
	number := func(name string, fallback int) int {
		if n, err := strconv.Atoi(c.req.URL.Query().Get(name)); err == nil && n > 0 {
			return n
		}
		return fallback
	}
	size, at := min(number("per_page", 30), 100), number("page", 1)
	last := max(1, (len(list)+size-1)/size)
	link := func(page int, rel string) string {
		q := c.req.URL.Query()
		q.Set("page", strconv.Itoa(page))
		return fmt.Sprintf("<%s%s?%s>; rel=%q", s.URL, c.req.URL.Path, q.Encode(), rel)
	}
	var links []string
	if at > 1 {
		links = append(links, link(at-1, "prev"), link(1, "first"))
	}
	if at < last {
		links = append(links, link(at+1, "next"), link(last, "last"))
	}
	from := min((at-1)*size, len(list))
	return list[from:min(from+size, len(list))], map[string]string{"Link": strings.Join(links, ", ")}
}

func (s *Server) user(login string) map[string]any {
	u := s.api.example("issue-comment")["user"].(map[string]any)
	u["login"] = login
	u["type"] = "User"
	if strings.HasSuffix(login, "[bot]") {
		u["type"] = "Bot"
	}
	return u
}

func (s *Server) issueExists(number int) bool {
	_, pull := s.state.pulls[number]
	return pull || slices.ContainsFunc(s.state.issues, func(i *Issue) bool { return i.Number == number })
}

func (s *Server) commentJSON(c *Comment) map[string]any {
	out := s.api.example("issue-comment")
	out["id"], out["body"], out["user"] = c.ID, c.Body, s.user(c.Author)
	out["html_url"] = fmt.Sprintf("https://github.com/%s/pull/%d#issuecomment-%d", s.state.repository, c.Issue, c.ID)
	out["issue_url"] = fmt.Sprintf("%s/repos/%s/issues/%d", s.URL, s.state.repository, c.Issue)
	out["url"] = fmt.Sprintf("%s/repos/%s/issues/comments/%d", s.URL, s.state.repository, c.ID)
	out["created_at"], out["updated_at"] = c.Created.Format(time.RFC3339), c.Updated.Format(time.RFC3339)
	return out
}

func listComments(s *Server, c call) answer {
	n := atoi(c.params["issue_number"])
	if !s.issueExists(n) {
		return notFound()
	}
	var of []*Comment
	for _, comment := range s.state.comments {
		if comment.Issue == n {
			of = append(of, comment)
		}
	}
	of, links := page(s, c, of)
	list := []any{}
	for _, comment := range of {
		list = append(list, s.commentJSON(comment))
	}
	return answer{status: 200, body: list, header: links}
}

func checkBody(body string) (answer, bool) {
	switch {
	case strings.TrimSpace(body) == "":
		return invalid("Body cannot be blank"), false
	case utf8.RuneCountInString(body) > bodyLimit:
		return invalid("Body is too long (maximum is 65536 characters)"), false
	}
	return answer{}, true
}

func createComment(s *Server, c call) answer {
	n, body := atoi(c.params["issue_number"]), c.body["body"].(string)
	if !s.issueExists(n) {
		return notFound()
	}
	if a, ok := checkBody(body); !ok {
		return a
	}
	return answer{status: 201, body: s.commentJSON(s.addComment(n, s.Login, body))}
}

func (s *Server) comment(c call) *Comment {
	for _, comment := range s.state.comments {
		if fmt.Sprint(comment.ID) == c.params["comment_id"] {
			return comment
		}
	}
	return nil
}

func getComment(s *Server, c call) answer {
	if comment := s.comment(c); comment != nil {
		return answer{status: 200, body: s.commentJSON(comment)}
	}
	return notFound()
}

func editComment(s *Server, c call) answer {
	comment, body := s.comment(c), c.body["body"].(string)
	if comment == nil {
		// The description does not name 404 here, but GitHub answers it.
		return answer{status: 404, raw: []byte(`{"message":"Not Found"}`)}
	}
	if a, ok := checkBody(body); !ok {
		return a
	}
	comment.Body, comment.Updated = body, s.clock
	comment.Edits++
	return answer{status: 200, body: s.commentJSON(comment)}
}

func deleteComment(s *Server, c call) answer {
	comment := s.comment(c)
	if comment == nil {
		return answer{status: 404, raw: []byte(`{"message":"Not Found"}`)}
	}
	s.state.comments = slices.DeleteFunc(s.state.comments, func(o *Comment) bool { return o == comment })
	return answer{status: http.StatusNoContent}
}

func (s *Server) pullJSON(p Pull, example string) map[string]any {
	out := s.api.example(example)
	out["number"], out["state"], out["user"] = p.Number, p.State, s.user(p.Author)
	out["requested_teams"] = []any{} // the example's team lacks a member that its schema requires
	owner, _, _ := strings.Cut(p.HeadRepository, "/")
	head, base := out["head"].(map[string]any), out["base"].(map[string]any)
	head["sha"], head["ref"], head["label"] = p.HeadSHA, p.HeadRef, owner+":"+p.HeadRef
	head["repo"].(map[string]any)["full_name"] = p.HeadRepository
	base["sha"], base["ref"] = p.BaseSHA, p.BaseRef
	base["repo"].(map[string]any)["full_name"] = s.state.repository
	return out
}

func listPulls(s *Server, c call) answer {
	q := c.req.URL.Query()
	var of []Pull
	for _, p := range s.pulls() {
		owner, _, _ := strings.Cut(p.HeadRepository, "/")
		if state := q.Get("state"); state != "all" && p.State != orElse(state, "open") {
			continue
		}
		if head := q.Get("head"); head != "" && head != owner+":"+p.HeadRef {
			continue
		}
		if base := q.Get("base"); base != "" && base != p.BaseRef {
			continue
		}
		of = append(of, p)
	}
	return s.pullList(c, of)
}

func listPullsOfCommit(s *Server, c call) answer {
	var of []Pull
	for _, p := range s.pulls() {
		if p.HeadSHA == c.params["commit_sha"] {
			of = append(of, p)
		}
	}
	return s.pullList(c, of)
}

func (s *Server) pullList(c call, of []Pull) answer {
	of, links := page(s, c, of)
	list := []any{}
	for _, p := range of {
		list = append(list, s.pullJSON(p, "pull-request-simple-items"))
	}
	return answer{status: 200, body: list, header: links}
}

func getPull(s *Server, c call) answer {
	p, ok := s.state.pulls[atoi(c.params["pull_number"])]
	if !ok {
		return notFound()
	}
	return answer{status: 200, body: s.pullJSON(p, "pull-request")}
}

func (s *Server) parents(c Commit) []any {
	list := []any{}
	for _, p := range c.Parents {
		list = append(list, map[string]any{
			"sha": p, "url": s.URL + "/repos/" + s.state.repository + "/commits/" + p,
			"html_url": "https://github.com/" + s.state.repository + "/commit/" + p,
		})
	}
	return list
}

func getCommit(s *Server, c call) answer {
	commit, ok := s.commit(c.params["ref"])
	if !ok {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.params["ref"])
	}
	out := s.api.example("commit")
	out["sha"], out["parents"] = commit.SHA, s.parents(commit)
	out["files"] = []any{} // the example's file lacks members that its schema requires
	return answer{status: 200, body: out}
}

func getGitCommit(s *Server, c call) answer {
	commit, ok := s.state.commits[c.params["commit_sha"]]
	if !ok {
		return notFound()
	}
	out := s.api.example("git-commit-2")
	out["sha"], out["parents"] = commit.SHA, s.parents(commit)
	return answer{status: 200, body: out}
}

// compareCommits answers base...head, of which only the merge base matters here.
func compareCommits(s *Server, c call) answer {
	base, head, ok := strings.Cut(c.params["basehead"], "...")
	if _, known := s.state.commits[head]; !ok || !known {
		return notFound()
	}
	of := s.ancestors(base)
	for _, sha := range s.ancestors(head) {
		if slices.Contains(of, sha) {
			out := s.api.example("commit-comparison")
			at := out["merge_base_commit"].(map[string]any)
			at["sha"] = sha
			out["files"], out["commits"] = []any{}, []any{}
			return answer{status: 200, body: out}
		}
	}
	return refuse(http.StatusNotFound, "No common ancestor between "+base+" and "+head+".")
}

// ancestors lists a commit and those that it descends from, nearest first.
func (s *Server) ancestors(sha string) []string {
	out := []string{sha}
	for i := 0; i < len(out); i++ {
		for _, p := range s.state.commits[out[i]].Parents {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// getContents gives a file up to 1 MB as JSON, a larger one (to 100 MB) only raw; its JSON has no content then.
func getContents(s *Server, c call) answer {
	commit, ok := s.commit(orElse(c.req.URL.Query().Get("ref"), "main"))
	if !ok {
		return refuse(http.StatusNotFound, "No commit found for the ref "+c.req.URL.Query().Get("ref"))
	}
	name := c.params["path"]
	text, ok := commit.Files[name]
	if !ok {
		return s.folder(commit, name)
	}
	if strings.Contains(c.req.Header.Get("Accept"), "raw") {
		return answer{status: 200, raw: []byte(text), header: map[string]string{"Content-Type": "application/vnd.github.raw+json; charset=utf-8"}}
	}
	out := s.api.example("content-file-response-if-content-is-a-file")
	s.fileLinks(out, commit.SHA, name, text)
	out["encoding"], out["content"] = "base64", wrapped(text)
	if len(text) > jsonLimit {
		out["encoding"], out["content"] = "none", ""
	}
	return answer{status: 200, body: out}
}

func (s *Server) fileLinks(out map[string]any, ref, name, text string) {
	at := s.URL + "/repos/" + s.state.repository
	out["name"], out["path"], out["size"], out["sha"] = path.Base(name), name, len(text), blobSHA(text)
	out["url"] = at + "/contents/" + (&url.URL{Path: name}).EscapedPath() + "?ref=" + ref
	out["git_url"] = at + "/git/blobs/" + blobSHA(text)
	out["download_url"] = s.URL + "/raw/" + ref + "/" + (&url.URL{Path: name}).EscapedPath()
}

func (s *Server) folder(commit Commit, name string) answer {
	list := []any{}
	prefix := strings.Trim(name, "/.") + "/"
	for file, text := range commit.Files {
		if rest, ok := strings.CutPrefix(file, strings.TrimPrefix(prefix, "/")); ok && !strings.Contains(rest, "/") {
			out := s.api.example("content-file-response-if-content-is-a-file")
			delete(out, "content")
			delete(out, "encoding")
			s.fileLinks(out, commit.SHA, file, text)
			list = append(list, out)
		}
	}
	if len(list) == 0 {
		return notFound()
	}
	return answer{status: 200, body: list}
}

func getBlob(s *Server, c call) answer {
	text, ok := s.state.blobs[c.params["file_sha"]]
	if !ok {
		return notFound()
	}
	if strings.Contains(c.req.Header.Get("Accept"), "raw") {
		return answer{status: 200, raw: []byte(text), header: map[string]string{"Content-Type": "application/vnd.github.raw+json; charset=utf-8"}}
	}
	out := s.api.example("blob")
	out["sha"], out["size"], out["encoding"], out["content"] = blobSHA(text), len(text), "base64", wrapped(text)
	return answer{status: 200, body: out}
}

func trimRef(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/"), "heads/")
}

// wrapped is base64 in lines of 60, as GitHub sends it.
func wrapped(text string) string {
	var out strings.Builder
	for chunk := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString([]byte(text))), 60) {
		out.Write(chunk)
		out.WriteByte('\n')
	}
	return out.String()
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
