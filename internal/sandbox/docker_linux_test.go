package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// engine is a double of the Docker engine: it knows one container and remembers what it was asked.
type engine struct {
	socket string
	mu     sync.Mutex
	asked  []string
}

func startEngine(t *testing.T) *engine {
	t.Helper()
	e := &engine{socket: filepath.Join(publicDir(t), "engine.sock")}
	l, err := net.Listen("unix", e.socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: e}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return e
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, r.Method+" "+r.URL.RequestURI())
	if r.Method == http.MethodGet && r.URL.Path == "/containers/json" {
		fmt.Fprint(w, `[{"Id":"c0ffee"}]`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "echo %s", body)
}

func (e *engine) requests() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

// anAccount is one that this process is.
func anAccount(t *testing.T) *account {
	return &account{uid: os.Getuid(), home: publicDir(t)}
}

func TestRelay_passesRequestsAndRemovesContainers(t *testing.T) {
	e := startEngine(t)
	r, err := openRelay(e.socket, anAccount(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := perm(t, r.path); got != 0o600 {
		t.Errorf("the relay's socket has mode %v", got)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", r.path) }}}
	resp, err := client.Post("http://docker/containers/create", "text/plain", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(resp.Body); string(body) != "echo body" {
		t.Errorf("answer %q", body)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	asked := e.requests()
	if n := len(asked); n != 3 || !strings.Contains(asked[1], r.label) || asked[2] != "DELETE /containers/c0ffee?force=1&v=1" {
		t.Errorf("the engine was asked %q", asked)
	}
	if _, err := net.Dial("unix", r.path); err == nil {
		t.Error("the relay still answers")
	}
}

func TestRelay_endsEachDirectionByItself(t *testing.T) {
	dir := publicDir(t)
	far, err := net.Listen("unix", filepath.Join(dir, "far"))
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	go func() { // answers only when it has read everything
		c, err := far.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		all, _ := io.ReadAll(c)
		fmt.Fprintf(c, "%d bytes\n", len(all))
	}()
	r, err := openRelay(filepath.Join(dir, "far"), anAccount(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.listen.Close()
	c, err := net.Dial("unix", r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write(make([]byte, 100_000))
	c.(*net.UnixConn).CloseWrite()
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "100000 bytes\n" {
		t.Errorf("%q, %v", line, err)
	}
}

func TestRelay_marksContainers(t *testing.T) {
	r := &relay{label: "L"}
	for _, c := range []struct{ args, want string }{
		{"docker run -i image", "docker run --label contractpin.server=L -i image"},
		{"docker --log-level error container create image run", "docker --log-level error container create --label contractpin.server=L image run"},
		{"docker exec box server", "docker exec box server"},
	} {
		if got := strings.Join(r.mark(strings.Fields(c.args)), " "); got != c.want {
			t.Errorf("%s became %s, want %s", c.args, got, c.want)
		}
	}
}

func TestPrepare_onlyDockerCommandsGetARelay(t *testing.T) {
	e := startEngine(t)
	for _, switched := range []bool{true, false} {
		w := newWorld(t, true, func(c *Config) { c.DockerServers, c.host.docker = switched, e.socket })
		for _, name := range []string{"docker", "podman"} {
			cmd := w.sh(`echo "$DOCKER_HOST" && ls -l "${DOCKER_HOST#unix://}"`)
			cmd.Args[0] = name
			out, _, _ := w.run(cmd)
			if got, want := strings.HasPrefix(out, "unix:///"), switched && name == "docker"; got != want {
				t.Errorf("docker-servers %v, %s: DOCKER_HOST is %q", switched, name, out)
			}
		}
	}
}

func TestPrepare_aDockerSocketThatCannotBeClosedIsAnError(t *testing.T) {
	e := startEngine(t)
	if err := os.Chmod(e.socket, 0o666); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, true, func(c *Config) { c.host.docker = e.socket })
	_, err := w.Prepare(context.Background(), w.sh("true"))
	if _, ok := errors.AsType[*Error](err); !ok {
		t.Errorf("error is %v", err)
	}
}
