package mcp_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
)

// serve plays a scenario over HTTP until the test ends.
func serve(t *testing.T, h http.Handler) *lock.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &lock.Server{Name: "s", Transport: lock.HTTP, URL: server.URL + "/mcp"}
}

func TestList_httpJoinsPagesInBothErasAndForms(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		for want, s := range map[string]scenario{"2025-06-18": {}, "2026-07-28": {Modern: true}, "2024-11-05": {Odd: true}} {
			l := mustList(t, serve(t, &faultyHTTP{scenario: s, streams: streams}), mcp.Options{Matches: anything})
			if names(l) != "alpha beta gamma" || l.Protocol != want {
				t.Errorf("%q over %s, want three tools over %s", names(l), l.Protocol, want)
			}
		}
	}
}

func TestList_httpSendsWhatEachEraAsksFor(t *testing.T) {
	t.Parallel()
	older := &faultyHTTP{}
	mustList(t, serve(t, older), mcp.Options{Matches: anything, Version: "1.2.3"})
	for i, want := range []struct{ version, session, method string }{
		{"", "", "initialize"},
		{"2025-06-18", "session-1", "notifications/initialized"},
		{"2025-06-18", "session-1", "tools/list"},
		{"2025-06-18", "session-1", "tools/list"},
		{"2025-06-18", "session-1", ""},
	} {
		h := older.headers[i]
		if h.Get("Mcp-Protocol-Version") != want.version || h.Get("Mcp-Session-Id") != want.session || h.Get("Mcp-Method") != want.method {
			t.Errorf("request %d: %v, want %v", i, h, want)
		}
		if h.Get("User-Agent") != "contractpin/1.2.3" {
			t.Errorf("user agent %q", h.Get("User-Agent"))
		}
	}
	if older.requests["DELETE"] != 1 || older.requests["GET"] != 0 {
		t.Errorf("%v, want one DELETE and no GET", older.requests)
	}

	newer := &faultyHTTP{scenario: scenario{Modern: true}}
	mustList(t, serve(t, newer), mcp.Options{Matches: anything, Protocol: "modern"})
	for i, method := range []string{"server/discover", "tools/list", "tools/list"} {
		if h := newer.headers[i]; h.Get("Mcp-Protocol-Version") != "2026-07-28" || h.Get("Mcp-Method") != method {
			t.Errorf("request %d: %v", i, h)
		}
	}
}

func TestList_httpSessionLostOnceStartsOverFromTheFirstPage(t *testing.T) {
	t.Parallel()
	h := &faultyHTTP{scenario: scenario{Fault: fault{"second page", "404"}}}
	once := &onceFaulty{faultyHTTP: h}
	if l := mustList(t, serve(t, once), mcp.Options{Matches: anything}); names(l) != "alpha beta gamma" {
		t.Error(names(l))
	}
	if h.requests["initialize"] != 2 || h.requests["tools/list"] != 4 || h.requests["DELETE"] != 1 {
		t.Errorf("%v, want two sessions, each page twice, and only the second session deleted", h.requests)
	}
	for i, session := range []string{"", "session-1", "session-1", "session-1", "", "session-2"} {
		if got := h.headers[i].Get("Mcp-Session-Id"); got != session {
			t.Errorf("request %d carries session %q, want %q", i, got, session)
		}
	}
}

// onceFaulty is well again after its fault has shown once.
type onceFaulty struct {
	*faultyHTTP
}

func (o *onceFaulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &statusRecorder{ResponseWriter: w}
	o.faultyHTTP.ServeHTTP(rec, r)
	if rec.status >= 400 && r.Method == http.MethodPost {
		o.mu.Lock()
		o.Fault = fault{}
		o.mu.Unlock()
	}
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (s *statusRecorder) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func TestList_http401IsToldAtOnce(t *testing.T) {
	t.Parallel()
	h := &faultyHTTP{scenario: scenario{Fault: fault{"handshake", "401"}}}
	e := mustFail(t, serve(t, h), mcp.Options{}, mcp.Unreachable, mcp.CodeAuthentication)
	if !strings.Contains(e.Message, "401") || !strings.Contains(e.Message, "authentication") || !strings.Contains(e.Hint, "--header") {
		t.Errorf("%q, hint %q", e.Message, e.Hint)
	}
	if len(h.headers) != 1 {
		t.Errorf("%v, want one request", h.requests)
	}
}

func TestList_http429IsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"429", "503"} {
		h := &faultyHTTP{scenario: scenario{Fault: fault{"first page", status}}}
		mustList(t, serve(t, &onceFaulty{faultyHTTP: h}), mcp.Options{Matches: anything})
		if h.requests["tools/list"] != 3 {
			t.Errorf("%v, want three tools/list", h.requests)
		}
	}
}

