package lock

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

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
	servers map[string]map[string]entry
}

// entry is a contract with its digest.
type entry struct {
	raw    []byte
	digest contract.Digest
}

// ContractsPath is the lock's name with .contracts.json for .lock.
func ContractsPath(lockPath string) string {
	return strings.TrimSuffix(lockPath, ".lock") + ".contracts.json"
}

// LoadContracts reads the contracts file beside the lock. Each entry is digested; one whose digest is not the lock's is
// ignored. Whatever is wrong with the file is said in warnings and changes nothing but the detail shown. A file that is
// not there is no warning.
func LoadContracts(path string, l *Lock) (*Contracts, []string) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []string{err.Error() + "; the contracts file is ignored"}
	}
	return ParseContracts(path, data, l)
}

// ParseContracts does the same from bytes. It keeps data.
func ParseContracts(name string, data []byte, l *Lock) (*Contracts, []string) {
	p := &contractsParser{parser: parser{file: name, walker: walker{src: data}}, lock: l}
	if err := p.parse(); err != nil {
		return nil, []string{err.Error() + "; the contracts file is ignored"}
	}
	if p.ignored > len(p.warnings) {
		p.warnings = append(p.warnings, name+": "+strconv.Itoa(p.ignored-len(p.warnings))+" more entries are ignored")
	}
	return &Contracts{servers: p.servers}, p.warnings
}

type contractsParser struct {
	parser
	lock    *Lock
	servers map[string]map[string]entry
}

func (p *contractsParser) parse() error {
	if err := p.syntax(); err != nil {
		return err
	}
	top := p.space(0)
	m := p.members(top, "contractpin-contracts", "servers")
	if err := p.fixed(top, m, "contractpin-contracts", ContractsVersion, "contracts file version"); err != nil {
		return err
	}
	off, err := p.member(top, m, "servers", object)
	if err != nil {
		return err
	}
	p.push("servers")
	p.servers = map[string]map[string]entry{}
	p.object(off, func(key, value int) (int, error) {
		name := p.text(key)
		p.push(name)
		defer p.pop()
		s := p.lock.Servers[name]
		if s == nil {
			p.ignore(key, "the lock has no such server")
			return 0, nil
		}
		if p.kind(value) != object {
			p.ignore(value, "must be an object, found "+p.kind(value))
			return 0, nil
		}
		return p.keep(s, value), nil
	})
	return nil
}

// keep takes the contracts that the lock pins and returns the offset after the server's entry.
func (p *contractsParser) keep(s *Server, off int) int {
	kept := map[string]entry{}
	end, _ := p.object(off, func(key, value int) (int, error) {
		tool, next := p.text(key), p.end(value)
		p.push(tool)
		defer p.pop()
		pin, pinned := s.Tools[tool]
		if !pinned {
			p.ignore(key, "the lock has no such tool")
			return next, nil
		}
		e := entry{p.src[value:next:next], pin.Digest}
		if e.tool(tool) == nil {
			p.ignore(key, "is not the contract that the lock pins")
			return next, nil
		}
		kept[tool] = e
		return next, nil
	})
	p.servers[s.Name] = kept
	return end
}

// ignore warns of an entry that is not used.
func (p *contractsParser) ignore(off int, why string) {
	if p.ignored++; p.ignored < maxWarnings {
		p.warnings = append(p.warnings, p.errorAt(off, why+"; it is ignored").Error())
	}
}

// tool parses the contract, or returns nil where it is not the one with the entry's name and digest.
func (e entry) tool(name string) *contract.Tool {
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
	kept := make(map[string]entry, len(tools))
	for i := range tools {
		if t := &tools[i]; nesting(t.Contract) <= maxNesting {
			kept[t.Name] = entry{t.Contract, t.Pin.Digest}
		}
	}
	if c.servers == nil {
		c.servers = map[string]map[string]entry{}
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

func (e *encoder) contracts(tools map[string]entry) {
	e.open('{')
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		e.key(name)
		e.canonical(tools[name].tool(name).Contract)
	}
	e.close('}')
}
