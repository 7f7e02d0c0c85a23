package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// sseWire speaks the HTTP transport of 2024-11-05: one stream of events carries all that the server says, and its first
// event names the URL that messages are posted to.
type sseWire struct {
	*httpWire
	body   io.ReadCloser
	events *eventReader
	post   *url.URL
	ended  chan struct{} // closed when the stream has ended
	why    error         // it ended
}

// dialSSE opens the stream. The error is a *noStreamError where the URL offers none.
func dialSSE(ctx context.Context, e endpoint, limits Limits) (wire, error) {
	w := &sseWire{httpWire: newHTTPWire(ctx, e, limits), ended: make(chan struct{})}
	h := http.Header{}
	h.Set("Accept", "text/event-stream")
	resp, err := w.do(w.ctx, http.MethodGet, w.url, nil, h)
	if err != nil {
		w.cancel()
		return nil, err
	}
	w.body = resp.Body
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusUnauthorized {
		w.shutdown()
		return nil, w.unauthorized(resp)
	}
	if resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		w.shutdown()
		return nil, &noStreamError{"HTTP " + resp.Status}
	}
	w.events = newEventReader(resp.Body, limits.Message)
	if w.post, err = w.endpointEvent(); err != nil {
		w.shutdown()
		return nil, err
	}
	w.spawn(w.listen)
	return w, nil
}

func (w *sseWire) endpointEvent() (*url.URL, error) {
	first, err := w.events.next()
	if errors.Is(err, io.EOF) {
		return nil, &noStreamError{"the stream ended at once"}
	}
	if err != nil {
		return nil, w.broken(err)
	}
	if first.name != "endpoint" {
		return nil, &noStreamError{"the stream names no endpoint"} // perhaps a stream of the newer transport
	}
	post, err := w.url.Parse(string(first.data))
	if err != nil {
		return nil, &protocolError{"the stream's endpoint is no URL: " + quote(first.data)}
	}
	return post, sameOrigin(w.url, post, "messages are to be posted")
}

func (w *sseWire) listen() {
	defer close(w.ended)
	_, err := w.readEvents(w.events, -1) // no call: to the end
	if errors.Is(err, io.EOF) {
		err = &Error{Kind: Unreachable, Code: CodeClosed, Message: "the server ended its stream before it had answered"}
	}
	w.why = w.broken(err)
}

func (w *sseWire) send(_ context.Context, m outgoing) error {
	resp, err := w.httpWire.post(w.post, m)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return w.refused(resp, m)
	}
	w.finish(resp.Body)
	return nil
}

func (w *sseWire) reply(data []byte) {
	w.spawn(func() { _ = w.send(w.ctx, outgoing{data: data}) })
}

func (w *sseWire) recv() (*message, error) {
	select {
	case m := <-w.incoming:
		return m, nil
	case <-w.ended:
		return nil, w.why
	case <-w.ctx.Done():
		return nil, w.broken(w.ctx.Err())
	}
}

func (w *sseWire) pushes() bool { return true }

func (w *sseWire) shutdown() {
	w.body.Close()
	w.httpWire.shutdown()
}