func TestList_retryAfterBeyondTheDeadlineIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	e := mustFail(t, s, mcp.Options{}, mcp.Unreachable, mcp.CodeHTTPStatus)
	if !strings.Contains(e.Message, "429") {
		t.Error(e.Message)
	}
}

func TestList_headersStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	other := &faultyHTTP{}
	elsewhere := serve(t, other)
	for _, step := range []string{"handshake", "first page", "end"} {
		h := &faultyHTTP{scenario: scenario{Fault: fault{step, "redirect elsewhere"}}, other: elsewhere.URL}
		s := serve(t, h)
		_, err := mcp.List(t.Context(), s, mcp.Options{Matches: anything, Headers: http.Header{"X-Api-Key": {"not-a-secret"}}})
		if step != "end" && (err == nil || !strings.Contains(err.Error(), "from "+s.URL[:len(s.URL)-4]+" to "+elsewhere.URL[:len(elsewhere.URL)-4])) {
			t.Errorf("%s: %v", step, err)
		}
		if h.headers[0].Get("X-Api-Key") != "not-a-secret" {
			t.Error("the header did not reach its own server")
		}
	}
	if len(other.headers) != 0 {
		t.Errorf("the other origin was asked: %v", other.requests)
	}
}

func TestList_emptyHeaderIsNotSent(t *testing.T) {
	t.Parallel()
	h := &faultyHTTP{}
	l := mustList(t, serve(t, h), mcp.Options{Matches: anything, Headers: http.Header{"X-Empty": {" "}, "X-Line": {"v\n"}}})
	if _, sent := h.headers[0]["X-Empty"]; sent || h.headers[0].Get("X-Line") != "v" {
		t.Errorf("%v", h.headers[0])
	}
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "X-Empty") {
		t.Errorf("%q", l.Warnings)
	}
	e := mustFail(t, serve(t, h), mcp.Options{Headers: http.Header{"X-Odd": {"not-a\nsecret"}}}, mcp.Unreachable, mcp.CodeBadHeader)
	if strings.Contains(e.Message, "secret") {
		t.Error(e.Message)
	}
}

func TestList_connectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		var opened atomic.Int32
		server := httptest.NewUnstartedServer(&faultyHTTP{streams: streams})
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				opened.Add(1)
			}
		}
		server.Start()
		mustList(t, &lock.Server{Name: "s", Transport: lock.HTTP, URL: server.URL}, mcp.Options{Matches: anything})
		server.Close()
		// A stream's end may come after the next request has been sent: then a second connection is opened.
		if n := opened.Load(); n > 2 {
			t.Errorf("streams %v: %d connections for five requests", streams, n)
		}
	}
}

func TestList_urlReferenceIsNeverShown(t *testing.T) {
	t.Parallel()
	lookup := func(string) (string, bool) { return "not-a-secret", true }
	for _, url := range []string{
		"http://127.0.0.1:1/${KEY}", "http://127.0.0.1:1/%zz${KEY}", "ftp://example.com/${KEY}", "http://[::1/${KEY}", "http://127.0.0.1:1/?k=${KEY}",
	} {
		s := &lock.Server{Name: "s", Transport: lock.HTTP, URL: url}
		_, err := mcp.List(t.Context(), s, mcp.Options{Lookup: lookup})
		if err == nil || strings.Contains(err.Error(), "not-a-secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestList_refusedConnectionToLocalhostHints(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	s := &lock.Server{Name: "s", Transport: lock.HTTP, URL: "http://" + l.Addr().String()}
	e := mustFail(t, s, mcp.Options{}, mcp.Unreachable, mcp.CodeConnection)
	if !strings.Contains(e.Message, "connection refused by 127.0.0.1:") || !strings.Contains(e.Hint, "container") {
		t.Errorf("%q, hint %q", e.Message, e.Hint)
	}
}

func TestList_errorBodyIsQuotedWithoutOurHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t, &faultyHTTP{scenario: scenario{Fault: fault{"first page", "500"}}})
	e := mustFail(t, s, mcp.Options{Headers: http.Header{"Authorization": {"Bearer not-a-secret"}}}, mcp.Unreachable, mcp.CodeHTTPStatus)
	if e.Message != "HTTP 500 Internal Server Error: sorry, ***" {
		t.Error(e.Message)
	}
}

