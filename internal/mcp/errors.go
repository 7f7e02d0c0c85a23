package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/visible"
)

// Codes of an Error. They are stable: reports and workflows compare them.
const (
	CodeTimeout         = "timeout"           // no answer in time
	CodeInterrupted     = "interrupted"       // our own run was ended
	CodeEnvUnset        = "env-unset"         // a ${NAME} is unset, empty or kept from servers
	CodeCommandNotFound = "command-not-found" // stdio
	CodeStart           = "start"             // stdio: found, but could not be started
	CodeExit            = "exit"              // stdio: the process ended before it had answered
	CodeClosed          = "closed"            // the server closed its output or a stream before it had answered
	CodeProtocol        = "protocol"          // what was answered is no MCP
	CodeRPCError        = "rpc-error"         // a JSON-RPC error was answered
	CodeBadURL          = "bad-url"           // http
	CodeBadHeader       = "bad-header"        // http: a header that may not be sent
	CodeConnection      = "connection"        // http: refused, reset, no route
	CodeDNS             = "dns"               // http: no such host
	CodeTLS             = "tls"               // http: certificate or handshake
	CodeAuthentication  = "authentication"    // http: 401, 403
	CodeHTTPStatus      = "http-status"       // http: any other status that is no answer
	CodeRedirect        = "redirect"          // http: sent to another origin
	CodeSession         = "session"           // http: the session was lost twice
	CodeFile            = "file"              // file: missing or unreadable
	CodeTooLarge        = "too-large"         // a limit was exceeded
	CodeCursor          = "cursor"            // pagination does not end
	CodeSyntax          = "syntax"            // what was answered is no JSON (as contract.Malformed has it)
)

var (
	errTimeout     = errors.New("no answer in time")
	errInterrupted = errors.New("interrupted")
	errOutputEnded = errors.New("the server closed its output")
)

// protocolError is the error of an answer that is no MCP.
type protocolError struct{ message string }

func (e *protocolError) Error() string { return e.message }

// tooLargeError says which limit was exceeded.
type tooLargeError struct{ message string }

func (e *tooLargeError) Error() string { return e.message }

// line makes a server's text one short, harmless line.
func line[T string | []byte](text T) string {
	const most = 240
	s := string(text[:min(len(text), 4*most)])
	return visible.Line(strings.Join(strings.Fields(s), " "), most)
}

func quote[T string | []byte](text T) string { return `"` + line(text) + `"` }

// bytesOf names a number of bytes as people do.
func bytesOf(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// seconds names a duration as the --timeout flag takes it.
func seconds(d time.Duration) string {
	if d >= time.Second && d%time.Second == 0 {
		return fmt.Sprintf("%ds", int64(d/time.Second))
	}
	return d.String()
}

// step is what was being done when something failed.
type step int

const (
	stepStart step = iota
	stepHandshake
	stepListing
)

func (s step) String() string {
	return [...]string{"while it was being started", "to the handshake", "to tools/list"}[s]
}

// explain turns whatever ended an attempt into the error that people see.
func explain(err error, at step, limits Limits) *Error {
	var (
		e         *Error
		malformed *contract.Malformed
		rpc       *rpcError
		broken    *brokenError
		protocol  *protocolError
		large     *tooLargeError
		status    *statusError
		absent    *noStreamError
	)
	kind := Unreachable
	if at == stepListing {
		kind = Malformed // what was answered instead of a listing is no listing
	}
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded):
		return &Error{
			Kind: Unreachable, Code: CodeTimeout,
			Message: fmt.Sprintf("no answer within %s (%s)", seconds(limits.Timeout), at),
			Hint:    "a first run may still be downloading packages (npx, uvx, docker): raise --timeout, or install them beforehand",
		}
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return &Error{Kind: Unreachable, Code: CodeInterrupted, Message: "interrupted before it had answered"}
	case errors.As(err, &malformed):
		return &Error{Kind: Malformed, Code: malformed.Code, Message: malformed.Message}
	case errors.As(err, &rpc):
		return &Error{Kind: Unreachable, Code: CodeRPCError, Message: rpc.Error()}
	case errors.As(err, &broken):
		return &Error{Kind: kind, Code: CodeSyntax, Message: "a message of the server is broken JSON-RPC: " + line(broken.why)}
	case errors.As(err, &protocol):
		return &Error{Kind: Unreachable, Code: CodeProtocol, Message: protocol.message}
	case errors.As(err, &large):
		return &Error{Kind: kind, Code: CodeTooLarge, Message: large.message}
	case errors.Is(err, errSessionLost):
		return &Error{Kind: Unreachable, Code: CodeSession, Message: "the server forgot the session twice while it was being listed"}
	case errors.As(err, &status):
		return &Error{Kind: Unreachable, Code: CodeHTTPStatus, Message: status.Error()}
	case errors.As(err, &absent):
		return &Error{Kind: Unreachable, Code: CodeProtocol, Message: absent.message}
	case errors.Is(err, errOutputEnded):
		return &Error{Kind: Unreachable, Code: CodeClosed, Message: "the server closed its output before it had answered"}
	}
	return &Error{Kind: Unreachable, Code: CodeConnection, Message: line(err.Error())}
}

// rpcError is a JSON-RPC error in place of an answer.
type rpcError struct {
	method  string
	code    int64
	message string
	status  string // the HTTP status it came with, where that is an error too
}

func (e *rpcError) Error() string {
	at := ""
	if e.status != "" {
		at = " (HTTP " + line(e.status) + ")"
	}
	return fmt.Sprintf("%s was answered with error %d%s: %s", e.method, e.code, at, line(e.message))
}

// statusError is an HTTP status that answers nothing.
type statusError struct {
	status int
	text   string // "404 Not Found"
	body   string // its first bytes, raw
}

func (e *statusError) Error() string {
	if e.body == "" {
		return "HTTP " + line(e.text)
	}
	return "HTTP " + line(e.text) + ": " + line(e.body)
}

func isStatus(err error, any ...int) bool {
	var s *statusError
	return errors.As(err, &s) && slices.Contains(any, s.status)
}

// noStreamError says that a URL offers no stream of the SSE transport.
type noStreamError struct{ message string }

func (e *noStreamError) Error() string { return e.message }
