package canon

import "encoding/binary"

// scanner reads values. While it reads, src[run:pos] is canonical as it stands but not yet in flat; what is before it is
// in flat in canonical form.
type scanner struct {
	src  []byte
	pos  int
	run  int
	flat []byte

	frames []frame  // the arrays and objects that are open
	open   []member // the members of the open objects so far
	base   int      // how many frames are around the value being read
	start  int      // where that value begins in src

	objects []object // of the value: its objects that came unsorted, in the order of their opening
	sorted  []member // members of those, each object's together and in order
	root    []member // members of the value itself, sorted, when it is an object

	rounded []Rounded
	watch   func(key []byte) bool
	a, b    []byte // decoded keys under comparison
	jobs    []job  // see emit
}

// frame is an open array or object.
type frame struct {
	members  int32 // where its members begin in open
	object   int32 // its index in objects; none is -1
	count    int32 // elements before the one being read (arrays)
	kind     byte  // { or [
	unsorted bool
}

// member is one member of an object. Spans are in the flat form.
type member struct {
	key, keyLen uint32 // the raw key in src, without its quotes
	start, end  uint32 // from the key's opening quote to the end of the value
	first       uint32 // the first of objects at or after start
	plain       bool   // the raw key orders by its bytes: no escape in it, and nothing from U+E000 up
}

// object is a recorded object. Spans are in the flat form.
type object struct {
	start, end  uint32 // its braces
	next        uint32 // the first of objects after it and all that is inside it
	first, last uint32 // its members in sorted; none when it is in order itself
}

func (s *scanner) reset(src []byte) {
	s.src, s.pos = src, 0
	s.frames, s.open = s.frames[:0], s.open[:0]
	s.begin()
}

// release drops buffers that are too large to keep, and the source.
func (s *scanner) release() {
	const large = 1 << 20
	if cap(s.flat) > 4*large {
		s.flat = nil
	}
	if cap(s.open)+cap(s.sorted)+cap(s.root)+cap(s.objects) > large/8 {
		s.open, s.sorted, s.root, s.objects = nil, nil, nil, nil
	}
	if cap(s.a)+cap(s.b) > large {
		s.a, s.b = nil, nil
	}
	s.src = nil
}

// begin makes pos the start of a value of which all spans are counted.
func (s *scanner) begin() {
	s.run, s.start, s.base = s.pos, s.pos, len(s.frames)
	s.flat, s.objects, s.sorted, s.root = s.flat[:0], s.objects[:0], s.sorted[:0], s.root[:0]
	s.rounded = s.rounded[:0]
}

// flush moves the pending run up to end into flat.
func (s *scanner) flush(end int) { s.flat = append(s.flat, s.src[s.run:end]...) }

// offset is where pos stands in the flat form.
func (s *scanner) offset(pos int) uint32 { return uint32(len(s.flat) + pos - s.run) }

// value reads the value at pos.
func (s *scanner) value() error {
	for {
		opened, err := s.token()
		if err != nil {
			return err
		}
		if opened {
			closed, err := s.enter()
			if err != nil {
				return err
			}
			if !closed {
				continue
			}
		}
		for {
			if len(s.frames) == s.base {
				return nil
			}
			closed, err := s.after()
			if err != nil {
				return err
			}
			if !closed {
				break
			}
		}
	}
}

// token reads a scalar or opens an array or object.
func (s *scanner) token() (opened bool, err error) {
	if s.pos >= len(s.src) {
		return false, s.fail(s.pos, "unexpected end: a value is missing")
	}
	switch c := s.src[s.pos]; c {
	case '"':
		if _, reason := s.str(); reason != "" {
			return false, s.fail(s.pos, reason)
		}
		return false, nil
	case '{', '[':
		return true, s.push(c, false)
	case 't':
		return false, s.literal("true")
	case 'f':
		return false, s.literal("false")
	case 'n':
		return false, s.literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return false, s.number()
	default:
		return false, s.fail(s.pos, noValue(c))
	}
}

// push opens an array or object. One that is walked is not part of a value.
func (s *scanner) push(c byte, walked bool) error {
	if len(s.frames) == MaxDepth {
		return s.fail(s.pos, "nested deeper than 10000 levels")
	}
	f := frame{members: int32(len(s.open)), object: -1, kind: c}
	if c == '{' && !walked {
		f.object = int32(len(s.objects))
		s.objects = append(s.objects, object{start: s.offset(s.pos)})
	}
	s.frames = append(s.frames, f)
	s.pos++
	return nil
}

