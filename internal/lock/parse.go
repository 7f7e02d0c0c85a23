package lock

import (
	"strconv"
	"time"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/contract"
)

// Parse checks a lock's bytes; name stands for the file in errors, which are *Error.
//
// Bad JSON is reported before anything else, then an unknown version: what another version calls its keys is not ours to
// judge. After that the first fault in the file's order counts.
func Parse(name string, data []byte) (*Lock, error) { return parse(name, data, nil) }

// parse is Parse, but lets the sums of those servers pass whose pins are about to be replaced.
func parse(name string, data []byte, replaced func(server string) bool) (*Lock, error) {
	l := &Lock{Servers: map[string]*Server{}}
	p := &lockParser{lock: l, top: nodes{of: map[string]node{}}, replaced: replaced}
	if err := p.document(name, data, p.member); err != nil {
		return nil, err
	}
	if fault := p.check(); fault != nil {
		return nil, fault
	}
	l.Digest = contract.Sum(data)
	l.Warnings = p.allWarnings()
	return l, nil
}

type lockParser struct {
	parser
	lock     *Lock
	top      nodes
	replaced func(server string) bool // nil: none
}

func (p *lockParser) member(key string) error {
	n, err := p.node()
	p.top.of[key] = n
	if err != nil || key != "servers" || n.kind != '{' {
		return err
	}
	return p.object(func(name string) error {
		s := &Server{Name: name, Line: p.keyLine()}
		p.lock.Servers[name] = s
		return p.server(s)
	})
}

// check holds the top level against SPEC §5 and returns the fault that counts.
func (p *lockParser) check() *Error {
	for _, k := range [][3]string{
		{"contractpin", Version, "lock version"},
		{"algorithm", Algorithm, "algorithm"},
		{"canonicalization", Canonicalization, "canonicalization"},
	} {
		if fault := p.fixed(p.top, k[0], k[1], k[2]); fault != nil {
			return fault
		}
	}
	at, fault := p.typed(p.top, "generated_at", '"')
	if fault != nil {
		return fault
	}
	t, err := time.Parse(timeForm, at.text)
	if err != nil || t.Format(timeForm) != at.text { // time.Parse takes fractions of a second too
		return p.errorAt(at.off, "malformed timestamp "+quote(at.text)+": want the form 2026-08-14T09:31:07Z", "generated_at")
	}
	p.lock.GeneratedAt = t
	if _, fault = p.typed(p.top, "servers", '{'); fault != nil {
		return fault
	}
	return p.first
}

// entry is a server entry while it is read. What is wrong with command and env matters only where the transport is
// stdio, and that may come later.
type entry struct {
	*Server
	nodes
	setup *Error
}

func (p *lockParser) server(s *Server) error {
	e := &entry{Server: s, nodes: nodes{s.Line, map[string]node{}}}
	err := p.object(func(key string) (err error) {
		n, err := p.node()
		e.of[key] = n
		switch {
		case err != nil:
		case key == "command" && n.kind == '[':
			err = p.command(e)
		case key == "env" && n.kind == '{':
			err = p.env(e)
		case key == "tools" && n.kind == '{':
			err = p.tools(s)
		}
		return err
	})
	if err == nil && p.first == nil {
		p.fail(p.entry(e))
	}
	return err
}

func (p *lockParser) command(e *entry) error {
	return p.r.Array(func(i int) error {
		n, err := p.node()
		if n.kind != '"' && e.setup == nil {
			e.setup = p.errorAt(n.off, "must be a string, found "+canon.KindName(n.kind))
			e.setup.Place += "[" + strconv.Itoa(i) + "]"
		}
		e.Command = append(e.Command, n.text)
		return err
	})
}

