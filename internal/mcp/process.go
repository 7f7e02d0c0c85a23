package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contractpin/verify/internal/pattern"
)

// process is a started stdio server with everything that it may have started in turn.
type process struct {
	cmd                   *exec.Cmd
	stdin, stdout, stderr *os.File // our ends
	tail                  tail
	group                 group
	grace                 time.Duration // Limits.Shutdown
	cleanup               func()        // what Prepare returned; may be nil

	exited   chan struct{} // closed when the direct child has been reaped
	drained  chan struct{} // closed at the end of stderr
	ending   atomic.Bool   // we have begun to end it
	ownExit  atomic.Bool   // it exited before we did
	unblock1 sync.Once
	end1     sync.Once
}

// startProcess starts cmd. Whatever cmd's Stdin, Stdout and Stderr were is replaced.
func startProcess(ctx context.Context, cmd *exec.Cmd, o *Options) (*process, error) {
	p := &process{
		cmd: cmd, grace: o.Shutdown, tail: tail{most: o.Stderr},
		exited: make(chan struct{}), drained: make(chan struct{}),
	}
	theirs, err := p.pipes()
	defer closeAll(theirs)
	if err != nil {
		return nil, &Error{Kind: Unreachable, Code: CodeStart, Message: err.Error()}
	}
	p.group.prepare(cmd)
	if o.Prepare != nil {
		if p.cleanup, err = o.Prepare(ctx, cmd); err != nil {
			p.discard()
			return nil, prepareError(err)
		}
	}
	if err := cmd.Start(); err != nil {
		p.discard()
		return nil, startError(cmd, err)
	}
	p.group.started(cmd)
	go p.wait()
	go func() {
		defer close(p.drained)
		p.tail.readFrom(p.stderr)
	}()
	return p, nil
}

// pipes connects cmd to us and returns the child's ends, which are ours to close once it has started. All six are plain
// files, so that cmd.Wait waits for the process and not for whoever still holds a pipe of it.
func (p *process) pipes() (theirs []*os.File, err error) {
	for _, end := range []struct {
		ours   **os.File
		writer bool
		theirs func(*os.File)
	}{
		{&p.stdin, true, func(f *os.File) { p.cmd.Stdin = f }},
		{&p.stdout, false, func(f *os.File) { p.cmd.Stdout = f }},
		{&p.stderr, false, func(f *os.File) { p.cmd.Stderr = f }},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll([]*os.File{p.stdin, p.stdout, p.stderr})
			return theirs, err
		}
		if end.writer {
			r, w = w, r
		}
		*end.ours = r
		end.theirs(w)
		theirs = append(theirs, w)
	}
	return theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// discard gives up a process that was never started.
func (p *process) discard() {
	closeAll([]*os.File{p.stdin, p.stdout, p.stderr})
	p.group.close()
	if p.cleanup != nil {
		p.cleanup()
	}
}

func prepareError(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Unreachable, Code: CodeStart, Message: err.Error()}
}

func startError(cmd *exec.Cmd, err error) error {
	return &Error{Kind: Unreachable, Code: CodeStart, Message: fmt.Sprintf("could not start %s: %s", quote(cmd.Path), line(err.Error()))}
}

// wait reaps the direct child. Where it ends by itself, what it leaves behind is ended with it: a grandchild that holds
// our pipe would otherwise keep us waiting for an answer that nobody is going to write.
func (p *process) wait() {
	_ = p.cmd.Wait() // the state says it all
	if !p.ending.Load() {
		p.ownExit.Store(true)
		p.group.kill()
	}
	close(p.exited)
}

// awaitOwnExit gives a process whose pipe broke the time to exit, which usually takes none.
func (p *process) awaitOwnExit() { p.gone(p.grace/2, false) }

// unblock makes reads and writes return, for good.
func (p *process) unblock() {
	p.unblock1.Do(func() {
		p.stdin.Close()
		p.interruptRead()
	})
}

// end ends the whole group: end of input first, then SIGTERM, then SIGKILL, within the grace period. It returns when
// all of it is gone, at once where there is nothing left to wait for.
func (p *process) end() {
	p.end1.Do(func() {
		p.ending.Store(true)
		strays := p.group.strays(p.cmd) // while their parents are there to tell of them
		p.stdin.Close()
		// A server that only listed has nothing to save, and everybody waits for the slowest to go.
		if !p.gone(p.grace/40, true) {
			strays = append(strays, p.group.strays(p.cmd)...)
			p.group.terminate()
			if !p.gone(p.grace/2, true) {
				p.group.kill()
				p.gone(p.grace/4, true) // the rest of the group dies a moment after its leader
			}
		}
		strays.kill()
		if p.cleanup != nil {
			p.cleanup()
			p.gone(p.grace/4, false) // it may have ended what we could not
		}
		select {
		case <-p.drained:
		case <-time.After(p.grace / 8): // somebody outside the group holds it
		}
		p.stderr.Close()
		p.unblock()
		p.stdout.Close()
		p.group.close()
	})
}

// gone waits for the direct child, and if all for the group too, and tells whether they are.
func (p *process) gone(within time.Duration, all bool) bool {
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case <-p.exited:
	case <-limit.C:
		return false
	}
	for all && p.group.alive() {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-limit.C:
			return false
		}
	}
	return true
}

// exit says how the process ended by itself, with the last telling line of its stderr, or "" when it did not.
func (p *process) exit() string {
	if !p.ownExit.Load() {
		return ""
	}
	status := p.cmd.ProcessState.String()
	if last := p.tail.lastLine(); last != "" {
		return status + ": " + last
	}
	return status + " before it had answered, with nothing on stderr"
}

// tail keeps the end of a stream.
type tail struct {
	mu   sync.Mutex
	most int
	kept []byte
}

func (t *tail) readFrom(f *os.File) {
	buf := make([]byte, 8<<10)
	for {
		n, err := f.Read(buf)
		t.add(buf[:n])
		if err != nil {
			return
		}
	}
}

func (t *tail) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - t.most; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// endings are lines that runtimes add below what tells the cause: stack frames, their version, where a log is.
var endings = pattern.Lazy(`^(\s+at .*|Node\.js v[0-9.]+|[{}\s]*|npm (error|ERR!)( A complete log of this run .*|\s+/.*-debug-.*\.log)?)$`)

// lastLine is the last line that tells something.
func (t *tail) lastLine() string {
	all := strings.Split(strings.ReplaceAll(t.String(), "\r", ""), "\n")
	for _, l := range slices.Backward(all) {
		if !endings().MatchString(l) {
			return line(l)
		}
	}
	return ""
}