// enter goes on after an opening bracket: to the first element, to the first member's value, or past the closing bracket.
func (s *scanner) enter() (closed bool, err error) {
	s.space()
	f := &s.frames[len(s.frames)-1]
	if s.pos < len(s.src) && s.src[s.pos] == f.closer() {
		return true, s.close()
	}
	if f.kind == '[' {
		return false, nil
	}
	return false, s.key()
}

// after goes on after an element or a member: to the next one's value, or past the closing bracket.
func (s *scanner) after() (closed bool, err error) {
	s.space()
	f := &s.frames[len(s.frames)-1]
	if f.kind == '{' {
		s.open[len(s.open)-1].end = s.offset(s.pos)
	}
	if s.pos >= len(s.src) {
		return false, s.failAround(s.pos, "unexpected end: an open "+f.noun()+" is not closed")
	}
	switch s.src[s.pos] {
	case ',':
		s.pos++
		s.space()
		if f.kind == '[' {
			f.count++
			return false, nil
		}
		return false, s.key()
	case f.closer():
		return true, s.close()
	}
	return false, s.failAround(s.pos, "expected ',' or '"+string(f.closer())+"' in an "+f.noun())
}

func (f *frame) closer() byte {
	if f.kind == '[' {
		return ']'
	}
	return '}'
}

func (f *frame) noun() string {
	if f.kind == '[' {
		return "array"
	}
	return "object"
}

// key reads a key and its colon and goes on to the value.
func (s *scanner) key() error {
	if s.pos >= len(s.src) || s.src[s.pos] != '"' {
		return s.failAround(s.pos, s.noKey())
	}
	m := member{key: uint32(s.pos + 1), start: s.offset(s.pos), first: uint32(len(s.objects))}
	plain, reason := s.str()
	if reason != "" {
		return s.failAround(s.pos, reason)
	}
	m.keyLen, m.plain = uint32(s.pos)-1-m.key, plain
	f := &s.frames[len(s.frames)-1]
	if n := len(s.open); n > int(f.members) && !f.unsorted {
		c := s.compare(&s.open[n-1], &m)
		if c == 0 {
			return s.duplicate(&m)
		}
		f.unsorted = c > 0
	}
	s.open = append(s.open, m)
	s.space()
	if s.pos >= len(s.src) || s.src[s.pos] != ':' {
		return s.failAround(s.pos, "expected ':' after an object's key")
	}
	s.pos++
	s.space()
	return nil
}

// close leaves the innermost array or object at its closing bracket.
func (s *scanner) close() error {
	f := s.frames[len(s.frames)-1]
	if f.kind == '{' {
		if err := s.arrange(f); err != nil {
			return err
		}
	}
	s.frames = s.frames[:len(s.frames)-1]
	s.pos++
	return nil
}

// arrange puts an object's members in order and records it where that changes anything.
func (s *scanner) arrange(f frame) error {
	members := s.open[f.members:]
	s.open = s.open[:f.members]
	if f.unsorted {
		if err := s.sort(members); err != nil {
			return err
		}
	}
	if f.object < 0 {
		return nil
	}
	if len(s.frames) == s.base+1 {
		s.root = append(s.root, members...)
	}
	if !f.unsorted && int(f.object) == len(s.objects)-1 { // nothing to put in order in here
		s.objects = s.objects[:f.object]
		return nil
	}
	o := &s.objects[f.object]
	o.end, o.next = s.offset(s.pos), uint32(len(s.objects))
	if f.unsorted {
		o.first = uint32(len(s.sorted))
		s.sorted = append(s.sorted, members...)
		o.last = uint32(len(s.sorted))
	}
	return nil
}

// space skips white space. Ordinary compact JSON has none, so the test for that comes first.
func (s *scanner) space() {
	if s.pos < len(s.src) && s.src[s.pos] <= ' ' {
		s.spaces()
	}
}

func (s *scanner) spaces() {
	const eight = 0x2020202020202020
	i := s.pos
	for i < len(s.src) {
		if c := s.src[i]; c == ' ' {
			for i+8 <= len(s.src) && binary.LittleEndian.Uint64(s.src[i:]) == eight {
				i += 8
			}
			for i < len(s.src) && s.src[i] == ' ' {
				i++
			}
		} else if c == '\n' || c == '\r' || c == '\t' {
			i++
		} else {
			break
		}
	}
	if i > s.pos {
		s.flush(s.pos)
		s.pos, s.run = i, i
	}
}

func (s *scanner) literal(word string) error {
	if len(s.src)-s.pos < len(word) || string(s.src[s.pos:s.pos+len(word)]) != word {
		return s.fail(s.pos, "expected "+word)
	}
	s.pos += len(word)
	return nil
}
