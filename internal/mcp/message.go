package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// message is one JSON-RPC message of a server. go-sdk's own decoder is not used for it: it stops at 1,000 levels,
// overlooks what follows the first value, and takes the last of two members of one name.
type message struct {
	id     []byte // raw JSON; nil when absent or null
	method string // "" in a response
	isCall bool   // has a method member
	result []byte // raw bytes, part of the input; nil when absent
	err    *jsonrpc.Error
	status string // HTTP status that an error came with; "" for success and other transports
}

// errNoise marks input that is not meant as JSON-RPC: a banner, a log line, a blank line.
var errNoise = errors.New("not a JSON-RPC message")

// brokenError is the error of input that is meant as JSON-RPC and is none.
type brokenError struct{ why string }

func (e *brokenError) Error() string { return e.why }

var decodeOptions = []jsontext.Options{
	// What is pinned is judged strictly by contract.ParsePage. The envelope only has to be found.
	jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
}

// decode reads one message or, as 2025-03-26 allows, an array of them. Results are slices of data. Errors are errNoise
// and *brokenError.
func decode(data []byte) ([]*message, error) {
	data = bytes.Trim(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return nil, errNoise
	}
	if data[0] == '{' {
		m, err := decodeOne(data)
		if err != nil {
			return nil, judge(data, err)
		}
		return []*message{m}, nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), decodeOptions...)
	if _, err := dec.ReadToken(); err != nil {
		return nil, judge(data, err)
	}
	var out []*message
	for dec.PeekKind() != ']' {
		element, err := readValue(dec, data)
		if err != nil {
			return nil, judge(data, err)
		}
		m, err := decodeOne(element)
		if err != nil {
			return nil, judge(data, err)
		}
		out = append(out, m)
	}
	if err := readEnd(dec); err != nil {
		return nil, judge(data, err)
	}
	return out, nil
}

// judge tells a broken message from noise: servers log JSON objects and arrays too.
func judge(data []byte, err error) error {
	if !errors.Is(err, errNoise) && bytes.Contains(data[:min(len(data), 4096)], []byte(`"jsonrpc"`)) {
		return &brokenError{err.Error()}
	}
	return errNoise
}

func decodeOne(data []byte) (*message, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), decodeOptions...)
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, errors.Join(errNoise, err)
	}
	m := &message{}
	seen := map[string]bool{}
	version := ""
	for dec.PeekKind() != '}' {
		t, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := t.String()
		value, err := readValue(dec, data)
		if err != nil {
			return nil, err
		}
		switch name {
		case "jsonrpc", "id", "method", "params", "result", "error":
			if seen[name] {
				return nil, fmt.Errorf("two members named %q in one message", name)
			}
			seen[name] = true
		}
		switch name {
		case "jsonrpc":
			version = unquote(value)
		case "id":
			if value[0] != 'n' {
				m.id = value
			}
		case "method":
			m.method, m.isCall = unquote(value), true
		case "result":
			m.result = value
		case "error":
			if value[0] != 'n' {
				m.err = decodeError(value)
			}
		}
	}
	if err := readEnd(dec); err != nil {
		return nil, err
	}
	if version != "2.0" {
		return nil, errNoise
	}
	return m, nil
}

func readValue(dec *jsontext.Decoder, data []byte) ([]byte, error) {
	v, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := dec.InputOffset()
	return data[end-int64(len(v)) : end : end], nil
}

// readEnd reads the closing bracket and checks that nothing follows it.
func readEnd(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the message at byte %d", dec.InputOffset())
	}
	return nil
}

func unquote(v []byte) string {
	if v[0] != '"' {
		return ""
	}
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil && len(s) == 0 {
		return ""
	}
	return string(s)
}

// decodeError is lenient: an error object of the wrong shape is still an error.
func decodeError(v []byte) *jsonrpc.Error {
	e := &jsonrpc.Error{}
	if json.Unmarshal(v, e) != nil {
		return &jsonrpc.Error{Message: string(v)}
	}
	return e
}

// call returns the number of the call that a response answers. Servers that echo the number as a string mean the same.
func (m *message) call() (int64, bool) {
	n, err := strconv.ParseInt(string(bytes.Trim(m.id, `"`)), 10, 64)
	return n, err == nil
}
