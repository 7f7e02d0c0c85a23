package canon

import (
	"bytes"
	"iter"
)

// Value is a value that was read and not yet written.
type Value struct {
	s      *scanner
	source []byte // holds the tokens of the value in canonical form and in the order of the source
	span
	root bool
}

// Kind is the value's first character, as Reader.Kind has it; zero for the zero Value.
func (v Value) Kind() byte { return kindAt(v.source, int(v.start)) }

// KindName names a kind for people: "an object", "null".
func KindName(kind byte) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't':
		return "true"
	case 'f':
		return "false"
	case 'n':
		return "null"
	}
	return "nothing"
}

// Len is the length of the canonical form in bytes.
func (v Value) Len() int { return int(v.end - v.start) }

// Append appends the canonical form.
func (v Value) Append(dst []byte) []byte { return v.s.emit(dst, v.source, v.span) }

// Text is the decoded string, and false for a value of another kind.
func (v Value) Text() (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	body := v.source[v.start+1 : v.end-1]
	if bytes.IndexByte(body, '\\') >= 0 {
		body = unescape(nil, body)
	}
	return string(body), true
}

// Members yields the decoded keys and the values of the object that Reader.Value returned, in canonical order, and
// nothing for any other value. A key is good for one step.
func (v Value) Members() iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		if !v.root {
			return
		}
		for i := range v.s.root {
			m := &v.s.root[i]
			inner := m.span
			inner.start += uint32(canonicalLen(v.source[m.start:]) + len(":"))
			if !yield(v.s.decoded(m), Value{v.s, v.source, inner, false}) {
				return
			}
		}
	}
}

// canonicalLen is the length of the canonical string at the start of b.
func canonicalLen(b []byte) int {
	i := 1
	for b[i] != '"' {
		if b[i] == '\\' {
			i++
		}
		i++
	}
	return i + 1
}

// job is what remains to be written of an object whose members are being put in order.
type job struct {
	next, last uint32 // members still to write
	after      span   // what follows the object's members in the span around it
}

// emit appends the span of source, each object in it in order.
func (s *scanner) emit(dst, source []byte, p span) []byte {
	jobs := s.jobs[:0]
	for {
		if int(p.object) < len(s.objects) && s.objects[p.object].start < p.end {
			o := &s.objects[p.object]
			if o.first == o.last { // only something inside it is out of order
				p.object++
				continue
			}
			dst = append(dst, source[p.start:o.start+1]...)
			jobs = append(jobs, job{o.first + 1, o.last, span{o.end, p.end, o.next}})
			p = s.sorted[o.first]
			continue
		}
		dst = append(dst, source[p.start:p.end]...)
		if len(jobs) == 0 {
			s.jobs = jobs
			return dst
		}
		j := &jobs[len(jobs)-1]
		if j.next < j.last {
			dst = append(dst, ',')
			p = s.sorted[j.next]
			j.next++
			continue
		}
		p = j.after
		jobs = jobs[:len(jobs)-1]
	}
}
