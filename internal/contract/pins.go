package contract

import "sync"

// batchSize is how many bytes of contracts are digested together.
const batchSize = 32 << 10

// batch is a run of tools whose contracts are digested together.
type batch struct {
	tools []Tool
	bytes int // of their contracts
}

func (b *batch) digest() {
	for i := range b.tools {
		b.tools[i].digest()
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

// pinner collects tools, and digests their contracts while the parser reads on, since the two take about as long. It
// starts a goroutine only for more than one batch; what that one has no time for is digested in add.
type pinner struct {
	full []*batch
	last batch
	work chan *batch
	wait sync.WaitGroup
}

func (p *pinner) add(t Tool) {
	p.last.tools = append(p.last.tools, t)
	if p.last.bytes += len(t.Contract); p.last.bytes < batchSize {
		return
	}
	b := p.last
	p.full, p.last = append(p.full, &b), batch{tools: make([]Tool, 0, len(b.tools)+1)}
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
	case p.work <- &b:
	default:
		b.digest()
	}
}

// finish returns all tools with their pins.
func (p *pinner) finish() []Tool {
	p.last.digest()
	p.stop()
	if len(p.full) == 0 {
		return p.last.tools
	}
	n := len(p.last.tools)
	for _, b := range p.full {
		n += len(b.tools)
	}
	tools := make([]Tool, 0, n)
	for _, b := range p.full {
		tools = append(tools, b.tools...)
	}
	return append(tools, p.last.tools...)
}

// stop ends the goroutine.
func (p *pinner) stop() {
	if p.work != nil {
		close(p.work)
		p.work = nil
		p.wait.Wait()
	}
}
