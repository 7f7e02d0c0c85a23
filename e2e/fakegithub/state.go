package fakegithub

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"
)

// state is the repository as it stands.
type state struct {
	repository string
	nextID     int64
	comments   []*Comment
	commits    map[string]Commit
	pulls      map[int]Pull
	issues     []*Issue
	blobs      map[string]string // by sha
	branches   map[string]string // name to sha
}

func newState(repository string) state {
	return state{
		repository: repository, nextID: 1000, commits: map[string]Commit{}, pulls: map[int]Pull{},
		blobs: map[string]string{}, branches: map[string]string{},
	}
}

// Comment is a comment on an issue or a pull request.
type Comment struct {
	ID      int64
	Issue   int
	Author  string
	Body    string
	Created time.Time
	Updated time.Time
	Edits   int
}

// Commit is a commit with all its files.
type Commit struct {
	SHA     string
	Parents []string
	Files   map[string]string
}

// Pull is a pull request.
type Pull struct {
	Number           int
	State            string // open, closed; default open
	HeadSHA, HeadRef string
	HeadRepository   string // default: the server's own
	BaseSHA, BaseRef string
	Author           string
}

// Issue is an issue that is no pull request.
type Issue struct {
	Number      int
	Title, Body string
	State       string
	Author      string
	Labels      []string
}

// AddComment puts a comment in place and returns its id.
func (s *Server) AddComment(issue int, author, body string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addComment(issue, author, body).ID
}

func (s *Server) addComment(issue int, author, body string) *Comment {
	s.clock = s.clock.Add(time.Second)
	s.state.nextID++
	c := &Comment{ID: s.state.nextID, Issue: issue, Author: author, Body: body, Created: s.clock, Updated: s.clock}
	s.state.comments = append(s.state.comments, c)
	return c
}

// Comments lists the comments of one issue or pull request, oldest first.
func (s *Server) Comments(issue int) []Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Comment
	for _, c := range s.state.comments {
		if c.Issue == issue {
			out = append(out, *c)
		}
	}
	return out
}

// Issues lists the issues.
func (s *Server) Issues() []Issue {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Issue
	for _, i := range s.state.issues {
		out = append(out, *i)
	}
	return out
}

// AddCommit puts a commit in place; each branch named points at it.
func (s *Server) AddCommit(c Commit, branches ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.commits[c.SHA] = c
	for _, text := range c.Files {
		s.state.blobs[blobSHA(text)] = text
	}
	for _, b := range branches {
		s.state.branches[b] = c.SHA
	}
}

// AddPull puts a pull request in place.
func (s *Server) AddPull(p Pull) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range []struct {
		at    *string
		value string
	}{
		{&p.State, "open"}, {&p.HeadRepository, s.state.repository}, {&p.HeadRef, "topic"}, {&p.BaseRef, "main"}, {&p.Author, "octocat"},
	} {
		if *d.at == "" {
			*d.at = d.value
		}
	}
	s.state.pulls[p.Number] = p
}

// commit resolves a sha, a branch or a full ref.
func (s *Server) commit(ref string) (Commit, bool) {
	for _, name := range []string{ref, trimRef(ref)} {
		if sha, ok := s.state.branches[name]; ok {
			return s.state.commits[sha], true
		}
	}
	c, ok := s.state.commits[ref]
	return c, ok
}

func (s *Server) pulls() []Pull {
	return slices.SortedFunc(maps.Values(s.state.pulls), func(a, b Pull) int { return b.Number - a.Number })
}

// blobSHA is git's own name of a file's content.
func blobSHA(text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	return hex.EncodeToString(sum[:])
}
