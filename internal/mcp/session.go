package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods that we send.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodList       = "tools/list"
	methodCancelled  = "notifications/cancelled"
)

// wire carries messages to one started or connected server and back.
type wire interface {
	// send hands one message over. It returns early when ctx ends or the wire is closed.
	send(ctx context.Context, m outgoing) error
	// reply answers a request of the server's, best effort, without holding up recv for long.
	reply(data []byte)
	// recv waits for the next message. After close it returns an error.
	recv() (*message, error)
	// close makes send and recv return; it may be called often and from anywhere.
	close()
	// pushes tells whether the server can speak without being asked.
	pushes() bool
	// shutdown ends the server, or our session with it, and returns when nothing of it is left.
	shutdown()
}

// outgoing is one message of ours.
type outgoing struct {
	data    []byte
	method  string
	call    int64  // its number, or 0 for a notification
	version string // protocol version spoken; "" before it is known
}

// session is one connection as go-sdk sees it (an mcp.Transport and an mcp.Connection). It keeps what go-sdk would lose,
// the raw bytes of tools/list results, answers the server's own requests, and remembers the first failure.
type session struct {
	wire   wire
	modern bool // server/discover only, never initialize

	client  *sdk.ClientSession
	changed chan struct{} // holds one token after list_changed

	mu          sync.Mutex
	calls       map[int64]string // methods of the calls that await an answer
	page        []byte           // raw result of the last tools/list
	emptyCursor bool             // the next tools/list asks for the cursor ""
	version     string           // protocol version negotiated
	supported   []string         // versions that server/discover named
	listChanged bool             // the server says that it announces changes of its list
	oddIDs      bool             // the server echoed a call's number as a string
	refusal     *rpcError        // the last JSON-RPC error that answered a call
	failure     error            // the first one
}

func newSession(w wire, modern bool) *session {
	return &session{wire: w, modern: modern, changed: make(chan struct{}, 1), calls: map[int64]string{}}
}

// Connect implements mcp.Transport.
func (s *session) Connect(context.Context) (sdk.Connection, error) { return s, nil }

// SessionID implements mcp.Connection; only go-sdk's servers look at it.
func (s *session) SessionID() string { return "" }

// Close implements mcp.Connection. The server itself is ended by wire.shutdown.
func (s *session) Close() error {
	s.wire.close()
	return nil
}

// fail records the first failure and returns it.
func (s *session) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failure == nil {
		s.failure = err
	}
	return s.failure
}

// abort ends the session for a reason of ours: time is up, or we were interrupted.
func (s *session) abort(cause error) {
	s.fail(cause)
	s.wire.close()
}

// Write implements mcp.Connection.
func (s *session) Write(ctx context.Context, m jsonrpc.Message) error {
	out := outgoing{}
	if r, ok := m.(*jsonrpc.Request); ok {
		if r.Method == methodCancelled {
			return nil // we only cancel when we are about to leave
		}
		if s.modern && r.Method == methodInitialize { // go-sdk falls back to it; we have tried it first
			return s.fail(&protocolError{"the server speaks none of our protocol versions, but " + quote(strings.Join(s.supported, ", "))})
		}
		if err := s.note(r); err != nil {
			return err
		}
		out.method = r.Method
		out.call, _ = r.ID.Raw().(int64)
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return s.fail(err)
	}
	out.data = data
	s.mu.Lock()
	out.version = s.version
	s.mu.Unlock()
	if s.modern {
		out.version = protocolOf(m)
	}
	if err := s.wire.send(ctx, out); err != nil {
		return s.fail(err)
	}
	return nil
}

// note remembers a call, and sets the empty cursor, which go-sdk cannot send.
func (s *session) note(r *jsonrpc.Request) error {
	id, ok := r.ID.Raw().(int64)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[id] = r.Method
	if r.Method != methodList || !s.emptyCursor {
		return nil
	}
	params := map[string]json.RawMessage{}
	if len(r.Params) > 0 {
		if err := json.Unmarshal(r.Params, &params); err != nil {
			return fmt.Errorf("params of tools/list: %w", err)
		}
	}
	params["cursor"] = json.RawMessage(`""`)
	data, err := json.Marshal(params)
	r.Params = data
	return err
}

