package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// dockerLabel marks the containers that a server started, with the relay's own value.
const dockerLabel = "contractpin.server"

// relay hands one server's connections on to the Docker socket, from a socket that only its user can open.
type relay struct {
	path   string
	label  string
	docker string // the real socket
	listen net.Listener
	mu     sync.Mutex
	ended  bool
	conns  map[net.Conn]bool
}

// isDocker tells whether a command is docker's.
func isDocker(args []string) bool { return len(args) > 0 && filepath.Base(args[0]) == "docker" }

// openRelay listens in the user's home.
func openRelay(docker string, u *account) (*relay, error) {
	r := &relay{path: filepath.Join(u.home, "docker.sock"), label: rand.Text(), docker: docker, conns: map[net.Conn]bool{}}
	var err error
	if r.listen, err = net.Listen("unix", r.path); err != nil {
		return nil, err
	}
	if err := errors.Join(os.Chmod(r.path, 0o600), os.Chown(r.path, u.uid, u.uid)); err != nil {
		r.listen.Close()
		return nil, err
	}
	go r.serve()
	return r, nil
}

// mark adds the label to the first run or create among docker's arguments.
func (r *relay) mark(args []string) []string {
	at := slices.IndexFunc(args, func(a string) bool { return a == "run" || a == "create" })
	if at < 0 {
		return args
	}
	return slices.Insert(slices.Clone(args), at+1, "--label", dockerLabel+"="+r.label)
}

func (r *relay) serve() {
	for {
		c, err := r.listen.Accept()
		if err != nil {
			return
		}
		go r.hand(c)
	}
}

func (r *relay) hand(near net.Conn) {
	far, err := net.Dial("unix", r.docker)
	if err != nil {
		near.Close()
		return
	}
	if !r.keep(near, far) {
		return
	}
	defer r.drop(near, far)
	done := make(chan struct{})
	go func() {
		defer close(done)
		pour(far, near)
	}()
	pour(near, far)
	<-done
}

// pour copies one direction and passes its end on, since docker's streams are closed one half at a time.
func pour(to, from net.Conn) {
	io.Copy(to, from)
	if c, ok := to.(*net.UnixConn); ok {
		c.CloseWrite()
	}
}

func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		if r.ended {
			c.Close()
		} else {
			r.conns[c] = true
		}
	}
	return !r.ended
}

func (r *relay) drop(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		c.Close()
		delete(r.conns, c)
	}
}

// close ends the relay, then removes the containers that carry its label.
func (r *relay) close() error {
	r.listen.Close()
	r.mu.Lock()
	r.ended = true
	for c := range r.conns {
		c.Close()
	}
	r.mu.Unlock()
	return r.removeContainers()
}

func (r *relay) removeContainers() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", r.docker)
		},
	}}
	filters, _ := json.Marshal(map[string][]string{"label": {dockerLabel + "=" + r.label}})
	var found []struct{ ID string }
	if err := call(ctx, client, http.MethodGet, "/containers/json?all=1&filters="+url.QueryEscape(string(filters)), &found); err != nil {
		return err
	}
	var err error
	for _, c := range found {
		err = errors.Join(err, call(ctx, client, http.MethodDelete, "/containers/"+url.PathEscape(c.ID)+"?force=1&v=1", nil))
	}
	return err
}

// call speaks to the engine. A container that is gone, or going, is as good as removed.
func call(ctx context.Context, client *http.Client, method, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://docker"+path, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusConflict:
		return nil
	case resp.StatusCode >= 300:
		return fmt.Errorf("docker: %s %s: %s", method, path, resp.Status)
	case into == nil:
		return nil
	}
	return json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(into)
}
