package contract

import (
	"slices"
	"sync"
)

// batchSize is how many bytes of contracts are digested together.
const batchSize = 32 << 10

// pinner collects tools, and digests their contracts in batches while the parser reads on, since the two take about as
// long. It starts a goroutine only for more than one batch; what that one has no time for is digested in add.
type pinner struct {
	tools []Tool
	begun int // how many of them are digested, or being so
	bytes int // of the contracts of the others
	work  chan []Tool
	busy  sync.WaitGroup // counts the batches in work
}

// add appends a tool. share is the part of the input that has been read.
func (p *pinner) add(t Tool, share float64) {
	if n := len(p.tools); n == cap(p.tools) {
		// A large listing has many tools, so let there be room for all, if they go on like this. No tool may move while it
		// is digested.
		p.busy.Wait()
		all := int(float64(n+1) / share * 1.05)
		p.tools = slices.Grow(p.tools, min(all-n+1, 16*n+64))
	}
	p.tools = append(p.tools, t)
	if p.bytes += len(t.Contract); p.bytes >= batchSize {
		p.handOver()
	}
}

func (p *pinner) handOver() {
	if p.work == nil {
		work := make(chan []Tool, 1)
		p.work = work
		go func() {
			for tools := range work {
				digest(tools)
				p.busy.Done()
			}
		}()
	}
	tools := p.tools[p.begun:]
	p.begun, p.bytes = len(p.tools), 0
	p.busy.Add(1)
	select {
	case p.work <- tools:
	default:
		digest(tools)
		p.busy.Done()
	}
}

// finish returns all tools with their pins.
func (p *pinner) finish() []Tool {
	digest(p.tools[p.begun:])
	p.busy.Wait()
	return p.tools
}

// stop ends the goroutine.
func (p *pinner) stop() {
	if p.work != nil {
		close(p.work)
		p.busy.Wait()
	}
}

// digest computes the digests of contracts and of their fields (SPEC §4.1, §4.2).
func digest(tools []Tool) {
	for i := range tools {
		t := &tools[i]
		t.Pin.Digest = Sum(t.Contract)
		for i, s := range t.spans {
			if s.to > 0 {
				t.Pin.Fields.of[i] = Sum(t.Contract[s.from:s.to])
			}
		}
	}
}