// olderSSE speaks the transport of 2024-11-05.
type olderSSE struct {
	scenario
	Endpoint string // "" is the right one
	Status   int    // of the stream; 0 is 200

	mu      sync.Mutex
	stream  chan string
	methods []string
}

func (o *olderSSE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && o.Status != 0 {
		w.WriteHeader(o.Status)
		return
	}
	if r.Method == http.MethodGet {
		o.mu.Lock()
		o.stream = make(chan string, 16)
		stream := o.stream
		o.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		endpoint := o.Endpoint
		if endpoint == "" {
			endpoint = "/messages?session=1"
		}
		fmt.Fprintf(w, "event: endpoint\ndata: %s\n\n", endpoint)
		for {
			w.(http.Flusher).Flush()
			select {
			case m := <-stream:
				fmt.Fprintf(w, "event: message\ndata: %s\n\n", m)
			case <-r.Context().Done():
				return
			}
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if r.URL.Path != "/messages" {
		http.Error(w, "Cannot POST", http.StatusNotFound)
		return
	}
	body, _ := io.ReadAll(r.Body)
	c := parseCall(body)
	o.methods = append(o.methods, c.Method)
	w.WriteHeader(http.StatusAccepted)
	if c.ID != nil {
		o.stream <- o.answer(&c)
	}
}

func TestList_olderSSEIsSpokenWhereNothingElseIs(t *testing.T) {
	t.Parallel()
	o := &olderSSE{}
	if l := mustList(t, serve(t, o), mcp.Options{Matches: anything}); names(l) != "alpha beta gamma" {
		t.Error(names(l))
	}
	if got := strings.Join(o.methods, " "); got != "initialize notifications/initialized tools/list tools/list" {
		t.Error(got)
	}
}

func TestList_olderSSEEndpointElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	other := &faultyHTTP{}
	elsewhere := serve(t, other)
	mustFail(t, serve(t, &olderSSE{Endpoint: elsewhere.URL}), mcp.Options{}, mcp.Unreachable, mcp.CodeRedirect)
	if len(other.headers) != 0 {
		t.Error("the other origin was asked")
	}
}

func TestList_noFormOfHTTPTellsTheFirstStatus(t *testing.T) {
	t.Parallel()
	mustFail(t, serve(t, &olderSSE{Status: 401}), mcp.Options{}, mcp.Unreachable, mcp.CodeAuthentication)
	e := mustFail(t, serve(t, &olderSSE{Status: 405}), mcp.Options{}, mcp.Unreachable, mcp.CodeHTTPStatus)
	if !strings.HasPrefix(e.Message, "HTTP 404 Not Found: Cannot POST") {
		t.Error(e.Message)
	}
}

func TestList_brokenOffStreamIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	h := &faultyHTTP{streams: true}
	var pending, resumed string
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet:
			resumed = r.Header.Get("Last-Event-ID")
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", pending)
		case r.Header.Get("Mcp-Method") == "tools/list" && pending == "":
			body, _ := io.ReadAll(r.Body)
			c := parseCall(body)
			pending = h.answer(&c)
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "id: e1\nretry: 1\ndata:\n\n")
		default:
			h.ServeHTTP(w, r)
		}
	}))
	if l := mustList(t, s, mcp.Options{Matches: anything}); names(l) != "alpha beta gamma" || resumed != "e1" {
		t.Errorf("%s, resumed after %q", names(l), resumed)
	}
}

func TestList_requestsInStreamsAreAnswered(t *testing.T) {
	t.Parallel()
	h := &faultyHTTP{streams: true}
	answered := make(chan string, 1)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") != "tools/list" && r.Header.Get("Mcp-Method") != "" || r.Method != http.MethodPost {
			h.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		c := parseCall(body)
		if c.Method == "" {
			answered <- string(body)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"roots/list\"}\n\n")
		w.(http.Flusher).Flush()
		if got := <-answered; got != `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"method not found"}}` {
			t.Error(got)
		}
		fmt.Fprintf(w, "data: %s\n\n", h.answer(&c))
	}))
	if l := mustList(t, s, mcp.Options{Matches: anything}); names(l) != "alpha beta gamma" {
		t.Error(names(l))
	}
}
