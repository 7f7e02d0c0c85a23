package lock

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/contract"
)

// ContractsVersion is what the contracts file says under "contractpin-contracts".
const ContractsVersion = "1"

// maxNesting is the deepest contract that the contracts file takes. The file adds levels of its own, and one that is
// deeper than canon reads would be lost whole.
const maxNesting = 9_000

// Contracts is the contracts file: the readable companion of a lock. It is no input to any verdict.
// A nil *Contracts holds nothing.
//
//	{"contractpin-contracts": "1", "servers": {"acme": {"search": {"name": "search", "description": …, "inputSchema": …}}}}
type Contracts struct {
	// Contract objects by server and tool, as in the file or canonical. They are parsed again when asked for, so that
	// 100,000 of them cost no more memory than the file.
	servers map[string]map[string]pinned
}

// pinned is a contract with the digest that the lock has for it.
type pinned struct {
	raw    []byte
	digest contract.Digest
}

// ContractsPath is the lock's name with .contracts.json for .lock.
func ContractsPath(lockPath string) string {
	return strings.TrimSuffix(lockPath, ".lock") + ".contracts.json"
}

// LoadContracts reads the contracts file beside the lock. Each entry is digested; one whose digest is not the lock's is
// ignored. Whatever is wrong with the file is said in warnings and changes nothing but the detail shown. A file that is
// not there is no warning. The result is never nil.
func LoadContracts(path string, l *Lock) (*Contracts, []string) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Contracts{}, nil
	}
	if err != nil {
		return &Contracts{}, []string{err.Error() + "; the contracts file is ignored"}
	}
	return ParseContracts(path, data, l)
}

// ParseContracts does the same from bytes. It keeps data.
func ParseContracts(name string, data []byte, l *Lock) (*Contracts, []string) {
	p := &contractsParser{lock: l, top: nodes{of: map[string]node{}}, servers: map[string]map[string]pinned{}}
	err := p.document(name, data, p.member)
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return &Contracts{}, []string{err.Error() + "; the contracts file is ignored"}
	}
	return &Contracts{servers: p.servers}, p.allWarnings()
}

type contractsParser struct {
	parser
	lock    *Lock
	top     nodes
	servers map[string]map[string]pinned
	scratch []byte
}

func (p *contractsParser) member(key string) error {
	n, err := p.node()
	p.top.of[key] = n
	if err != nil || key != "servers" || n.kind != '{' {
		return err
	}
	return p.object(func(name string) error {
		s := p.lock.Servers[name]
		if s == nil {
			p.ignore("the lock has no such server")
			return nil
		}
		if kind := p.r.Kind(); kind != '{' {
			p.ignore("must be an object, found " + canon.KindName(kind))
			return nil
		}
		tools := map[string]pinned{}
		p.servers[name] = tools
		return p.object(func(tool string) error { return p.contract(s, tool, tools) })
	})
}

func (p *contractsParser) check() error {
	if fault := p.fixed(p.top, "contractpin-contracts", ContractsVersion, "contracts file version"); fault != nil {
		return fault
	}
	if _, fault := p.typed(p.top, "servers", '{'); fault != nil {
		return fault
	}
	return nil
}

// contract keeps the contract that is next if it is the one that the lock pins: what is written there must be the
// contract object to the byte, as its canonical form goes.
func (p *contractsParser) contract(s *Server, tool string, tools map[string]pinned) error {
	pin, ok := s.Tools[tool]
	if !ok {
		p.ignore("the lock has no such tool")
		return nil
	}
	p.r.Kind()
	from, line := p.offset(), p.keyLine()
	v, err := p.r.Value()
	if err != nil {
		return err
	}
	p.scratch = v.Append(p.scratch[:0])
	if contract.Sum(p.scratch) != pin.Digest {
		p.warn(&Error{File: p.file, Place: p.placeOf(), Line: line, Reason: "is not the contract that the lock pins"}, "it is ignored")
		return nil
	}
	to := p.offset()
	tools[tool] = pinned{p.src[from:to:to], pin.Digest}
	return nil
}

// ignore warns of the value that is next.
func (p *contractsParser) ignore(why string) {
	p.warn(&Error{File: p.file, Place: p.placeOf(), Line: p.keyLine(), Reason: why}, "it is ignored")
}

// tool parses the contract, or returns nil where it is not the one with that name and digest.
func (e pinned) tool(name string) *contract.Tool {
	t, err := contract.ParseTool(e.raw)
	if err != nil || t.Name != name || t.Pin.Digest != e.digest {
		return nil
	}
	return t
}

// Tool returns the locked contract of a tool, or nil where none is known.
func (c *Contracts) Tool(server, tool string) *contract.Tool {
	if c == nil {
		return nil
	}
	e, ok := c.servers[server][tool]
	if !ok {
		return nil
	}
	return e.tool(tool)
}

// Set replaces everything held of one server; nil tools removes it.
func (c *Contracts) Set(server string, tools []contract.Tool) {
	if tools == nil {
		delete(c.servers, server)
		return
	}
	kept := make(map[string]pinned, len(tools))
	for i := range tools {
		if t := &tools[i]; nesting(t.Contract) <= maxNesting {
			kept[t.Name] = pinned{t.Contract, t.Pin.Digest}
		}
	}
	if c.servers == nil {
		c.servers = map[string]map[string]pinned{}
	}
	c.servers[server] = kept
}

// Encode renders the file like the lock.
func (c *Contracts) Encode() []byte {
	e := &encoder{}
	e.open('{')
	e.member("contractpin-contracts", ContractsVersion)
	e.key("servers")
	e.open('{')
	if c != nil {
		for _, name := range slices.Sorted(maps.Keys(c.servers)) {
			e.key(name)
			e.contracts(c.servers[name])
		}
	}
	e.close('}')
	e.close('}')
	e.buf = append(e.buf, '\n')
	return e.buf
}

func (e *encoder) contracts(tools map[string]pinned) {
	e.open('{')
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		if t := tools[name].tool(name); t != nil {
			e.key(name)
			e.canonical(t.Contract)
		}
	}
	e.close('}')
}
