package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"contractpin": main,
		"fakeserver":  func() { os.Exit(fakeServer(os.Args[1:])) },
		"npx":         func() { os.Exit(fakeServer(os.Args[1:])) }, // a package runner by its name
		"wrapper":     func() { os.Exit(wrapper(os.Args[1:])) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               serveHTTP,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "ascii": ascii, "holds": holds, "expand": expand,
		},
	})
}

// exits runs a command that must exit with exactly that code: exits CODE COMMAND ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		if got, err = strconv.Atoi(strings.TrimPrefix(err.Error(), "exit status ")); err != nil {
			ts.Fatalf("%v", err)
		}
	}
	if (got == want) == neg {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// ascii checks that files (stdout and stderr among them) hold printable ASCII, line feeds and tabs alone.
func ascii(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		for i, c := range []byte(ts.ReadFile(name)) {
			if c != '\n' && c != '\t' && (c < ' ' || c > '~') {
				ts.Fatalf("%s: byte %#x at %d", name, c, i)
			}
		}
	}
}

// holds checks that a file (or stdout) holds a text and nothing else, not even a line end: holds FILE TEXT.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if got := ts.ReadFile(args[0]); got != args[1] {
		ts.Fatalf("%s holds %q, want %q", args[0], got, args[1])
	}
}

// expand writes a file with $NAME replaced and "@{" turned into "${": expand FROM TO.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.ReplaceAll(text, "@{", "${")), 0o644))
}

// serveHTTP gives a script $URL, an MCP server over HTTP that lists the script's http.json, echoes the Authorization
// header in an error, and wants the one that http.auth holds, if that is there.
func serveHTTP(env *testscript.Env) error {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		if want, err := os.ReadFile(env.WorkDir + "/http.auth"); err == nil && auth != strings.TrimSpace(string(want)) {
			http.Error(w, "no entry with "+auth, http.StatusUnauthorized)
			return
		}
		body, _ := io.ReadAll(r.Body)
		answer := answer(body, func() string { return text(env.WorkDir + "/http.json") })
		if answer == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answer)
	}))
	env.Setenv("URL", s.URL+"/mcp")
	env.Defer(s.Close)
	return nil
}

// answer answers one JSON-RPC message as an MCP server with tools would; a notification gets none.
func answer(message []byte, listing func() string) string {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ ProtocolVersion string }
	}
	json.Unmarshal(message, &m)
	switch {
	case m.ID == nil:
		return ""
	case m.Method == "initialize":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}}`,
			m.ID, m.Params.ProtocolVersion)
	case m.Method == "tools/list":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.ReplaceAll(listing(), "\n", " "))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
}

func text(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// fakeServer is a stdio server that lists a file.
func fakeServer(args []string) int {
	f := flag.NewFlagSet("fakeserver", flag.ContinueOnError)
	exit := f.Int("exit", -1, "exit at once with this code")
	say := f.String("stderr", "", "write this to stderr first, with the variable of -need for SECRET")
	need := f.String("need", "", "exit 1 unless this variable is set; its value replaces SECRET in the listing")
	hang := f.Bool("hang", false, "answer nothing")
	stubborn := f.Bool("stubborn", false, "ignore SIGTERM and the end of input")
	pids := f.String("pids", "", "append our process id to this file")
	second := f.String("second", "", "list this file from the second launch on; launches are counted in FILE.launches")
	shows := f.String("shows", "", "replace CONDITION in the listing by this: cwd, home, zone or moment")
	if err := f.Parse(args); err != nil {
		return 3
	}
	if *stubborn {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	if *pids != "" {
		f := appendLine(*pids, strconv.Itoa(os.Getpid()))
		defer f.Close() // held open while this server lives
	}
	if *say != "" {
		value := os.Getenv(*need)
		fmt.Fprintln(os.Stderr, strings.NewReplacer("SECRET", value, "BASE64", base64.StdEncoding.EncodeToString([]byte("me:"+value))).Replace(*say))
	}
	if *need != "" && os.Getenv(*need) == "" {
		fmt.Fprintln(os.Stderr, *need+" is not set")
		return 1
	}
	if *exit >= 0 {
		return *exit
	}
	file := f.Arg(0)
	if *second != "" {
		appendLine(file+".launches", "x").Close()
		if strings.Count(text(file+".launches"), "x") > 1 {
			file = *second
		}
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && !*stubborn {
			return 0
		}
		if err != nil || *hang {
			select {} // until killed
		}
		if a := answer(line, func() string {
			return strings.NewReplacer("SECRET", os.Getenv(*need), "CONDITION", condition(*shows)).Replace(text(file))
		}); a != "" {
			fmt.Println(a)
		}
	}
}

// condition is what a careless server puts into its descriptions.
func condition(name string) string {
	switch name {
	case "cwd":
		dir, _ := os.Getwd()
		return strings.Trim(strconv.Quote(dir), `"`)
	case "home":
		return os.Getenv("HOME")
	case "zone":
		return os.Getenv("TZ")
	case "moment":
		return strconv.FormatInt(time.Now().UnixNano(), 10)
	}
	return name
}

func appendLine(path, line string) *os.File {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, line)
	return f
}
