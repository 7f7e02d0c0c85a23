package fakegithub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// maxBody is the number of characters above which the API refuses a body.
const maxBody = 65536

func (s *Server) self() string {
	if s.Login != "" {
		return s.Login
	}
	if s.Viewer != "" {
		return s.Viewer
	}
	return Bot
}

func (c Comment) json() map[string]any {
	return map[string]any{
		"id": c.ID, "body": c.Body, "user": map[string]any{"login": c.Login},
		"html_url": fmt.Sprintf("https://github.example/acme/widgets/pull/%d#issuecomment-%d", c.Number, c.ID),
	}
}

func (s *Server) listComments(w http.ResponseWriter, r *http.Request, number int) {
	list := []map[string]any{}
	for _, c := range s.Comments {
		if c.Number == number {
			list = append(list, c.json())
		}
	}
	s.page(w, r, list)
}

// fields reads a body that must have the given text; nil when it was refused.
func fields(w http.ResponseWriter, body []byte) map[string]string {
	var in map[string]string
	if err := json.Unmarshal(body, &in); err != nil {
		reply(w, http.StatusBadRequest, map[string]any{"message": "Problems parsing JSON"})
		return nil
	}
	if utf8.RuneCountInString(in["body"]) > maxBody {
		reply(w, http.StatusUnprocessableEntity, map[string]any{
			"message": "Validation Failed",
			"errors":  []map[string]any{{"message": "Body is too long (maximum is 65536 characters)"}},
		})
		return nil
	}
	return in
}

func (s *Server) addComment(w http.ResponseWriter, number int, body []byte) {
	in := fields(w, body)
	if in == nil {
		return
	}
	s.nextID++
	c := Comment{ID: s.nextID, Number: number, Login: s.self(), Body: in["body"]}
	s.Comments = append(s.Comments, c)
	reply(w, http.StatusCreated, c.json())
}

func (s *Server) editComment(w http.ResponseWriter, id int64, body []byte) {
	for i := range s.Comments {
		c := &s.Comments[i]
		if c.ID != id {
			continue
		}
		if c.Login != s.self() {
			reply(w, http.StatusForbidden, map[string]any{"message": "Resource not accessible by integration"})
			return
		}
		if in := fields(w, body); in != nil {
			c.Body = in["body"]
			reply(w, http.StatusOK, c.json())
		}
		return
	}
	notFound(w)
}

func (i Issue) json() map[string]any {
	out := map[string]any{
		"number": i.Number, "title": i.Title, "body": i.Body, "state": i.State, "user": map[string]any{"login": i.Login},
		"html_url": fmt.Sprintf("https://github.example/acme/widgets/issues/%d", i.Number),
	}
	if i.Pull {
		out["pull_request"] = map[string]any{"url": "x"}
	}
	return out
}

func (s *Server) listIssues(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	for _, i := range s.Issues {
		if want := r.URL.Query().Get("state"); want == "all" || want == i.State {
			list = append(list, i.json())
		}
	}
	s.page(w, r, list)
}

func (s *Server) addIssue(w http.ResponseWriter, body []byte) {
	in := fields(w, body)
	if in == nil {
		return
	}
	s.nextID++
	i := Issue{Number: int(s.nextID), Login: s.self(), Title: in["title"], Body: in["body"], State: "open"}
	s.Issues = append(s.Issues, i)
	reply(w, http.StatusCreated, i.json())
}

func (s *Server) editIssue(w http.ResponseWriter, number int, body []byte) {
	for k := range s.Issues {
		i := &s.Issues[k]
		if i.Number != number {
			continue
		}
		in := fields(w, body)
		if in == nil {
			return
		}
		i.Body = in["body"]
		if in["state"] != "" {
			i.State = in["state"]
		}
		reply(w, http.StatusOK, i.json())
		return
	}
	notFound(w)
}
