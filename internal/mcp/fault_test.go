package mcp_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// fault is one thing that goes wrong at one step.
type fault struct{ Step, Kind string }

// The steps of reaching a server.
var steps = []string{"start", "handshake", "first page", "second page", "end"}

// stepOf names the step that a call belongs to.
func (c *call) step() string {
	switch {
	case c.Method == "initialize" || c.Method == "server/discover":
		return "handshake"
	case c.Method == "tools/list" && c.Params.Cursor == nil:
		return "first page"
	case c.Method == "tools/list":
		return "second page"
	}
	return ""
}

// faultyMessage is the most that a message may hold in the matrix.
const faultyMessage = 64 << 10

var oversized = `{"jsonrpc":"2.0","id":1,"result":{"tools":[],"pad":"` + strings.Repeat("x", faultyMessage) + `"}}`

// variants turns an answer into the lines or events that a fault of the message makes of it; false: no such fault.
func variants(kind, answer string) ([]string, bool) {
	var c struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(answer), &c)
	switch kind {
	case "garbage":
		return []string{"It works!"}, true
	case "broken message":
		return []string{strings.Replace(answer, `"result":{`, `"result":{,`, 1)}, true
	case "oversized message":
		return []string{oversized}, true
	case "wrong id":
		return []string{strings.Replace(answer, `"id":`+string(c.ID), `"id":99`, 1)}, true
	case "error":
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"bad luck"}}`, c.ID)}, true
	case "unknown notification":
		return []string{`{"jsonrpc":"2.0","method":"notifications/odd","params":{"a":1}}`, answer}, true
	case "duplicate answer":
		return []string{answer, answer}, true
	case "null result":
		return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, c.ID)}, true
	}
	return nil, false
}

var messageFaults = []string{
	"garbage", "broken message", "oversized message", "wrong id", "error", "unknown notification", "duplicate answer", "null result",
}

// stdioFaults lists what is tried at a step over stdio.
func stdioFaults(step string) []string {
	switch step {
	case "start":
		return []string{"no such command", "close", "killed", "hang", "close stdout", "noise", "half message", "oversized message", "stderr flood"}
	case "end":
		return []string{"close", "hang", "orphan", "noise", "half message", "oversized message", "unknown notification", "stderr flood"}
	}
	return slices.Concat(messageFaults, []string{"close", "killed", "hang", "orphan", "close stdout", "noise", "half message", "stalled message", "slow bytes", "stderr flood"})
}

// fault makes the fault happen in a stdio server and tells whether that took the place of the answer.
func (s *scenario) fault(step, answer string, out io.Writer) bool {
	if s.Fault.Step != step {
		return false
	}
	if lines, ok := variants(s.Fault.Kind, answer); ok {
		for _, l := range lines {
			fmt.Fprintln(out, l)
		}
		return step != "start"
	}
	switch s.Fault.Kind {
	case "close":
		fmt.Fprintln(os.Stderr, "lost the database")
		os.Exit(3)
	case "killed":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	case "hang":
		ignoreTermination()
		if f := os.NewFile(3, "ready"); f != nil {
			_, _ = f.Write([]byte{1})
		}
		select {}
	case "orphan": // a grandchild keeps our pipes open when we are gone
		s.orphan()
		os.Exit(3)
	case "close stdout":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "noise":
		fmt.Fprint(out, "Server ready\n\n{\"level\":30}\n")
	case "half message":
		fmt.Fprint(out, (answer + oversized)[:20])
		os.Exit(3)
	case "stalled message":
		fmt.Fprint(out, answer[:20])
		time.Sleep(time.Hour)
	case "slow bytes":
		for _, b := range []byte(answer + "\n") {
			_, _ = out.Write([]byte{b})
			time.Sleep(100 * time.Microsecond)
		}
		return true
	case "stderr flood":
		for range 256 {
			fmt.Fprintln(os.Stderr, strings.Repeat("e", 1023))
		}
	}
	return false
}

// orphan starts a process that outlives us, ignoring SIGTERM and holding our output.
func (s *scenario) orphan() {
	exe, _ := os.Executable()
	text, _ := json.Marshal(scenario{PIDs: s.PIDs, Fault: fault{"start", "hang"}})
	cmd := exec.Command(exe)
	cmd.Env = []string{serverEnv + "=" + string(text)}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	r, w, _ := os.Pipe()
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	w.Close()
	_, _ = r.Read(make([]byte, 1)) // until it is up, ignoring signals
}

// httpFaults lists what is tried at a step over HTTP, with JSON or with streams.
func httpFaults(step string) []string {
	status := []string{"401", "403", "404", "429", "500", "503", "redirect elsewhere", "redirect within"}
	switch step {
	case "start":
		return []string{
			"refused", "close", "hang", "garbage", "half message", "oversized message", "unknown authority", "HTTP for HTTPS", "HTTPS for HTTP",
		}
	case "end":
		return slices.Concat(status, []string{"close", "hang", "garbage", "oversized message"})
	}
	return slices.Concat(messageFaults, status, []string{
		"close", "hang", "half message", "stalled message", "gzip", "gzip bomb", "slow bytes", "web page", "empty body", "202",
	})
}

// faultyHTTP plays a scenario over HTTP and makes its fault happen.
type faultyHTTP struct {
	scenario
	streams bool            // answers with event streams
	other   string          // URL of another origin
	done    <-chan struct{} // closed when the test ends

	mu sync.Mutex
	// Requests that arrived, by method: "initialize", "tools/list", "DELETE", "GET" …
	requests map[string]int
	headers  []http.Header
	sessions int
}

func (h *faultyHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	c := parseCall(body)
	step, method := c.step(), c.Method
	switch r.Method {
	case http.MethodDelete:
		step, method = "end", r.Method
	case http.MethodGet:
		method = r.Method
	}
	if h.requests == nil {
		h.requests = map[string]int{}
	}
	h.requests[method]++
	h.headers = append(h.headers, r.Header.Clone())
	if r.URL.Path == "/moved" { // the fault has led here
		step = ""
	}
	switch {
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case c.Method == "initialize":
		h.sessions++
		w.Header().Set("Mcp-Session-Id", fmt.Sprintf("session-%d", h.sessions))
	}
	answer := ""
	if c.ID != nil {
		answer = h.answer(&c)
	}
	if step != "" && h.Fault.Step == step && h.fault(w, r, answer) {
		return
	}
	h.write(w, c.ID != nil, answer)
}

// write sends an answer the way that this server does.
func (h *faultyHTTP) write(w http.ResponseWriter, isCall bool, messages ...string) {
	switch {
	case !isCall:
		w.WriteHeader(http.StatusAccepted)
	case h.streams:
		w.Header().Set("Content-Type", "text/event-stream")
		for _, m := range messages {
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", m)
		}
	default:
		w.Header().Set("Content-Type", "application/json")
		if len(messages) == 1 {
			io.WriteString(w, messages[0])
		} else {
			io.WriteString(w, "["+strings.Join(messages, ",")+"]")
		}
	}
}

// fault makes the fault happen and tells whether that took the place of the answer.
func (h *faultyHTTP) fault(w http.ResponseWriter, r *http.Request, answer string) bool {
	if messages, ok := variants(h.Fault.Kind, answer); ok {
		h.write(w, true, messages...)
		return true
	}
	switch kind := h.Fault.Kind; kind {
	case "401", "403", "404", "429", "500", "503":
		var status int
		fmt.Sscan(kind, &status)
		w.Header().Set("Retry-After", "0")
		http.Error(w, "sorry, "+r.Header.Get("Authorization"), status)
	case "202":
		w.WriteHeader(http.StatusAccepted)
	case "redirect elsewhere":
		http.Redirect(w, r, h.other, http.StatusTemporaryRedirect)
	case "redirect within":
		http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
	case "web page":
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>Please log in</title>")
	case "empty body":
		w.Header().Set("Content-Type", "application/json")
	case "gzip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		h.write(gzipped{w, z}, true, answer)
		z.Close()
	case "gzip bomb":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb())
	case "close", "hang", "half message", "stalled message", "slow bytes":
		h.raw(w, kind, answer)
	default:
		panic("no such fault: " + kind)
	}
	return true
}

type gzipped struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (g gzipped) Write(b []byte) (int, error) { return g.z.Write(b) }

// bomb unfolds to 64 MiB.
var bomb = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	block := bytes.Repeat([]byte("[1],"), 1<<18)
	z.Write([]byte("["))
	for range 64 {
		z.Write(block)
	}
	z.Close()
	return b.Bytes()
})

// raw writes to the connection itself.
func (h *faultyHTTP) raw(w http.ResponseWriter, kind, answer string) {
	kindOfBody := "application/json"
	body := answer
	if h.streams {
		kindOfBody = "text/event-stream"
		body = "data: " + answer + "\n\n"
	}
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	if kind == "close" {
		return
	}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nMcp-Session-Id: session-%d\r\nContent-Length: %d\r\n\r\n", kindOfBody, h.sessions, len(body))
	h.mu.Unlock() // others are served meanwhile
	defer h.mu.Lock()
	switch kind {
	case "hang":
		h.hold(conn)
	case "half message":
		io.WriteString(conn, head+body[:len(body)/2])
	case "stalled message":
		io.WriteString(conn, head+body[:len(body)/2])
		h.hold(conn)
	case "slow bytes":
		for _, b := range []byte(head + body) {
			conn.Write([]byte{b})
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// hold keeps a connection open until the client leaves or the test ends.
func (h *faultyHTTP) hold(conn net.Conn) {
	go func() {
		<-h.done
		conn.Close()
	}()
	_, _ = io.Copy(io.Discard, conn)
}

// faultyListener makes a fault happen before any HTTP is spoken.
func (f fault) listener(conn net.Conn, done <-chan struct{}) {
	defer conn.Close()
	_, _ = bufio.NewReader(conn).ReadString('\n')
	switch f.Kind {
	case "close":
	case "hang":
		go func() {
			<-done
			conn.Close()
		}()
		_, _ = io.Copy(io.Discard, conn)
	case "garbage":
		io.WriteString(conn, "SSH-2.0-OpenSSH_9.9\r\n")
	case "half message":
		io.WriteString(conn, "HTTP/1.1 20")
	case "oversized message":
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Long: ")
		for range 40 {
			if _, err := io.WriteString(conn, oversized); err != nil {
				return
			}
		}
	}
}
