package mcp_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// serverEnv makes the test binary run as a stdio server instead: its value is a scenario.
const serverEnv = "CONTRACTPIN_TEST_SERVER"

func TestMain(m *testing.M) {
	if text := os.Getenv(serverEnv); text != "" {
		var s scenario
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			panic(err)
		}
		s.stdio(os.Stdin, os.Stdout)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// scenario is what a test server does. The zero value lists three tools on two pages.
type scenario struct {
	Modern      bool     // speaks 2026-07-28 only
	Version     string   // that is chosen or supported; "" is a known one
	ListChanged bool     // advertises it
	Pages       []page   // nil: twoPages
	First       []page   // listed instead, the first time
	Changes     int      // number of list_changed, one after each last page
	Before      []string // lines on stdout before each answer
	Ask         []string // requests that have to be answered before tools/list is
	Expect      []string // substrings of those answers
	StringIDs   bool     // echoes ids as strings
	Odd         bool     // odd types in the answer to initialize
	Stderr      []string // lines on stderr at the start
	Exit        *int     // exit at once with this status
	Tell        []string // list these as tools too: variables, or "cwd"
	Fault       fault
	PIDs        string // file that the process ids of all that run are appended to

	listed int // complete listings so far
}

type page struct {
	Cursor string   // that this page answers; page 0 answers no cursor
	Tools  []string // names
	Next   string   // raw JSON; "" is absent
	Raw    string   // raw result instead
	Error  int      // JSON-RPC error instead
}

var twoPages = []page{
	{Tools: []string{"alpha", "beta"}, Next: `"p2"`},
	{Cursor: "p2", Tools: []string{"gamma"}},
}

// call is one message of the client's.
type call struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Cursor       *string
		Meta         map[string]any `json:"_meta"`
		ClientInfo   map[string]any
		Capabilities map[string]any
	}
}

func parseCall(text []byte) (c call) {
	_ = json.Unmarshal(text, &c)
	return c
}

// answer returns a response to a call.
func (s *scenario) answer(c *call) string {
	result, failure := s.result(c)
	id := string(c.ID)
	if s.StringIDs {
		id = `"` + id + `"`
	}
	if failure != "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, id, failure)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func (s *scenario) result(c *call) (result, failure string) {
	version, _ := c.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string)
	caps := fmt.Sprintf(`{"tools":{"listChanged":%t}}`, s.ListChanged)
	switch {
	case s.Modern && version != "2026-07-28":
		return "", `{"code":-32602,"message":"_meta names no version"}`
	case s.Modern && c.Method == "server/discover":
		return `{"resultType":"complete","supportedVersions":["` + cmp.Or(s.Version, "2026-07-28") + `"],"capabilities":` + caps + `}`, ""
	case !s.Modern && c.Method == "initialize" && s.Odd:
		return `{"protocolVersion":"2024-11-05","capabilities":{"tools":true,"logging":[]},"serverInfo":7}`, ""
	case !s.Modern && c.Method == "initialize":
		return `{"protocolVersion":"` + cmp.Or(s.Version, "2025-06-18") + `","capabilities":` + caps + `,"serverInfo":{"name":"t","version":"1"}}`, ""
	case c.Method == "tools/list":
		return s.list(c.Params.Cursor)
	}
	return "", `{"code":-32601,"message":"Method not found"}`
}

func (s *scenario) list(cursor *string) (result, failure string) {
	pages := s.Pages
	if pages == nil {
		pages = twoPages
	}
	if s.First != nil && s.listed == 0 {
		pages = s.First
	}
	i := 0
	if cursor != nil {
		i = 1 + slices.IndexFunc(pages[1:], func(p page) bool { return p.Cursor == *cursor })
		if i == 0 {
			return "", `{"code":-32602,"message":"unknown cursor"}`
		}
	}
	p := pages[i]
	switch {
	case p.Error != 0:
		return "", fmt.Sprintf(`{"code":%d,"message":"bad luck"}`, p.Error)
	case p.Raw != "":
		return p.Raw, ""
	}
	names := slices.Clone(p.Tools)
	for _, name := range s.Tell {
		if i > 0 {
			break // on the first page only
		}
		value, set := os.LookupEnv(name)
		if name == "cwd" {
			entries, _ := os.ReadDir(".")
			value, set = fmt.Sprint(len(entries)), true
		}
		if set {
			names = append(names, name+"="+value)
		}
	}
	var tools []string
	for _, n := range names {
		tools = append(tools, tool(n))
	}
	result = `{"tools":[` + strings.Join(tools, ",") + `]`
	if p.Next != "" {
		result += `,"nextCursor":` + p.Next
	} else {
		s.listed++
	}
	if s.Modern {
		result += `,"resultType":"complete","ttlMs":60000,"cacheScope":"public"`
	}
	return result + "}", ""
}

func tool(name string) string {
	return fmt.Sprintf(`{"name":%q,"description":"Does %s.","inputSchema":{"type":"object"}}`, name, name)
}

func (s *scenario) stdio(stdin io.Reader, stdout io.Writer) {
	if s.PIDs != "" {
		f, err := os.OpenFile(s.PIDs, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(f, os.Getpid())
		f.Close()
	}
	for _, l := range s.Stderr {
		fmt.Fprintln(os.Stderr, l)
	}
	if s.Exit != nil {
		os.Exit(*s.Exit)
	}
	s.fault("start", "", stdout)
	defer s.fault("end", `{"jsonrpc":"2.0","id":1,"result":{}}`, stdout)
	in := bufio.NewReader(stdin)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		c := parseCall(text)
		if c.ID == nil {
			continue
		}
		if c.Method == "tools/list" {
			s.ask(in, stdout)
		}
		for _, l := range s.Before {
			fmt.Fprintln(stdout, l)
		}
		listed := s.listed
		answer := s.answer(&c)
		if !s.fault(c.step(), answer, stdout) {
			fmt.Fprintln(stdout, answer)
		}
		if s.listed > listed && s.Changes > 0 {
			s.Changes--
			fmt.Fprintln(stdout, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
	}
}

// ask sends requests of the server's own and exits where an answer is not as expected.
func (s *scenario) ask(in *bufio.Reader, stdout io.Writer) {
	for i, method := range s.Ask {
		fmt.Fprintf(stdout, `{"jsonrpc":"2.0","id":"ask-%d","method":%q}`+"\n", i, method)
		answer, _ := in.ReadString('\n')
		if !strings.Contains(answer, s.Expect[i]) || !strings.Contains(answer, fmt.Sprintf(`"id":"ask-%d"`, i)) {
			fmt.Fprintln(os.Stderr, "unexpected answer", answer)
			os.Exit(7)
		}
	}
}
