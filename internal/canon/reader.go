package canon

import "iter"

// Reader reads one document value by value: a caller that knows the outer shape walks it with Object and Array and takes
// the values inside with Value, so that nothing is parsed twice. It rejects what Append rejects. Every error of its own
// is an *Error. A zero Reader must be Reset before use.
type Reader struct {
	scanner
}

// Reset makes r read src, which must not change until r is reset again. r keeps its buffers, but none of more than a few
// megabytes. watch selects the members of each Value whose rounded integers are recorded; nil selects all.
func (r *Reader) Reset(src []byte, watch func(key []byte) bool) {
	r.release()
	r.watch = watch
	r.reset(src)
}

// Kind tells what value comes next by its first character: one of { [ " 0 t f n, where 0 stands for every number. It is
// zero where no value starts.
func (r *Reader) Kind() byte {
	r.space()
	if r.pos >= len(r.src) {
		return 0
	}
	return kindOf(r.src[r.pos])
}

func kindOf(c byte) byte {
	switch c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// Offset is the byte offset of what is read next.
func (r *Reader) Offset() int64 { return int64(r.pos) }

// Object reads an object, and calls member with each decoded key when that member's value is next. A value that member
// leaves unread is checked and skipped. An error of member ends the reading.
func (r *Reader) Object(member func(key []byte) error) error {
	return r.walk('{', func() error { return member(r.currentKey(len(r.frames) - 1)) })
}

// Array reads an array, and calls element with each index when that element is next, in the manner of Object.
func (r *Reader) Array(element func(i int) error) error {
	return r.walk('[', func() error { return element(int(r.frames[len(r.frames)-1].count)) })
}

func (r *Reader) walk(kind byte, visit func() error) error {
	if r.Kind() != kind {
		return r.fail(r.pos, "expected '"+string(kind)+"'")
	}
	r.begin()
	if err := r.push(kind, true); err != nil {
		return err
	}
	closed, err := r.enter()
	for !closed && err == nil {
		at := r.pos
		if err = visit(); err != nil {
			return err
		}
		if r.pos == at {
			if _, err = r.Value(); err != nil {
				return err
			}
		}
		r.begin()
		closed, err = r.after()
	}
	return err
}

// Value reads the next value. The Value is good until r is used again.
func (r *Reader) Value() (Value, error) {
	r.space()
	if len(r.src) > maxSize {
		return Value{}, r.fail(0, "longer than 2 GiB")
	}
	r.begin()
	if err := r.value(); err != nil {
		return Value{}, err
	}
	source := r.src[r.start:r.pos] // canonical as it stands, but for the order of keys
	if r.run != r.start {
		r.flush(r.pos)
		r.run = r.pos
		source = r.flat
	}
	return Value{s: &r.scanner, source: source, to: uint32(len(source)), root: true}, nil
}

// End checks that nothing but white space is left.
func (r *Reader) End() error {
	r.space()
	if r.pos < len(r.src) {
		return r.fail(r.pos, "unexpected data after the value")
	}
	return nil
}

// Rounded lists the integers of the Value read last that a double cannot hold, at most maxRounded of them.
func (r *Reader) Rounded() []Rounded { return r.rounded }

// Value is a value that was read and not yet written.
type Value struct {
	s        *scanner
	source   []byte
	from, to uint32 // its span in source
	object   uint32 // the first of the scanner's objects at or after from
	root     bool
}

// Kind is the value's first character, as Reader.Kind has it; zero for the zero Value.
func (v Value) Kind() byte {
	if v.from == v.to {
		return 0
	}
	return kindOf(v.source[v.from])
}

// Len is the length of the canonical form in bytes.
func (v Value) Len() int { return int(v.to - v.from) }

// Append appends the canonical form.
func (v Value) Append(dst []byte) []byte { return v.s.emit(dst, v.source, v.from, v.to, v.object) }

// Text is the decoded string, and false for a value of another kind.
func (v Value) Text() (string, bool) {
	if v.Kind() != '"' {
		return "", false
	}
	return string(unescape(nil, v.source[v.from+1:v.to-1])), true
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
			colon := m.start + uint32(canonicalLen(v.source[m.start:]))
			if !yield(v.s.decoded(m), Value{v.s, v.source, colon + 1, m.end, m.first, false}) {
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