// protocolOf finds the version that a request of the newer era names in its _meta.
func protocolOf(m jsonrpc.Message) string {
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return ""
	}
	var p struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(r.Params, &p) != nil {
		return ""
	}
	v, _ := p.Meta[sdk.MetaKeyProtocolVersion].(string)
	return v
}

// Read implements mcp.Connection. go-sdk sees responses only, each once, and of tools/list none of the tools.
func (s *session) Read(context.Context) (jsonrpc.Message, error) {
	r, err := s.read()
	if err != nil {
		err = s.fail(err)
		s.wire.close() // nobody reads on, so nobody may wait to be read
		return nil, err
	}
	return r, nil
}

func (s *session) read() (*jsonrpc.Response, error) {
	for {
		m, err := s.wire.recv()
		if err != nil {
			return nil, err
		}
		switch {
		case m.isCall && m.id != nil:
			s.answer(m)
		case m.isCall:
			if m.method == "notifications/tools/list_changed" {
				select {
				case s.changed <- struct{}{}:
				default:
				}
			}
		default:
			if r, err := s.response(m); r != nil || err != nil {
				return r, err
			}
		}
	}
}

// answer replies to a request of the server's. We declare no capabilities, so ping is all there is to answer.
func (s *session) answer(m *message) {
	const head = `{"jsonrpc":"2.0","id":`
	if m.method == "ping" {
		s.wire.reply([]byte(head + string(m.id) + `,"result":{}}`))
		return
	}
	s.wire.reply([]byte(head + string(m.id) + `,"error":{"code":-32601,"message":"method not found"}}`))
}

// response turns a server's response into what go-sdk gets to see; nil when it answers no open call.
func (s *session) response(m *message) (*jsonrpc.Response, error) {
	n, ok := m.call()
	if !ok {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	method, ok := s.calls[n]
	if !ok {
		return nil, nil
	}
	delete(s.calls, n)
	s.oddIDs = s.oddIDs || m.id[0] == '"'
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		return nil, err
	}
	r := &jsonrpc.Response{ID: id}
	if m.err != nil {
		r.Error = m.err
		s.refusal = &rpcError{method: method, code: m.err.Code, message: m.err.Message, status: m.status}
		return r, nil
	}
	switch method {
	case methodList:
		s.page = m.result
		r.Result = json.RawMessage(`{"tools":[]}`)
	case methodInitialize, methodDiscover:
		r.Result, err = s.greeting(method, m.result)
	default:
		r.Result = json.RawMessage(`{}`)
	}
	return r, err
}

// greeting reads what matters of the result of initialize or server/discover and reduces it to that: go-sdk refuses
// results for oddities in parts that are none of our business.
func (s *session) greeting(method string, raw []byte) (json.RawMessage, error) {
	var r struct {
		ProtocolVersion   any             `json:"protocolVersion"`
		SupportedVersions json.RawMessage `json:"supportedVersions"`
		Capabilities      json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, &protocolError{fmt.Sprintf("the answer to %s is no valid result: %s", method, line(raw))}
	}
	var c struct {
		Tools struct {
			ListChanged bool `json:"listChanged"`
		} `json:"tools"`
	}
	s.listChanged = json.Unmarshal(r.Capabilities, &c) == nil && c.Tools.ListChanged
	if method == methodDiscover {
		if err := json.Unmarshal(r.SupportedVersions, &s.supported); err != nil {
			return nil, &protocolError{fmt.Sprintf("the answer to %s names no versions: %s", method, line(raw))}
		}
		return json.Marshal(map[string]any{
			"resultType": "complete", "supportedVersions": s.supported,
			"capabilities": map[string]any{}, "serverInfo": map[string]any{"name": "server", "version": "0"},
		})
	}
	version, ok := r.ProtocolVersion.(string)
	if !ok {
		return nil, &protocolError{fmt.Sprintf("the answer to %s names no protocol version: %s", method, line(raw))}
	}
	if !slices.Contains(sdk.SupportedProtocolVersions(), version) {
		return nil, &protocolError{"the server chose protocol version " + quote(version) + ", which is not known here"}
	}
	s.version = version
	return json.Marshal(map[string]any{
		"protocolVersion": version, "capabilities": map[string]any{},
		"serverInfo": map[string]any{"name": "server", "version": "0"},
	})
}

func (s *session) echoesStrings() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.oddIDs
}
