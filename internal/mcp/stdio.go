package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// stdioWire speaks newline-delimited JSON-RPC with a process. go-sdk's CommandTransport ends at the first line that is
// no JSON-RPC, kills only the direct child, and tells neither exit status nor stderr.
type stdioWire struct {
	p     *process
	out   *bufio.Reader
	most  int64 // bytes of one line
	queue []*message
	noise noise

	writing sync.Mutex // lines are written whole
}

// noise counts what stood on stdout without being JSON-RPC.
type noise struct {
	mu    sync.Mutex
	lines int
	first string
}

func newStdioWire(p *process, most int64) *stdioWire {
	return &stdioWire{p: p, out: bufio.NewReaderSize(p.stdout, 64<<10), most: most}
}

func (w *stdioWire) send(_ context.Context, m outgoing) error {
	if err := w.write(m.data); err != nil {
		return w.ended(err)
	}
	return nil
}

func (w *stdioWire) reply(data []byte) {
	// A server that does not read its answer is found out when it does not answer in turn.
	_ = w.write(data)
}

func (w *stdioWire) write(data []byte) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	_, err := w.p.stdin.Write(append(data, '\n'))
	return err
}

// recv returns the next message and skips whatever else stands on stdout.
func (w *stdioWire) recv() (*message, error) {
	for {
		if len(w.queue) > 0 {
			m := w.queue[0]
			w.queue = w.queue[1:]
			return m, nil
		}
		text, whole, err := readLine(w.out, w.most)
		if err != nil {
			return nil, w.ended(err)
		}
		messages, err := decode(text)
		if !whole && err != nil {
			return nil, w.ended(io.EOF) // it ended in the middle of a message
		}
		if errors.Is(err, errNoise) {
			w.noise.add(text)
			continue
		}
		if err != nil {
			return nil, err
		}
		w.queue = messages
	}
}

// ended waits for the exit that usually follows the end of a pipe, so that its status can be told.
func (w *stdioWire) ended(err error) error {
	var large *tooLargeError
	switch {
	case errors.As(err, &large):
		return err
	case errors.Is(err, os.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded): // our own doing
	default:
		w.p.awaitOwnExit()
	}
	return errOutputEnded
}

func (w *stdioWire) pushes() bool { return true }

func (w *stdioWire) close() { w.p.unblock() }

func (w *stdioWire) shutdown() { w.p.end() }

// readLine reads up to a line feed. What stands before the end of input without one is a line too, though perhaps not a
// whole one.
func readLine(r *bufio.Reader, most int64) (text []byte, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if int64(len(text)+len(part)) > most {
			return nil, false, &tooLargeError{fmt.Sprintf("one line of the server's output is longer than the limit of %s", bytesOf(most))}
		}
		// Always a copy: the reader's buffer is overwritten, and results are kept.
		text = append(text, part...)
		switch {
		case err == nil:
			return text, true, nil
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

func (n *noise) add(text []byte) {
	shown := line(text)
	n.mu.Lock()
	defer n.mu.Unlock()
	if shown == "" {
		return // blank lines disturb nobody
	}
	if n.lines == 0 {
		n.first = shown
	}
	n.lines++
}

// warning says what was skipped, or "".
func (n *noise) warning() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch n.lines {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(`skipped a line on stdout that is no JSON-RPC message: "%s"`, n.first)
	}
	return fmt.Sprintf(`skipped %d lines on stdout that are no JSON-RPC messages; the first: "%s"`, n.lines, n.first)
}
