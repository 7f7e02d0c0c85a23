package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// errSessionLost says that the server has forgotten our session.
var errSessionLost = errors.New("the server has forgotten the session")

const (
	mostSnippet  = 64 << 10 // bytes read of the body of an error
	mostReplies  = 8        // answers to a server's own requests under way at once
	mostResumes  = 3        // times that a broken stream is taken up again
	longestRetry = 5 * time.Second
)

// httpWire speaks streamable HTTP: every message is a POST, answered with JSON or with a stream of events. go-sdk's
// transport is not used for it: it reads bodies without a limit, tells statuses without what came with them, and its
// reader of events falls short (see eventReader).
type httpWire struct {
	endpoint
	limits   Limits
	ctx      context.Context // ends with close
	cancel   context.CancelFunc
	incoming chan *message
	replies  chan struct{} // semaphore
	running  sync.WaitGroup

	mu      sync.Mutex
	session string // Mcp-Session-Id; "" where there is none
	version string // protocol version, once it is known
	lost    bool   // the server has forgotten the session
	closed  bool   // nothing may be begun any more
}

func (r *reach) prepareHTTP() (func(), error) {
	e, err := r.endpoint()
	if err != nil {
		return nil, err
	}
	r.dial = func(ctx context.Context) (wire, error) { return newHTTPWire(ctx, *e, r.o.Limits), nil }
	r.dialSSE = func(ctx context.Context) (wire, error) { return dialSSE(ctx, *e, r.o.Limits) }
	return e.close, nil
}

func newHTTPWire(ctx context.Context, e endpoint, limits Limits) *httpWire {
	w := &httpWire{endpoint: e, limits: limits, incoming: make(chan *message), replies: make(chan struct{}, mostReplies)}
	w.ctx, w.cancel = context.WithCancel(ctx)
	return w
}

func (w *httpWire) send(_ context.Context, m outgoing) error {
	resp, err := w.post(w.url, m)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return w.refused(resp, m)
	}
	w.mu.Lock()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" && w.session == "" {
		w.session = id
	}
	w.mu.Unlock()
	if m.call == 0 {
		w.finish(resp.Body)
		return nil
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/event-stream" {
		return w.stream(resp, m)
	}
	defer resp.Body.Close()
	body, err := readBody(resp.Body, w.limits.Message)
	if err != nil {
		return w.broken(err)
	}
	messages, err := decode(body)
	if errors.Is(err, errNoise) {
		return &protocolError{fmt.Sprintf("%s was answered with something that is no JSON-RPC message (HTTP %s, content type %s): %s",
			m.method, line(resp.Status), quote(resp.Header.Get("Content-Type")), quote(w.hideHeaders(body)))}
	}
	if err != nil {
		return err
	}
	answered, err := w.deliver(messages, m.call)
	if err == nil && !answered {
		err = &Error{Kind: Unreachable, Code: CodeClosed, Message: "the response to " + m.method + " holds no answer to it"}
	}
	return err
}

// post sends one message with the headers that its era asks for.
func (w *httpWire) post(to *url.URL, m outgoing) (*http.Response, error) {
	h := w.header(m.version)
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if m.method != "" { // the newer era demands it, the older does not mind
		h.Set("Mcp-Method", m.method)
	}
	return w.do(w.ctx, http.MethodPost, to, m.data, h)
}

// header starts the header of a request. version is "" where the last one holds.
func (w *httpWire) header(version string) http.Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version = cmp.Or(version, w.version)
	h := http.Header{}
	if w.version != "" {
		h.Set("MCP-Protocol-Version", w.version)
	}
	if w.session != "" {
		h.Set("Mcp-Session-Id", w.session)
	}
	return h
}

// spawn runs f unless the wire is being shut down, which waits for it.
func (w *httpWire) spawn(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.running.Go(f)
	}
}

// refused reads a status that is no success. An error of JSON-RPC in its body is an answer like any other.
func (w *httpWire) refused(resp *http.Response, m outgoing) error {
	defer resp.Body.Close()
	w.mu.Lock()
	if resp.StatusCode == http.StatusNotFound && w.session != "" {
		w.lost = true
		w.mu.Unlock()
		return errSessionLost
	}
	w.mu.Unlock()
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		return w.unauthorized(resp)
	}
	body, _ := readBody(resp.Body, mostSnippet)
	if messages, err := decode(body); err == nil && len(messages) == 1 && messages[0].err != nil && m.call != 0 {
		// Whatever its id: it may be null, and Python's SDK says "server-error".
		messages[0].id = fmt.Appendf(nil, "%d", m.call)
		messages[0].status = resp.Status
		_, err := w.deliver(messages, m.call)
		return err
	}
	if m.call == 0 {
		return nil // a server that refuses a notification may still answer calls
	}
	return &statusError{status: resp.StatusCode, text: resp.Status, body: w.hideHeaders(body)}
}

