package contract

import "sync"

// batchSize is how many bytes of contracts are digested together.
const batchSize = 32 << 10

// batch is a run of tools whose contracts are digested together.
type batch struct {
	tools []Tool
	pins  []Pin
}

func (b *batch) digest() {
	b.pins = make([]Pin, len(b.tools))
	for i := range b.tools {
		b.pins[i] = b.tools[i].digest()
	}
}

// digest computes the digests of a contract and of its fields (SPEC §4.1, §4.2).
func (t *Tool) digest() Pin {
	p := Pin{Digest: Sum(t.Contract)}
	for i, s := range t.spans {
		if s.to > 0 {
			p.Fields.of[i] = Sum(t.Contract[s.from:s.to])
		}
	}
	return p
}

// pinner digests contracts while the parser reads on, since the two take about as long. It starts a goroutine only for
// a listing of more than one batch; what that one has no time for is digested by the parser itself.
type pinner struct {
	batches []*batch
	begun   int // tools that are in a batch
	pending int // bytes of contracts that are not
	work    chan *batch
	wait    sync.WaitGroup
}

// add is told of every tool appended to tools.
func (p *pinner) add(tools []Tool) {
	p.pending += len(tools[len(tools)-1].Contract)
	if p.pending < batchSize {
		return
	}
	b := p.next(tools)
	if p.work == nil {
		work := make(chan *batch, 1)
		p.work = work
		p.wait.Go(func() {
			for b := range work {
				b.digest()
			}
		})
	}
	select {
	case p.work <- b:
	default:
		b.digest()
	}
}

// next makes a batch of all tools that are in none.
func (p *pinner) next(tools []Tool) *batch {
	b := &batch{tools: tools[p.begun:]}
	p.batches = append(p.batches, b)
	p.begun, p.pending = len(tools), 0
	return b
}

// finish writes the pins of all tools.
func (p *pinner) finish(tools []Tool) {
	p.next(tools).digest()
	p.stop()
	for _, b := range p.batches {
		for i := range b.pins {
			tools[i].Pin = b.pins[i]
		}
		tools = tools[len(b.pins):]
	}
}

// stop ends the goroutine.
func (p *pinner) stop() {
	if p.work != nil {
		close(p.work)
		p.work = nil
		p.wait.Wait()
	}
}
