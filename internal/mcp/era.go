package mcp

import (
	"context"
	"errors"
	"log/slog"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Versions that each era's handshake offers. A server may choose an older one of its era.
const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
)

// clientName is fixed: servers vary their tools by the client's name.
const clientName = "contractpin"

// shake connects go-sdk's client over w in one era. The session is closed when it fails.
func shake(ctx context.Context, w wire, modern bool, version string) (*session, error) {
	s := newSession(w, modern)
	stop := context.AfterFunc(ctx, func() { s.abort(context.Cause(ctx)) })
	defer stop()
	client := sdk.NewClient(&sdk.Implementation{Name: clientName, Version: version}, &sdk.ClientOptions{
		Logger:         slog.New(slog.DiscardHandler),
		Capabilities:   &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	offer := legacyVersion
	if modern {
		offer = modernVersion
	}
	cs, err := client.Connect(ctx, s, &sdk.ClientSessionOptions{ProtocolVersion: offer})
	if err != nil {
		return nil, s.greetingError(ctx, err)
	}
	s.client = cs
	s.mu.Lock()
	s.version = cs.InitializeResult().ProtocolVersion
	s.mu.Unlock()
	return s, nil
}

// greetingError finds out why a handshake failed.
func (s *session) greetingError(ctx context.Context, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.refusal != nil: // it was answered; whatever failed came after
		return s.refusal
	case s.failure != nil:
		return s.failure
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// dial makes a wire to the server, starting or connecting to it anew.
type dial func(ctx context.Context) (wire, error)

// open reaches the server in the era that it speaks: the older first, the newer when that is answered with an error.
func (r *reach) open(ctx context.Context) (*session, error) {
	if r.o.Protocol == "modern" {
		return r.attempt(ctx, r.dial, true)
	}
	s, err := r.attempt(ctx, r.dial, false)
	if err == nil || !mayBeOther(err) {
		return s, err
	}
	if r.dialSSE != nil && isStatus(err, 400, 404, 405) {
		var absent *noStreamError
		s, sseErr := r.attempt(ctx, r.dialSSE, false)
		if sseErr == nil || !errors.As(sseErr, &absent) {
			return s, sseErr
		}
	}
	if r.o.Protocol == "legacy" {
		return nil, err
	}
	s, again := r.attempt(ctx, r.dial, true)
	if again != nil {
		return nil, r.bothEras(ctx, err, again)
	}
	return s, nil
}

// attempt makes one wire and shakes hands over it. What it started has ended when it fails.
func (r *reach) attempt(ctx context.Context, d dial, modern bool) (*session, error) {
	began := time.Now()
	r.at = stepStart
	w, err := d(ctx)
	r.timing.Start += time.Since(began)
	if err != nil {
		return nil, err
	}
	began = time.Now()
	r.at = stepHandshake
	s, err := shake(ctx, w, modern, r.o.Version)
	r.timing.Handshake += time.Since(began)
	if err != nil {
		return nil, r.end(w, err)
	}
	return s, nil
}

// mayBeOther tells whether a failed initialize may have met a server of the newer era, or one of the SSE transport.
func mayBeOther(err error) bool {
	var rpc *rpcError
	return errors.As(err, &rpc) && rpc.method == methodInitialize || isStatus(err, 400, 404, 405)
}

// bothEras joins the errors of two handshakes. A status alone says less than an answer.
func (r *reach) bothEras(ctx context.Context, legacy, modern error) error {
	var a, b *rpcError
	switch isRPC := errors.As(legacy, &a); {
	case ctx.Err() != nil:
		return modern
	case !isRPC && !errors.As(modern, &b):
		return legacy
	case !isRPC:
		return modern
	}
	return &Error{
		Kind: Unreachable, Code: CodeRPCError,
		Message: a.Error() + "; asked anew in the newer protocol: " + explain(modern, r.at, r.o.Limits).Message,
	}
}