// stream reads the events that answer a call, up to the answer.
func (w *httpWire) stream(resp *http.Response, m outgoing) error {
	for resumes := 0; ; resumes++ {
		events := newEventReader(&limitedReader{resp.Body, w.limits.Listing}, w.limits.Message)
		answered, err := w.readEvents(events, m.call)
		if answered && err == nil {
			w.finish(resp.Body)
			return nil
		}
		resp.Body.Close()
		switch {
		case err != nil && !errors.Is(err, io.EOF) && !isCutOff(err):
			return w.broken(err)
		case events.id == "" || resumes == mostResumes:
			return &Error{Kind: Unreachable, Code: CodeClosed, Message: "the stream ended before it had answered " + m.method}
		}
		if resp, err = w.resume(events); err != nil {
			return err
		}
	}
}

// readEvents delivers messages until one answers the call.
func (w *httpWire) readEvents(events *eventReader, call int64) (answered bool, err error) {
	for {
		e, err := events.next()
		if err != nil {
			return false, err
		}
		if e.name != "" && e.name != "message" || len(e.data) == 0 {
			continue
		}
		messages, err := decode(e.data)
		if errors.Is(err, errNoise) {
			return false, &protocolError{"an event of the stream holds no JSON-RPC message: " + quote(w.hideHeaders(e.data))}
		}
		if err != nil {
			return false, err
		}
		if answered, err = w.deliver(messages, call); answered || err != nil {
			return answered, err
		}
	}
}

// resume takes up a stream that the server ended early, after the time that it asks for.
func (w *httpWire) resume(events *eventReader) (*http.Response, error) {
	if err := sleep(w.ctx, min(events.retry, longestRetry)); err != nil {
		return nil, err
	}
	h := w.header("")
	h.Set("Accept", "text/event-stream")
	h.Set("Last-Event-ID", events.id)
	resp, err := w.do(w.ctx, http.MethodGet, w.url, nil, h)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, &statusError{status: resp.StatusCode, text: resp.Status}
	}
	return resp, nil
}

// finish reads the little that follows what we need of a body, so that the connection can be used again, and does not
// wait for it: some servers keep streams open.
func (w *httpWire) finish(body io.ReadCloser) {
	stop := time.AfterFunc(100*time.Millisecond, func() { body.Close() })
	w.spawn(func() {
		defer stop.Stop()
		discard(body)
	})
}

// deliver hands messages to recv and tells whether one of them answers the call.
func (w *httpWire) deliver(messages []*message, call int64) (answered bool, err error) {
	for _, m := range messages {
		select {
		case w.incoming <- m:
		case <-w.ctx.Done():
			return false, w.broken(w.ctx.Err())
		}
		if n, ok := m.call(); ok && !m.isCall && n == call {
			answered = true
		}
	}
	return answered, nil
}

func (w *httpWire) recv() (*message, error) {
	select {
	case m := <-w.incoming:
		return m, nil
	case <-w.ctx.Done():
		return nil, w.broken(w.ctx.Err())
	}
}

func (w *httpWire) reply(data []byte) {
	select {
	case w.replies <- struct{}{}:
	case <-w.ctx.Done():
		return
	}
	w.spawn(func() {
		defer func() { <-w.replies }()
		_ = w.send(w.ctx, outgoing{data: data})
	})
}

// broken words the failure of a body that was being read.
func (w *httpWire) broken(err error) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return w.transportError(w.ctx, err)
}

func (w *httpWire) pushes() bool { return false }

func (w *httpWire) close() { w.cancel() }

// shutdown ends our session with the server, politely but not patiently.
func (w *httpWire) shutdown() {
	w.cancel()
	w.mu.Lock()
	w.closed = true
	polite := w.session != "" && !w.lost
	w.mu.Unlock()
	w.running.Wait()
	if !polite {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(w.ctx), w.limits.Shutdown)
	defer stop()
	if resp, err := w.once(ctx, http.MethodDelete, w.url, nil, w.header("")); err == nil {
		discard(resp.Body)
	}
}

// readBody reads a body of at most so many bytes.
func readBody(r io.Reader, most int64) ([]byte, error) {
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && n > most {
		return nil, &tooLargeError{"the body of the server's response is larger than the limit of " + bytesOf(most)}
	}
	return b.Bytes(), err
}

// discard reads a little of a body and closes it.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10)
	body.Close()
}

// limitedReader fails where a stream as a whole exceeds the limit.
type limitedReader struct {
	r    io.Reader
	left int64
}

func (l *limitedReader) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, &tooLargeError{"the server's stream is larger than the limit of a listing"}
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

// sleep waits unless ctx ends before.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
