package lock

import (
	"strconv"

	"github.com/contractpin/verify/internal/contract"
)

// server reads the server entry at off; key is the offset of its name. It returns the offset after the entry.
func (p *parser) server(s *Server, key, off int) (int, error) {
	if p.kind(off) != object {
		return 0, p.errorAt(off, "must be an object, found "+p.kind(off))
	}
	m := map[string]int{}
	end, _ := p.object(off, func(k, value int) (int, error) {
		m[p.text(k)] = value
		return 0, nil
	})
	var err error
	if s.Transport, err = p.string(key, m, "transport"); err != nil {
		return 0, err
	}
	switch s.Transport {
	case Stdio:
		err = p.stdio(s, key, m)
	case HTTP:
		s.URL, err = p.filled(key, m, "url")
	case File:
		s.Path, err = p.filled(key, m, "path")
	default:
		err = p.errorAt(m["transport"], "unknown transport "+quote(s.Transport)+`: must be "stdio", "http" or "file"`, "transport")
	}
	if err != nil {
		return 0, err
	}
	return end, p.pins(s, key, m)
}

// filled reads a string that must not be empty.
func (p *parser) filled(owner int, m map[string]int, key string) (string, error) {
	s, err := p.string(owner, m, key)
	if err == nil && s == "" {
		err = p.errorAt(m[key], "must not be empty", key)
	}
	return s, err
}

func (p *parser) stdio(s *Server, key int, m map[string]int) error {
	off, err := p.member(key, m, "command", array)
	if err != nil {
		return err
	}
	err = p.array(off, func(off int) error {
		if p.kind(off) != str {
			return p.errorAt(off, "must be a string, found "+p.kind(off), "command", "["+strconv.Itoa(len(s.Command))+"]")
		}
		s.Command = append(s.Command, p.text(off))
		return nil
	})
	if err != nil {
		return err
	}
	if len(s.Command) == 0 || s.Command[0] == "" {
		return p.errorAt(off, "must name a program", "command")
	}
	return p.setup(s, key, m)
}

// setup reads env and cwd. Writers differ in whether they leave out what is not set or write null; both are absent.
func (p *parser) setup(s *Server, key int, m map[string]int) error {
	for _, k := range []string{"cwd", "env"} {
		if off, ok := m[k]; ok && p.kind(off) == null {
			delete(m, k)
		}
	}
	if _, ok := m["cwd"]; ok {
		var err error
		if s.Cwd, err = p.string(key, m, "cwd"); err != nil {
			return err
		}
	}
	if _, ok := m["env"]; !ok {
		return nil
	}
	off, err := p.member(key, m, "env", object)
	if err != nil {
		return err
	}
	_, err = p.object(off, func(k, value int) (int, error) {
		name := p.text(k)
		if p.kind(value) != str {
			return 0, p.errorAt(value, "must be a string, found "+p.kind(value), "env", name)
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[name] = p.text(value)
		return 0, nil
	})
	return err
}

// pins reads the tools and holds tool_count and the server digest against them.
func (p *parser) pins(s *Server, key int, m map[string]int) error {
	tools, err := p.member(key, m, "tools", object)
	if err != nil {
		return err
	}
	s.Tools, s.ToolLines = contract.Pins{}, map[string]int{}
	p.push("tools")
	_, err = p.object(tools, func(k, value int) (int, error) {
		name := p.text(k)
		s.ToolLines[name] = p.line(k)
		p.push(name)
		pin, end, err := p.tool(k, value)
		p.pop()
		s.Tools[name] = pin
		return end, err
	})
	p.pop()
	if err != nil {
		return err
	}
	if err := p.toolCount(s, key, m); err != nil {
		return err
	}
	if s.Digest, err = p.digest(key, m); err != nil {
		return err
	}
	if sum := s.Tools.Digest(); sum != s.Digest {
		e := p.errorAt(m["digest"], quote(s.Digest.String())+" is not the digest of its tools, which is "+quote(sum.String()), "digest")
		e.Hint = "the entry was edited by hand or merged line by line: restore it, or pin the server again with contractpin init --force"
		return e
	}
	return nil
}

func (p *parser) toolCount(s *Server, key int, m map[string]int) error {
	off, err := p.member(key, m, "tool_count", number)
	if err != nil {
		return err
	}
	if n, err := strconv.ParseFloat(string(p.src[off:p.end(off)]), 64); err != nil || n != float64(len(s.Tools)) {
		return p.errorAt(off, p.literal(off)+", but tools holds "+strconv.Itoa(len(s.Tools)), "tool_count")
	}
	return nil
}

// tool reads one tool's pin. Its fields are advisory (SPEC §4.2): malformed ones are dropped with a warning.
func (p *parser) tool(key, off int) (contract.Pin, int, error) {
	if p.kind(off) != object {
		return contract.Pin{}, 0, p.errorAt(off, "must be an object, found "+p.kind(off))
	}
	m := make(map[string]int, 2)
	end, _ := p.object(off, func(k, value int) (int, error) {
		switch name := p.text(k); name {
		case "digest", "fields":
			m[name] = value
		}
		return 0, nil
	})
	d, err := p.digest(key, m)
	if err != nil {
		return contract.Pin{}, 0, err
	}
	pin := contract.Pin{Digest: d}
	if off, ok := m["fields"]; ok {
		var bad *Error
		if pin.Fields, bad = p.fields(off); bad != nil {
			p.warn(bad)
		}
	}
	return pin, end, nil
}

func (p *parser) digest(owner int, m map[string]int) (contract.Digest, error) {
	s, err := p.string(owner, m, "digest")
	if err != nil {
		return contract.Digest{}, err
	}
	d, err := contract.ParseDigest(s)
	if err != nil {
		return contract.Digest{}, p.errorAt(m["digest"], "malformed digest "+quote(s), "digest")
	}
	return d, nil
}

// fields reads the field digests at off; nil where there are none to be used.
func (p *parser) fields(off int) (map[string]contract.Digest, *Error) {
	if p.kind(off) != object {
		return nil, p.errorAt(off, "must be an object, found "+p.kind(off), "fields")
	}
	fields := make(map[string]contract.Digest, 5)
	var bad *Error
	p.object(off, func(k, value int) (int, error) {
		name := p.text(k)
		if !isField(name) { // of a later version of the format
			return 0, nil
		}
		d, err := contract.Digest{}, error(nil)
		if p.kind(value) == str {
			d, err = contract.ParseDigest(p.text(value))
		}
		if err != nil || d.IsZero() {
			bad = p.errorAt(value, "malformed digest "+p.shown(value), "fields", name)
			return 0, bad
		}
		fields[name] = d
		return 0, nil
	})
	if bad != nil || len(fields) == 0 {
		return nil, bad
	}
	return fields, nil
}

func isField(name string) bool {
	switch name {
	case contract.FieldAnnotations, contract.FieldDescription, contract.FieldInputSchema, contract.FieldName, contract.FieldOutputSchema:
		return true
	}
	return false
}
