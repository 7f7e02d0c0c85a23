package contract

import "github.com/contractpin/verify/internal/canon"

// Tool is one tool of a listing: its name, the canonical bytes of its contract, and its pin.
type Tool struct {
	Name     string
	Contract []byte // canonical contract object; read only
	Pin      Pin
	spans    [len(fields)]span // of the fields in Contract
}

// span is a part of a contract; an empty one stands for a field that is not there.
type span struct{ from, to uint32 }

// Field returns the canonical bytes of one field of the contract, or nil where the contract has no such field.
func (t *Tool) Field(name string) []byte {
	i := fieldIndex(name)
	if i < 0 || t.spans[i].to == 0 {
		return nil
	}
	return t.Contract[t.spans[i].from:t.spans[i].to:t.spans[i].to]
}

// write builds the contract object of the tool's pinned values; a zero Value stands for an absent one.
func (t *Tool) write(a *arena, values *[len(fields)]canon.Value) {
	size := len("{}")
	for i, f := range fields {
		size += len(f.key) + len("null,") + values[i].Len()
	}
	b := a.take(size)
	b = append(b, '{')
	for i, f := range fields {
		v := values[i]
		absent := v.Kind() == 0 || v.Kind() == 'n'
		if absent && !f.required {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, f.key...)
		from := len(b)
		if absent {
			b = append(b, "null"...)
		} else {
			b = v.Append(b)
		}
		t.spans[i] = span{uint32(from), uint32(len(b))}
	}
	t.Contract = a.keep(append(b, '}'))
}
