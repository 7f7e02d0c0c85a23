package mcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/mcp"
)

// want is what a scenario comes to: names, or a code with a part of the message.
type want struct{ names, code, message, warning string }

func TestList_cursorRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pages []page
		want
	}{
		"null ends the listing": {
			[]page{{Tools: []string{"a"}, Next: "null"}}, want{names: "a"},
		},
		"a replay after the empty cursor ends it": {
			[]page{{Tools: []string{"a", "b"}, Next: `""`}, {Cursor: "", Tools: []string{"a", "b"}, Next: `""`}}, want{names: "a b"},
		},
		"a replay in another order ends it": {
			[]page{{Tools: []string{"a", "b"}, Next: `""`}, {Cursor: "", Tools: []string{"b", "a"}}}, want{names: "a b"},
		},
		"a replay of an earlier page ends it": {
			[]page{{Tools: []string{"a"}, Next: `"2"`}, {Cursor: "2", Tools: []string{"b"}, Next: `""`}, {Cursor: "", Tools: []string{"a"}, Next: `"2"`}},
			want{names: "a b"},
		},
		"other tools after the empty cursor count": {
			[]page{{Tools: []string{"a"}, Next: `""`}, {Cursor: "", Tools: []string{"b"}, Next: `"3"`}, {Cursor: "3", Tools: []string{"c"}}},
			want{names: "a b c"},
		},
		"a second empty cursor is malformed": {
			[]page{{Tools: []string{"a"}, Next: `""`}, {Cursor: "", Tools: []string{"b"}, Next: `""`}},
			want{code: mcp.CodeCursor, message: `cursor "" repeated`},
		},
		"invalid params after the empty cursor end it": {
			[]page{{Tools: []string{"a"}, Next: `""`}, {Cursor: "", Error: -32602}},
			want{names: "a", warning: `refuses to be asked for it (tools/list was answered with error -32602: bad luck)`},
		},
		"another error after the empty cursor does not": {
			[]page{{Tools: []string{"a"}, Next: `""`}, {Cursor: "", Error: -32603}},
			want{code: mcp.CodeRPCError, message: "-32603"},
		},
		"invalid params after another cursor do not": {
			[]page{{Tools: []string{"a"}, Next: `"2"`}, {Cursor: "2", Error: -32602}},
			want{code: mcp.CodeRPCError, message: "-32602: bad luck"},
		},
		"a repeated cursor is malformed": {
			[]page{{Tools: []string{"a"}, Next: `"again"`}, {Cursor: "again", Tools: []string{"b"}, Next: `"again"`}},
			want{code: mcp.CodeCursor, message: `cursor "again" repeated`},
		},
		"a circle of cursors is malformed": {
			[]page{{Next: `"x"`}, {Cursor: "x", Next: `"y"`}, {Cursor: "y", Next: `"x"`}},
			want{code: mcp.CodeCursor, message: `cursor "x" repeated`},
		},
		"one name on two pages is malformed": {
			[]page{{Tools: []string{"a"}, Next: `"2"`}, {Cursor: "2", Tools: []string{"a"}}},
			want{code: contract.CodeDuplicateTool, message: `"a"`},
		},
		"a cursor that is no string is malformed": {
			[]page{{Tools: []string{"a"}, Next: `7`}}, want{code: contract.CodeNotAListing},
		},
		"no tools are a listing": {
			[]page{{}}, want{},
		},
		"tools of null are malformed": {
			[]page{{Raw: `{"tools":null}`}}, want{code: contract.CodeNotAListing},
		},
		"a duplicate member is malformed": {
			[]page{{Raw: `{"tools":[],"tools":[]}`}}, want{code: contract.CodeSyntax},
		},
		"bad UTF-8 is malformed": {
			[]page{{Raw: `{"tools":[{"name":"` + `\ud800` + `"}]}`}}, want{code: contract.CodeSyntax},
		},
		"an incomplete result is malformed": {
			[]page{{Raw: `{"tools":[],"resultType":"input_required"}`}}, want{code: contract.CodeNotAListing},
		},
		"ten thousand levels are read": {
			[]page{{Raw: deep(9000)}}, want{names: "d"},
		},
		"more levels are malformed": {
			[]page{{Raw: deep(10001)}}, want{code: contract.CodeSyntax},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, modern := range []bool{false, true} {
				h := &faultyHTTP{scenario: scenario{Pages: c.pages, Modern: modern}, streams: modern}
				check(t, h, mcp.Options{Matches: anything}, c.want)
				if n := h.requests["tools/list"]; n > len(c.pages)+1 {
					t.Errorf("%d requests for %d pages", n, len(c.pages))
				}
			}
		})
	}
}

// deep is a listing of one tool with so many levels of arrays.
func deep(levels int) string {
	return `{"tools":[{"name":"d","inputSchema":` + strings.Repeat("[", levels-3) + strings.Repeat("]", levels-3) + `}]}`
}

func check(t *testing.T, h http.Handler, o mcp.Options, w want) {
	t.Helper()
	l, err := mcp.List(t.Context(), serve(t, h), o)
	if err != nil {
		e := err.(*mcp.Error)
		kind := mcp.Malformed
		if w.code == mcp.CodeRPCError {
			kind = mcp.Unreachable
		}
		if e.Code != w.code || e.Kind != kind || !strings.Contains(e.Message, w.message) {
			t.Errorf("%s %s: %s; want %+v", e.Kind, e.Code, e.Message, w)
		}
		return
	}
	if w.code != "" || names(l) != w.names {
		t.Errorf("%q, want %+v", names(l), w)
	}
	if warned := strings.Join(l.Warnings, "\n"); w.warning == "" && warned != "" || !strings.Contains(warned, w.warning) {
		t.Errorf("warnings %q, want %q", warned, w.warning)
	}
}

// endless answers tools/list with ever new pages of the given size.
type endless struct {
	faultyHTTP
	tools int
	pad   string
	asked int
}

func (e *endless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.asked++
	var tools []string
	for i := range e.tools {
		tools = append(tools, fmt.Sprintf("t%d-%d%s", e.asked, i, e.pad))
	}
	e.Pages = []page{{Tools: tools, Next: fmt.Sprintf(`"%d"`, e.asked)}, {Cursor: fmt.Sprint(e.asked - 1), Tools: tools, Next: fmt.Sprintf(`"%d"`, e.asked)}}
	e.mu.Unlock()
	e.faultyHTTP.ServeHTTP(w, r)
}

func TestList_limitsEndAnEndlessListing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limits  mcp.Limits
		server  *endless
		message string
		most    int // requests
	}{
		{mcp.Limits{Pages: 20}, &endless{}, "more than 20 pages", 23},
		{mcp.Limits{Tools: 100}, &endless{tools: 10}, "more than 100 tools", 14},
		{mcp.Limits{Listing: 10 << 10}, &endless{tools: 1, pad: strings.Repeat("x", 1<<10)}, "larger than the limit of 10 KiB", 14},
	} {
		check(t, c.server, mcp.Options{Limits: c.limits}, want{code: mcp.CodeTooLarge, message: c.message})
		if c.server.asked > c.most {
			t.Errorf("%s: %d requests", c.message, c.server.asked)
		}
	}
}
