package contract

import (
	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/visible"
)

// Page is one tools/list result.
type Page struct {
	Tools   []Tool
	Next    *string // nextCursor; nil when absent or null
	Bytes   int     // length of the raw result
	Rounded []Place // at most 100
}

// Malformed is the error of a listing that is no valid listing. Its message quotes names and kinds, never texts, but for
// that of a JSON-RPC error.
type Malformed struct {
	Code    string // one of the codes below
	Message string // one line, safe to print
}

// Codes of Malformed.
const (
	CodeSyntax        = "syntax"         // no JSON that SPEC §3 accepts
	CodeNotAListing   = "not-a-listing"  // JSON of another shape
	CodeDuplicateTool = "duplicate-tool" // SPEC §4.4
	CodeIncomplete    = "incomplete"     // not all of a listing
	CodeRPCError      = "rpc-error"      // a JSON-RPC error in a listing's place
)

func (e *Malformed) Error() string { return e.Message }

// ParsePage reads the raw result of one tools/list call. Errors are *Malformed.
func ParsePage(raw []byte) (*Page, error) {
	p := newParser(raw, false)
	defer p.release()
	if err := p.end(p.result("the listing")); err != nil {
		return nil, err
	}
	return p.page(), nil
}

// ParseDump reads a tools/list result, a JSON-RPC response that holds one, or a bare array of tools (SPEC §5, transport
// "file"). A dump with a nextCursor is *Malformed with Code "incomplete".
func ParseDump(raw []byte) (*Listing, error) { return parseDump(raw, false) }

// DigestDump is ParseDump for a caller that wants pins only: it keeps no Contract, so that the listing of a large dump is
// much smaller than the dump.
func DigestDump(raw []byte) (*Listing, error) { return parseDump(raw, true) }

func parseDump(raw []byte, drop bool) (*Listing, error) {
	p := newParser(raw, drop)
	defer p.release()
	if err := p.end(p.dump()); err != nil {
		return nil, err
	}
	page := p.page()
	if page.Next != nil {
		return nil, &Malformed{CodeIncomplete, "the listing is incomplete: nextCursor is present, so there were more pages"}
	}
	return page.join()
}

// result reads a tools/list result; what names it in messages.
func (p *parser) result(what string) error {
	if k := p.Kind(); k != '{' {
		return p.skip(what + " is " + canon.KindName(k) + ", not an object")
	}
	found := false
	err := p.Object(func(key []byte) error {
		if string(key) == "tools" {
			found = true
		}
		return p.member(key)
	})
	if !found {
		p.malformed(what + " has no tools")
	}
	return err
}

// member reads one member of a tools/list result.
func (p *parser) member(key []byte) error {
	switch string(key) {
	case "tools":
		if k := p.Kind(); k != '[' {
			return p.skip("tools is " + canon.KindName(k) + ", not an array")
		}
		return p.Array(p.tool)
	case "nextCursor":
		v, err := p.Value()
		if err != nil {
			return err
		}
		if cursor, ok := v.Text(); ok {
			p.next = &cursor
		} else if v.Kind() != 'n' {
			p.malformed("nextCursor is " + canon.KindName(v.Kind()) + ", not a string")
		}
	case "resultType":
		v, err := p.Value()
		if err != nil {
			return err
		}
		switch text, ok := v.Text(); {
		case !ok:
			p.malformed("resultType is " + canon.KindName(v.Kind()) + ", not a string")
		case text == "input_required":
			p.malformed(`resultType is "input_required": the server wants input before it lists its tools`)
		case text != "complete":
			p.malformed(`resultType is not "complete"`)
		}
	}
	return nil
}

// dump reads any of the shapes that ParseDump knows. A member tools makes an object a tools/list result, whatever else
// it has.
func (p *parser) dump() error {
	switch k := p.Kind(); k {
	case '[':
		return p.Array(p.tool)
	case '{':
	default:
		return p.skip("the dump is " + canon.KindName(k) + ", not an object or array")
	}
	var found bool
	whole, response := p.listed, (*listed)(nil)
	err := p.Object(func(key []byte) error {
		switch string(key) {
		case "tools":
			found = true
		case "result":
			p.begin()
			err := p.result("the response's result")
			if response == nil {
				response = p.listed
			}
			p.listed = whole
			return err
		case "error":
			v, err := p.Value()
			if err == nil && v.Kind() != 'n' {
				response = &listed{err: &Malformed{CodeRPCError, "the dump holds a JSON-RPC error: " + describeError(v)}}
			}
			return err
		}
		return p.member(key)
	})
	switch {
	case found:
	case response != nil:
		p.listed = response
	default:
		p.malformed("the dump is an object with neither tools nor a result")
	}
	return err
}

// describeError quotes the code and the message of a JSON-RPC error.
func describeError(v canon.Value) string {
	code, message := "no code", "no message"
	for key, member := range v.Members() {
		switch string(key) {
		case "code":
			if member.Kind() == '0' {
				code = "code " + string(member.Append(nil))
			}
		case "message":
			if text, ok := member.Text(); ok {
				message = `"` + visible.Line(text, 200) + `"`
			}
		}
	}
	return code + ", " + message
}
