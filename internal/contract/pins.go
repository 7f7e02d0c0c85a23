package contract

import (
	"runtime"
	"slices"
	"sync/atomic"
)

// How many bytes of contracts are handed over together: few at first, so that the work begins soon, more of a long
// listing, since each time may have to wake the other goroutine.
const (
	firstBatch = 4 << 10
	maxBatch   = 64 << 10
)

// pinner collects tools and has their contracts digested by a second goroutine while the parser reads on, since the two
// take about as long. What that one has not begun when all is read, the parser's own goroutine digests with it.
type pinner struct {
	drop  bool // contracts, once they are digested
	tools []Tool
	lot   *lot // of tools
	wake  chan *lot
	bytes int // of all contracts
	next  int // hand over when there are so many
}

// lot is tools of one array, which two goroutines digest, each the next that no one has begun.
type lot struct {
	tools              []Tool
	drop               bool
	ready, begun, done atomic.Int64 // how many of them
}

// add appends a tool. share is the part of the input that has been read.
func (p *pinner) add(t Tool, share float64) {
	if n := len(p.tools); n == cap(p.tools) {
		// A large listing has many tools, so let there be room for all, if they go on like this. No tool may move while it
		// is digested.
		p.settle()
		all := int(float64(n+1) / share * 1.05)
		p.tools = slices.Grow(p.tools, min(all-n+1, 16*n+64))
		p.lot = newLot(p.tools, p.drop)
	}
	p.tools = append(p.tools, t)
	if p.bytes += len(t.Contract); p.bytes >= max(p.next, firstBatch) {
		p.handOver()
	}
}

// handOver lets the second goroutine begin the tools so far. A small listing has none.
func (p *pinner) handOver() {
	p.next = p.bytes + min(firstBatch+p.bytes/16, maxBatch)
	p.lot.ready.Store(int64(len(p.tools)))
	if p.wake == nil {
		p.wake = make(chan *lot, 1)
		go func(wake <-chan *lot) {
			for l := range wake {
				l.digest()
			}
		}(p.wake)
	}
	select {
	case p.wake <- p.lot:
	default: // it has yet to look at what it was told before
	}
}

// settle has all tools digested when it returns.
func (p *pinner) settle() {
	if p.lot == nil {
		return
	}
	p.lot.ready.Store(int64(len(p.tools)))
	p.lot.digest()
	for p.lot.done.Load() < int64(len(p.tools)) {
		runtime.Gosched() // the other is at the last one
	}
}

// finish returns all tools with their pins.
func (p *pinner) finish() []Tool {
	p.settle()
	return p.tools
}

// stop lets the second goroutine end.
func (p *pinner) stop() {
	if p.wake != nil {
		close(p.wake)
	}
}

// newLot is a lot of tools that are digested, and of those that will be appended to them in their array.
func newLot(tools []Tool, drop bool) *lot {
	l := &lot{tools: tools[:cap(tools)], drop: drop}
	for _, n := range []*atomic.Int64{&l.ready, &l.begun, &l.done} {
		n.Store(int64(len(tools)))
	}
	return l
}

// digest digests tools until all that are ready are begun.
func (l *lot) digest() {
	for i := l.begun.Load(); i < l.ready.Load(); i = l.begun.Load() {
		if l.begun.CompareAndSwap(i, i+1) {
			t := &l.tools[i]
			t.digest()
			if l.drop {
				t.Contract = nil
			}
			l.done.Add(1)
		}
	}
}

// digest computes the digests of the contract and of its fields (SPEC §4.1, §4.2).
func (t *Tool) digest() {
	t.Pin.Digest = Sum(t.Contract)
	for i, s := range t.spans {
		if s.to > 0 {
			t.Pin.Fields.of[i] = Sum(t.Contract[s.from:s.to])
		}
	}
}
