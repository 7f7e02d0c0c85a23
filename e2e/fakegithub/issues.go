package fakegithub

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func (s *Server) issueJSON(i *Issue) map[string]any {
	out := s.api.example("issue")
	out["number"], out["title"], out["body"], out["state"], out["user"] = i.Number, i.Title, i.Body, i.State, s.user(i.Author)
	out["html_url"] = fmt.Sprintf("https://github.com/%s/issues/%d", s.state.repository, i.Number)
	delete(out, "pull_request")
	if i.State == "open" {
		out["closed_at"], out["closed_by"] = nil, nil
	}
	labels := []any{}
	for _, l := range i.Labels {
		labels = append(labels, map[string]any{"id": 1, "node_id": "x", "url": s.URL, "name": l, "color": "ededed", "default": false, "description": nil})
	}
	out["labels"] = labels
	return out
}

func listIssues(s *Server, c call) answer {
	q := c.req.URL.Query()
	var of []*Issue
	for _, i := range slices.Backward(s.state.issues) {
		if state := q.Get("state"); state != "all" && i.State != orElse(state, "open") {
			continue
		}
		if creator := q.Get("creator"); creator != "" && creator != i.Author {
			continue
		}
		wanted := strings.FieldsFunc(q.Get("labels"), func(r rune) bool { return r == ',' })
		if slices.ContainsFunc(wanted, func(l string) bool { return !slices.Contains(i.Labels, l) }) {
			continue
		}
		of = append(of, i)
	}
	of, links := page(s, c, of)
	list := []any{}
	for _, i := range of {
		list = append(list, s.issueJSON(i))
	}
	return answer{status: 200, body: list, header: links}
}

func createIssue(s *Server, c call) answer {
	body, _ := c.body["body"].(string)
	if a, ok := checkBody(body); !ok {
		return a
	}
	number := 1
	for n := range s.state.pulls {
		number = max(number, n+1)
	}
	for _, i := range s.state.issues {
		number = max(number, i.Number+1)
	}
	i := &Issue{Number: number, Title: fmt.Sprint(c.body["title"]), Body: body, State: "open", Author: s.Login, Labels: texts(c.body["labels"])}
	s.state.issues = append(s.state.issues, i)
	return answer{status: http.StatusCreated, body: s.issueJSON(i)}
}

func editIssue(s *Server, c call) answer {
	n := atoi(c.params["issue_number"])
	at := slices.IndexFunc(s.state.issues, func(i *Issue) bool { return i.Number == n })
	if at < 0 {
		return notFound()
	}
	i := s.state.issues[at]
	if body, ok := c.body["body"].(string); ok {
		if a, ok := checkBody(body); !ok {
			return a
		}
		i.Body = body
	}
	if title, ok := c.body["title"].(string); ok {
		i.Title = title
	}
	if state, ok := c.body["state"].(string); ok {
		i.State = state
	}
	return answer{status: 200, body: s.issueJSON(i)}
}

func texts(v any) []string {
	var out []string
	list, _ := v.([]any)
	for _, e := range list {
		if text, ok := e.(string); ok {
			out = append(out, text)
		}
	}
	return out
}