func (p *lockParser) env(e *entry) error {
	return p.object(func(name string) error {
		n, err := p.node()
		if n.kind != '"' && e.setup == nil {
			e.setup = p.errorAt(n.off, "must be a string, found "+canon.KindName(n.kind))
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		e.Env[name] = n.text
		return err
	})
}

// entry holds a server entry against SPEC §5.
func (p *lockParser) entry(e *entry) *Error {
	transport, fault := p.typed(e.nodes, "transport", '"')
	if fault != nil {
		return fault
	}
	switch e.Transport = transport.text; e.Transport {
	case Stdio:
		fault = p.stdio(e)
	case HTTP:
		e.URL, fault = p.filled(e.nodes, "url")
	case File:
		e.Path, fault = p.filled(e.nodes, "path")
	default:
		fault = p.errorAt(transport.off, "unknown transport "+quote(e.Transport)+`: must be "stdio", "http" or "file"`, "transport")
	}
	if fault != nil {
		return fault
	}
	if e.Transport != Stdio {
		e.Command, e.Env = nil, nil
	}
	return p.pins(e)
}

func (p *lockParser) stdio(e *entry) *Error {
	command, fault := p.typed(e.nodes, "command", '[')
	if fault != nil {
		return fault
	}
	if e.setup != nil {
		return e.setup
	}
	if len(e.Command) == 0 || e.Command[0] == "" {
		return p.errorAt(command.off, "must name a program", "command")
	}
	// Writers differ in whether they leave out what is not set or write null: both are absent.
	if n, ok := e.of["env"]; ok && n.kind != 'n' {
		if _, fault = p.typed(e.nodes, "env", '{'); fault != nil {
			return fault
		}
	}
	if n, ok := e.of["cwd"]; ok && n.kind != 'n' {
		if n, fault = p.typed(e.nodes, "cwd", '"'); fault != nil {
			return fault
		}
		e.Cwd = n.text
	}
	return nil
}

// filled returns a string that must not be empty.
func (p *parser) filled(m nodes, key string) (string, *Error) {
	n, fault := p.typed(m, key, '"')
	if fault == nil && n.text == "" {
		fault = p.errorAt(n.off, "must not be empty", key)
	}
	return n.text, fault
}

const unsound = "the entry was edited by hand or merged line by line: restore it, or pin the server again with contractpin init --force"

// pins holds tool_count and the server digest against the tools.
func (p *lockParser) pins(e *entry) *Error {
	if _, fault := p.typed(e.nodes, "tools", '{'); fault != nil {
		return fault
	}
	count, fault := p.typed(e.nodes, "tool_count", '0')
	if fault != nil {
		return fault
	}
	again := p.replaced != nil && p.replaced(e.Name)
	if have := strconv.Itoa(len(e.Tools)); count.text != have && !again {
		fault = p.errorAt(count.off, count.text+", but tools holds "+have, "tool_count")
		fault.Hint = unsound
		return fault
	}
	if e.Digest, fault = p.digest(e.nodes); fault != nil {
		return fault
	}
	if sum := e.Tools.Digest(); sum != e.Digest && !again {
		fault = p.errorAt(e.of["digest"].off, quote(e.Digest.String())+" is not the digest of its tools, which is "+quote(sum.String()), "digest")
		fault.Hint = unsound
		return fault
	}
	return nil
}

func (p *parser) digest(m nodes) (contract.Digest, *Error) {
	n, fault := p.typed(m, "digest", '"')
	if fault != nil {
		return contract.Digest{}, fault
	}
	d, err := contract.ParseDigest(n.text)
	if err != nil {
		return contract.Digest{}, p.errorAt(n.off, "malformed digest "+quote(n.text), "digest")
	}
	return d, nil
}

func (p *lockParser) tools(s *Server) error {
	s.Tools, s.ToolLines = contract.Pins{}, map[string]int{}
	return p.object(func(name string) error {
		line := p.keyLine()
		pin, err := p.tool(line)
		s.ToolLines[name], s.Tools[name] = line, pin
		return err
	})
}

// tool reads one tool's pin. Its fields are advisory (SPEC §4.2): malformed ones are dropped with a warning.
func (p *lockParser) tool(line int) (contract.Pin, error) {
	m := nodes{line, make(map[string]node, 2)}
	var pin contract.Pin
	err := p.object(func(key string) (err error) {
		switch key {
		case "digest":
			m.of[key], err = p.node()
		case "fields":
			pin.Fields, err = p.fields()
		}
		return err
	})
	if err == nil && p.first == nil {
		var fault *Error
		pin.Digest, fault = p.digest(m)
		p.fail(fault)
	}
	return pin, err
}

// fields reads the field digests that are next; none where they cannot be used.
func (p *lockParser) fields() (fields contract.Fields, err error) {
	var bad *Error
	if kind := p.r.Kind(); kind != '{' {
		p.warn(p.errorAt(p.offset(), "must be an object, found "+canon.KindName(kind)), fieldsIgnored)
		return fields, nil
	}
	err = p.object(func(name string) error {
		if !isField(name) { // of a later version of the format
			return nil
		}
		n, err := p.node()
		d, bad1 := contract.ParseDigest(n.text)
		if n.kind != '"' || bad1 != nil {
			bad = p.errorAt(n.off, "malformed digest "+n.String())
		}
		fields.Set(name, d)
		return err
	})
	if bad != nil {
		p.warn(bad, fieldsIgnored)
		fields = contract.Fields{}
	}
	return fields, err
}

const fieldsIgnored = "the tool's field digests are ignored"

func isField(name string) bool {
	switch name {
	case contract.FieldAnnotations, contract.FieldDescription, contract.FieldInputSchema, contract.FieldName, contract.FieldOutputSchema:
		return true
	}
	return false
}
