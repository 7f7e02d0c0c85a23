package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/contractpin/verify/internal/contract"
)

const (
	settleTime = time.Second // how long after a listing a change of it is waited for
	mostRounds = 3           // listings beyond the first
)

// settle lists until the listing stands still: servers register tools late, and say so with list_changed.
func (r *reach) settle(ctx context.Context, s *session) (*contract.Listing, error) {
	var previous contract.Digest
	for round := 0; ; round++ {
		s.hasChanged() // before this listing: of no interest
		began := time.Now()
		listing, e, err := s.enumerate(ctx, r.o.Limits)
		r.timing.Listing += time.Since(began) - e.digesting
		r.timing.Digesting += e.digesting
		last := round == mostRounds
		changed := s.hasChanged()
		if changed && !last && mayBeMixed(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.warn(e.warning)
		if last { // whether one more is on its way cannot be known
			r.warn("the server keeps announcing changes of its tools; this is its fourth listing")
		}
		if last || r.o.Matches != nil && r.o.Matches(listing) || !s.announces() || listing.Digest == previous {
			return listing, nil
		}
		if s.awaitChange(ctx) {
			continue
		}
		switch cause := context.Cause(ctx); {
		case cause != nil && !errors.Is(cause, errTimeout):
			return nil, cause
		case cause != nil, s.tellsUnasked():
			return listing, nil
		}
		previous = listing.Digest
	}
}

// mayBeMixed tells whether a listing taken across a change may be a mixture: it may even have failed for that alone.
func mayBeMixed(err error) bool {
	var rpc *rpcError
	var malformed *contract.Malformed
	return err == nil || errors.As(err, &rpc) || errors.As(err, &malformed)
}

// hasChanged takes note of a list_changed.
func (s *session) hasChanged() bool {
	select {
	case <-s.changed:
		return true
	default:
		return false
	}
}

// announces tells whether waiting for a change makes sense at all.
func (s *session) announces() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listChanged
}

// tellsUnasked tells whether list_changed would reach us. Over HTTP, and in the newer era, it goes only to who holds a
// stream open for it; there we look again instead.
func (s *session) tellsUnasked() bool { return s.wire.pushes() && !s.modern }

// awaitChange waits until the server announces a change, at most for settleTime.
func (s *session) awaitChange(ctx context.Context) bool {
	t := time.NewTimer(settleTime)
	defer t.Stop()
	select {
	case <-s.changed:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}
