package canon

// Reader reads one document value by value: a caller that knows the outer shape walks it with Object and Array and takes
// the values inside with Value, so that nothing is parsed twice. It rejects what Append rejects. Every error of its own
// is an *Error. A zero Reader must be Reset before use.
type Reader struct {
	scanner
	pos int
}

// Reset makes r read src, which must not change until r is reset again. r keeps its buffers, but none of more than a few
// megabytes. watch selects the members of each Value whose rounded integers are recorded; nil selects all.
func (r *Reader) Reset(src []byte, watch func(key []byte) bool) {
	r.release()
	r.watch, r.pos = watch, 0
	r.reset(src)
}

// Kind tells what value comes next by its first character: one of { [ " 0 t f n, where 0 stands for every number. It is
// zero where no value starts.
func (r *Reader) Kind() byte {
	r.pos = r.space(r.pos)
	return kindAt(r.src, r.pos)
}

// Offset is the byte offset of what is read next.
func (r *Reader) Offset() int64 { return int64(r.pos) }

// Object reads an object, and calls member with each decoded key when that member's value is next. A value that member
// leaves unread is checked and skipped. An error of member ends the reading. A key is good until r is used.
func (r *Reader) Object(member func(key []byte) error) error {
	return r.walk('{', func() error { return member(r.currentKey(len(r.frames) - 1)) })
}

// Array reads an array, and calls element with each index when that element is next, in the manner of Object.
func (r *Reader) Array(element func(i int) error) error {
	return r.walk('[', func() error { return element(int(r.frames[len(r.frames)-1].count)) })
}

func (r *Reader) walk(kind byte, visit func() error) error {
	if r.Kind() != kind {
		return r.at(r.fail(r.pos, "expected '"+string(kind)+"'"))
	}
	r.begin(r.pos)
	if err := r.at(r.push(r.pos, true)); err != nil {
		return err
	}
	i, closed := r.enter(r.pos)
	for r.at(i) == nil && !closed {
		if err := visit(); err != nil {
			return err
		}
		if r.pos == i {
			if _, err := r.Value(); err != nil {
				return err
			}
		}
		r.begin(r.pos)
		i, closed = r.after(r.pos)
	}
	return r.at(i)
}

// at moves to i, or is the error that the scanner stopped with.
func (r *Reader) at(i int) error {
	if i < 0 {
		return r.err
	}
	r.pos = i
	return nil
}

// Value reads the next value. The Value is good until r is used again.
func (r *Reader) Value() (Value, error) {
	if len(r.src) > maxSize {
		return Value{}, r.at(r.fail(0, "longer than 512 MiB"))
	}
	r.pos = r.space(r.pos)
	start := r.pos
	r.begin(start)
	if err := r.at(r.value(start)); err != nil {
		return Value{}, err
	}
	source := r.src[start:r.pos] // canonical as it stands, but for the order of keys
	if r.run != start {
		r.flush(r.pos)
		r.run = r.pos
		source = r.flat
	}
	return Value{s: &r.scanner, source: source, span: span{end: uint32(len(source))}, root: true}, nil
}

// End checks that nothing but white space is left.
func (r *Reader) End() error {
	if r.pos = r.space(r.pos); r.pos < len(r.src) {
		return r.at(r.fail(r.pos, "unexpected data after the value"))
	}
	return nil
}

// Rounded lists the integers of the Value read last that a double cannot hold, at most 100 of them.
func (r *Reader) Rounded() []Rounded { return r.rounded }
