package mcp_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
)

var update = flag.Bool("update", false, "rewrite docs/faults.md")

var quiet = log.New(io.Discard, "", 0)

const faultsPage = "../../docs/faults.md"

// transports of the matrix.
var transports = []string{"stdio", "HTTP with JSON", "HTTP with streams"}

// cell is one fault at one step of one transport, and what came of it.
type cell struct {
	transport string
	fault
	outcome string // "match", or kind and code
	problem string // what must never be, whatever the outcome
}

func matrix() []*cell {
	var cells []*cell
	for _, t := range transports {
		for _, step := range steps {
			kinds := httpFaults(step)
			if t == "stdio" {
				kinds = stdioFaults(step)
			}
			for _, k := range kinds {
				cells = append(cells, &cell{transport: t, fault: fault{step, k}})
			}
		}
	}
	return cells
}

// TestFaultMatrix lists a server that goes wrong in every way at every step, each beside one that is well, and holds the
// outcomes against docs/faults.md. Afterwards nothing may be left of any of them.
func TestFaultMatrix(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	bomb() // which takes long to make, and no cell shall wait for it
	well := httptest.NewServer(&faultyHTTP{})
	other := httptest.NewServer(&faultyHTTP{})
	cells := matrix()
	goroutines, files := runtime.NumGoroutine(), openFiles()

	var wg sync.WaitGroup
	atOnce := make(chan struct{}, 12)
	for _, c := range cells {
		wg.Add(1)
		atOnce <- struct{}{}
		go func() {
			defer func() { <-atOnce; wg.Done() }()
			c.run(t, well.URL, other.URL)
		}()
	}
	wg.Wait()

	for _, c := range cells {
		if c.problem != "" {
			t.Errorf("%s, %s, %s: %s", c.transport, c.Step, c.Kind, c.problem)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	eventually(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
	eventually(t, "file descriptors are left", func() bool { return openFiles() <= files })
	if left, _ := filepath.Glob(filepath.Join(temp, "contractpin*")); len(left) > 0 {
		t.Errorf("temporary files are left: %q", left)
	}
	well.Close()
	other.Close()

	got := faultsTable(cells)
	if *update {
		if err := os.WriteFile(faultsPage, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(faultsPage)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("docs/faults.md tells otherwise; go test ./internal/mcp -run FaultMatrix -update rewrites it:\n%s", lineDiff(string(want), got))
	}
}

// eventually waits for what the runtime and the kernel do a moment later than we.
func eventually(t *testing.T, complaint string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%s:\n%s", complaint, buf[:runtime.Stack(buf, true)])
}

// hanging are the faults that only the time limit ends.
var hanging = []string{"hang", "stalled message", "garbage", "wrong id"}

func (c *cell) run(t *testing.T, well, other string) {
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	s, done := c.server(t, pids, other)
	defer done()
	o := mcp.Options{Dir: dir, Matches: anything, Headers: http.Header{"Authorization": {"Bearer not-a-secret-1"}}}
	o.Limits = mcp.Limits{Timeout: time.Minute, Message: faultyMessage, Shutdown: 1600 * time.Millisecond}
	if slices.Contains(hanging, c.Kind) && c.Step != "end" { // where the listing is complete
		o.Timeout = 4 * time.Second // a loaded machine must get as far as the fault
	}
	neighbour := make(chan string, 1)
	go func() {
		l, err := mcp.List(t.Context(), &lock.Server{Name: "well", Transport: lock.HTTP, URL: well}, mcp.Options{Matches: anything})
		if err != nil {
			neighbour <- err.Error()
			return
		}
		neighbour <- names(l)
	}()
	began := time.Now()
	l, err := mcp.List(t.Context(), s, o)
	took := time.Since(began)
	c.judge(l, err)
	if n := <-neighbour; n != "alpha beta gamma" {
		c.problem = "the other server came to " + n
	}
	if most := o.Timeout + o.Shutdown + 10*time.Second; took > most {
		c.problem = fmt.Sprintf("took %s, more than %s", took, most)
	}
	for _, pid := range readPIDs(pids) {
		if isRunning(pid) {
			c.problem = fmt.Sprintf("process %d is left", pid)
		}
	}
}

func readPIDs(path string) (pids []int) {
	data, _ := os.ReadFile(path)
	for _, field := range strings.Fields(string(data)) {
		var pid int
		fmt.Sscan(field, &pid)
		pids = append(pids, pid)
	}
	return pids
}

// judge notes the outcome, and whatever is wrong with it whichever it is.
func (c *cell) judge(l *mcp.Listed, err error) {
	if err == nil {
		c.outcome = "match"
		if names(l) != "alpha beta gamma" {
			c.problem = "took " + names(l) + " for the listing"
		}
		return
	}
	var e *mcp.Error
	if !errors.As(err, &e) {
		c.problem = fmt.Sprintf("%T is no *mcp.Error", err)
		return
	}
	c.outcome = e.Kind + ": " + e.Code
	switch {
	case strings.ContainsAny(e.Message, "\n\r") || e.Message == "":
		c.problem = fmt.Sprintf("message %q is not one line", e.Message)
	case strings.Contains(e.Message+e.Hint+strings.Join(e.Warnings, ""), "not-a-secret"):
		c.problem = "a header is shown"
	case e.Code == mcp.CodeTimeout && !slices.Contains(hanging, c.Kind):
		c.problem = "only the time limit ended it"
	}
}

// server sets the faulty server up. done ends what List is not in charge of.
func (c *cell) server(t *testing.T, pids, other string) (s *lock.Server, done func()) {
	switch {
	case c.transport == "stdio" && c.Kind == "no such command":
		return &lock.Server{Name: "s", Transport: lock.Stdio, Command: []string{"no-such-runtime-xyz"}}, func() {}
	case c.transport == "stdio":
		s := stdioServer(t, scenario{Fault: c.fault, PIDs: pids})
		npx := filepath.Join(filepath.Dir(pids), "npx") // so that it starts in a temporary folder
		if err := os.Link(s.Command[0], npx); err == nil || os.Symlink(s.Command[0], npx) == nil {
			s.Command[0] = npx
		}
		return s, func() {}
	case c.Step == "start":
		return c.connectServer()
	}
	end := make(chan struct{})
	h := &faultyHTTP{scenario: scenario{Fault: c.fault}, streams: c.transport == transports[2], other: other, done: end}
	server := httptest.NewServer(h)
	return &lock.Server{Name: "s", Transport: lock.HTTP, URL: server.URL}, func() {
		close(end)
		server.Close()
	}
}

// connectServer goes wrong before HTTP is spoken.
func (c *cell) connectServer() (*lock.Server, func()) {
	s := &lock.Server{Name: "s", Transport: lock.HTTP}
	switch c.Kind {
	case "unknown authority", "HTTPS for HTTP":
		server := httptest.NewUnstartedServer(&faultyHTTP{})
		server.Config.ErrorLog = quiet
		server.StartTLS()
		s.URL = server.URL
		if c.Kind == "HTTPS for HTTP" {
			s.URL = strings.Replace(s.URL, "https", "http", 1)
		}
		return s, server.Close
	case "HTTP for HTTPS":
		server := httptest.NewServer(&faultyHTTP{})
		s.URL = strings.Replace(server.URL, "http", "https", 1)
		return s, server.Close
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s.URL = "http://" + l.Addr().String()
	end := make(chan struct{})
	var wg sync.WaitGroup
	if c.Kind == "refused" {
		l.Close()
	}
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { c.listener(conn, end) })
		}
	})
	return s, func() {
		close(end)
		l.Close()
		wg.Wait()
	}
}

// faultsTable renders the matrix as docs/faults.md.
func faultsTable(cells []*cell) string {
	var b strings.Builder
	counts := map[string]int{}
	for _, c := range cells {
		counts[strings.Split(c.outcome, ":")[0]]++
	}
	fmt.Fprintf(&b, `# What goes wrong, and what comes of it

Every cell is a server that goes wrong in one way at one step while it is listed. In each of them another server is
listed at the same time and matches, the outcome comes within the time limit, and no process, file descriptor, goroutine
or temporary file is left. %d cells: %d unreachable, %d malformed, %d match (what went wrong does not touch the listing).

`+"`go test ./internal/mcp -run FaultMatrix -update` writes this page; without `-update` the test fails when it is out of date.\n",
		len(cells), counts[mcp.Unreachable], counts[mcp.Malformed], counts["match"])
	for _, t := range transports {
		fmt.Fprintf(&b, "\n## Over %s\n\n| | %s |\n|---|%s\n", t, strings.Join(steps, " | "), strings.Repeat("---|", len(steps)))
		var kinds []string
		outcomes := map[fault]string{}
		for _, c := range cells {
			if c.transport != t {
				continue
			}
			outcomes[c.fault] = c.outcome
			if !slices.Contains(kinds, c.Kind) {
				kinds = append(kinds, c.Kind)
			}
		}
		slices.Sort(kinds)
		for _, k := range kinds {
			fmt.Fprintf(&b, "| %s |", k)
			for _, step := range steps {
				fmt.Fprintf(&b, " %s |", outcomes[fault{step, k}])
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// lineDiff shows the lines that differ.
func lineDiff(want, got string) string {
	var b strings.Builder
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, c string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			c = g[i]
		}
		if a != c {
			fmt.Fprintf(&b, "-%s\n+%s\n", a, c)
		}
	}
	return b.String()
}
