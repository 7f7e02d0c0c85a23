package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	mostRedirects = 5
	mostRetries   = 2           // of a request that was answered with 429, 502, 503 or 504
	retryAfter    = time.Second // where the server names no time
)

// endpoint is the one origin that an http server lives at, with the headers that go to it.
type endpoint struct {
	url     *url.URL
	headers http.Header
	client  *http.Client
	agent   string            // our name as an HTTP client
	secrets *strings.Replacer // hides our headers in what the server echoes
}

func (r *reach) endpoint() (*endpoint, error) {
	expanded, err := r.o.expand("url", r.server.URL)
	if err != nil {
		return nil, err
	}
	u, err := parseURL(expanded, r.server.URL)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = 1 << 20
	e := &endpoint{url: u, headers: http.Header{}, agent: clientName + "/" + cmp.Or(r.o.Version, "0"), client: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if err := e.addHeaders(r); err != nil {
		return nil, err
	}
	return e, nil
}

// addHeaders takes over the headers that may be sent.
func (e *endpoint) addHeaders(r *reach) error {
	var hidden []string
	for _, name := range slices.Sorted(maps.Keys(r.o.Headers)) {
		for _, value := range r.o.Headers[name] {
			value = strings.TrimSpace(value) // secrets are often stored with a line feed at their end
			if value == "" {
				r.warn(fmt.Sprintf("header %s is empty and was not sent", quote(name)))
				continue
			}
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				return &Error{
					Kind: Unreachable, Code: CodeBadHeader,
					Message: "header " + quote(name) + " may not be sent: a line break or another control character is in it",
				}
			}
			e.headers.Add(name, value)
			for _, part := range append(strings.Fields(value), value) {
				if len(part) >= 8 {
					hidden = append(hidden, part, "***")
				}
			}
		}
	}
	e.secrets = strings.NewReplacer(hidden...)
	return nil
}

func (e *endpoint) close() { e.client.CloseIdleConnections() }

func (e *endpoint) hideHeaders(body []byte) string {
	return e.secrets.Replace(string(body[:min(len(body), 4<<10)]))
}

// do sends a request, follows redirects within the origin with method and body as they are, and tries again a little
// where the server asks for it. The response's body is the caller's to close.
func (e *endpoint) do(ctx context.Context, method string, to *url.URL, body []byte, h http.Header) (*http.Response, error) {
	for redirects, retries := 0, 0; ; {
		resp, err := e.once(ctx, method, to, body, h)
		if err != nil {
			return nil, err
		}
		target, err := redirectTarget(to, resp)
		if err != nil {
			resp.Body.Close()
			return nil, err
		}
		if target != nil && redirects < mostRedirects {
			resp.Body.Close()
			to = target
			redirects++
			continue
		}
		wait, again := retryTime(ctx, resp)
		if !again || retries == mostRetries {
			return resp, nil
		}
		resp.Body.Close()
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		retries++
	}
}

func (e *endpoint) once(ctx context.Context, method string, to *url.URL, body []byte, h http.Header) (*http.Response, error) {
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), r)
	if err != nil {
		return nil, &Error{Kind: Unreachable, Code: CodeBadURL, Message: "the pinned url is no URL that can be asked"}
	}
	req.Header = e.headers.Clone()
	req.Header.Set("User-Agent", e.agent)
	maps.Copy(req.Header, h)
	// Lets net/http send again what met a connection that the server had just closed; an empty value is not sent.
	req.Header["Idempotency-Key"] = nil
	resp, err := e.client.Do(req)
	if err != nil {
		return nil, e.transportError(ctx, err)
	}
	return resp, nil
}

// retryTime tells whether to ask again, and when. A time beyond the deadline is not waited for.
func retryTime(ctx context.Context, resp *http.Response) (time.Duration, bool) {
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return 0, false
	}
	wait := retryAfter
	value := resp.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = max(0, time.Until(at))
	}
	deadline, ok := ctx.Deadline()
	return wait, !ok || wait < time.Until(deadline)
}

// unauthorized words 401 and 403. The body is not quoted: it tends to echo what was sent.
func (e *endpoint) unauthorized(resp *http.Response) error {
	out := &Error{Kind: Unreachable, Code: CodeAuthentication, Message: "HTTP " + line(resp.Status) + ": the server asks for authentication"}
	if resp.StatusCode == http.StatusForbidden {
		out.Message = "HTTP " + line(resp.Status) + ": authentication is missing, or does not allow this"
	}
	out.Hint = "pass a header from a secret: --header 'Authorization: Bearer …', or the action's input headers with ${{ secrets.NAME }}"
	if len(e.headers) > 0 {
		out.Hint = "the headers that were sent do not suffice: is the secret set, current, and meant for this server?"
	}
	return out
}

// transportError words why a request got no response. It never shows the URL, which may hold the value of a variable.
func (e *endpoint) transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var (
		ours     *Error
		large    *tooLargeError
		broken   *brokenError
		protocol *protocolError
		dns      *net.DNSError
		op       *net.OpError
	)
	host := line(e.url.Host)
	switch {
	case errors.As(err, &ours), errors.As(err, &large), errors.As(err, &broken), errors.As(err, &protocol):
		return err
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return &Error{
			Kind: Unreachable, Code: CodeConnection, Message: "the proxy on the way to " + host + " could not be reached: " + line(op.Err.Error()),
			Hint: "HTTP_PROXY and HTTPS_PROXY name the proxy; NO_PROXY names hosts to reach without it",
		}
	case errors.As(err, &dns):
		return &Error{Kind: Unreachable, Code: CodeDNS, Message: "no address found for " + quote(e.url.Hostname()) + ": " + line(dns.Err)}
	case errors.Is(err, http.ErrSchemeMismatch):
		return &Error{
			Kind: Unreachable, Code: CodeTLS, Message: host + " answered plain HTTP where HTTPS was expected",
			Hint: "is the pinned url meant to be http://?",
		}
	case isTLS(err):
		return &Error{
			Kind: Unreachable, Code: CodeTLS, Message: "TLS with " + host + " failed: " + line(err.Error()),
			Hint: "if a company's own authority signed the certificate, set SSL_CERT_FILE to a bundle that has it",
		}
	case errors.Is(err, syscall.ECONNREFUSED):
		out := &Error{Kind: Unreachable, Code: CodeConnection, Message: "connection refused by " + host}
		if name := e.url.Hostname(); name == "localhost" || net.ParseIP(name).IsLoopback() {
			out.Hint = "inside a container, localhost is the container itself and not the runner: name the service, or run contractpin outside"
		}
		return out
	case isCutOff(err):
		return &Error{Kind: Unreachable, Code: CodeClosed, Message: host + " closed the connection before it had answered"}
	}
	return &Error{Kind: Unreachable, Code: CodeConnection, Message: "the connection to " + host + " failed: " + line(err.Error())}
}

func isCutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		alert        tls.AlertError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid)
}
