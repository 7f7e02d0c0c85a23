package canon

import (
	"encoding/binary"
	"slices"
)

// scanner reads values. Its methods take the index in src where they begin and return the index after what they read, or
// a negative one when they set err.
//
// While a value is read, src[run:i] is canonical as it stands but not yet in flat; all before it is in flat, in canonical
// form.
type scanner struct {
	src  []byte
	run  int
	flat []byte
	err  *Error

	frames []frame  // the arrays and objects that are open
	open   []member // the members so far of the open objects
	base   int      // how many frames are around the value being read

	// Of the value being read:
	objects []object // those in which something is out of order, in the order of their opening
	sorted  []span   // the members of those, each object's together and in order
	root    []member // the value's own members, in order, when it is an object
	rounded []Rounded

	watch func(key []byte) bool
	a, b  []byte // decoded keys under comparison
	jobs  []job  // see emit
}

// frame is an open array or object.
type frame struct {
	members  int32 // where its members begin in open
	object   int32 // its index in objects; none is -1
	count    int32 // elements before the one being read (arrays)
	kind     byte  // { or [
	unsorted bool
}

// member is one member of an object.
type member struct {
	prefix      uint64 // of the key; see keyPrefix
	key, keyLen uint32 // the raw key in src, without its quotes
	span
	plain bool // the raw key orders as it stands: no escape, nothing from U+E000 up
}

// span is a part of the flat form, from the opening quote of a member's key to the end of its value.
type span struct {
	start, end uint32
	object     uint32 // the first of objects that lies at or after start
}

// object is an object in which something is out of order. Its place is that in the flat form.
type object struct {
	start, end  uint32 // its braces
	next        uint32 // the first of objects that lies after it
	first, last uint32 // its members in sorted; none when it is in order itself
}

func (s *scanner) reset(src []byte) {
	s.src, s.err = src, nil
	s.frames, s.open = s.frames[:0], s.open[:0]
	s.begin(0)
}

// release drops the source and the buffers that are too large to keep.
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

// begin makes i the start of a value.
func (s *scanner) begin(i int) {
	s.run, s.base = i, len(s.frames)
	s.flat, s.objects, s.sorted, s.root = s.flat[:0], s.objects[:0], s.sorted[:0], s.root[:0]
	s.rounded = s.rounded[:0]
}

// flush moves the pending run up to i into flat.
func (s *scanner) flush(i int) { s.flat = append(s.flat, s.src[s.run:i]...) }

// offset is where i stands in the flat form.
func (s *scanner) offset(i int) uint32 { return uint32(len(s.flat) + i - s.run) }

// value reads the value at i.
func (s *scanner) value(i int) int {
	for {
		closed := true
		switch kindAt(s.src, i) {
		case '"':
			if i, _ = s.str(i); i < 0 {
				s.err.Pointer = s.pointer(0, len(s.frames))
			}
		case '{', '[':
			if i = s.push(i, false); i >= 0 {
				i, closed = s.enter(i)
			}
		case 't':
			i = s.literal(i, "true")
		case 'f':
			i = s.literal(i, "false")
		case 'n':
			i = s.literal(i, "null")
		case '0':
			i = s.number(i)
		default:
			return s.fail(i, noValue(s.src, i))
		}
		for closed {
			if i < 0 || len(s.frames) == s.base {
				return i
			}
			i, closed = s.after(i)
		}
		if i < 0 {
			return i
		}
	}
}

// push opens the array or object at i. One that is walked is not part of a value.
func (s *scanner) push(i int, walked bool) int {
	if len(s.frames) == MaxDepth {
		return s.fail(i, "nested deeper than 10000 levels")
	}
	n := len(s.frames)
	if n == cap(s.frames) {
		s.frames = slices.Grow(s.frames, 64)
	}
	s.frames = s.frames[:n+1]
	f := &s.frames[n]
	f.members, f.object, f.count, f.kind, f.unsorted = int32(len(s.open)), -1, 0, s.src[i], false
	if f.kind == '{' && !walked {
		f.object = int32(len(s.objects))
		s.objects = append(s.objects, object{start: s.offset(i)})
	}
	return i + 1
}

// enter goes on behind an opening bracket: to the first element, to the first member's value, or past the closing bracket.
func (s *scanner) enter(i int) (end int, closed bool) {
	i = s.space(i)
	f := &s.frames[len(s.frames)-1]
	switch {
	case i < len(s.src) && s.src[i] == f.kind+2:
		return s.close(i), true
	case f.kind == '[':
		return i, false
	}
	return s.key(i), false
}

// after goes on behind an element or a member: to the next one's value, or past the closing bracket.
func (s *scanner) after(i int) (end int, closed bool) {
	i = s.space(i)
	f := &s.frames[len(s.frames)-1]
	if f.kind == '{' {
		s.open[len(s.open)-1].end = s.offset(i)
	}
	switch {
	case i >= len(s.src):
		return s.failAround(i, "unexpected end: an open "+f.noun()+" is not closed"), false
	case s.src[i] == f.kind+2: // both closing brackets are two characters after their opening ones
		return s.close(i), true
	case s.src[i] != ',':
		return s.failAround(i, "expected ',' or '"+string(f.kind+2)+"' in an "+f.noun()), false
	}
	i = s.space(i + 1)
	if f.kind == '[' {
		f.count++
		return i, false
	}
	return s.key(i), false
}

func (f *frame) noun() string {
	if f.kind == '[' {
		return "array"
	}
	return "object"
}

// key reads the key at i and its colon, and goes on to the value.
func (s *scanner) key(i int) int {
	if i >= len(s.src) || s.src[i] != '"' {
		return s.failAround(i, noKey(s.src, i))
	}
	from, start := i+1, s.offset(i)
	i, plain := s.str(i)
	if i < 0 {
		s.err.Pointer = s.pointer(0, len(s.frames)-1)
		return i
	}
	m := s.newMember()
	m.key, m.keyLen, m.plain = uint32(from), uint32(i-1-from), plain
	m.start, m.object = start, uint32(len(s.objects))
	m.prefix = s.keyPrefix(from, i-1, plain)
	if !s.inOrder(m) {
		return -1
	}
	i = s.space(i)
	if i >= len(s.src) || s.src[i] != ':' {
		return s.failAround(i, "expected ':' after an object's key")
	}
	return s.space(i + 1)
}

// newMember adds a member to the innermost object. Members and frames are filled in where they stand: a copy of what was
// just written costs more than all else about them.
func (s *scanner) newMember() *member {
	n := len(s.open)
	if n == cap(s.open) {
		s.open = slices.Grow(s.open, 64)
	}
	s.open = s.open[:n+1]
	return &s.open[n]
}

// inOrder notes whether m, the last of the innermost object's members, comes after the one before it, and rejects it when
// the two are equal.
func (s *scanner) inOrder(m *member) bool {
	f, n := &s.frames[len(s.frames)-1], len(s.open)-1
	if n == int(f.members) || f.unsorted || s.open[n-1].prefix < m.prefix {
		return true
	}
	c := s.compare(&s.open[n-1], m)
	f.unsorted = c > 0
	return c != 0 || s.duplicate(m) >= 0
}

// close leaves the innermost array or object, whose closing bracket is at i.
func (s *scanner) close(i int) int {
	if f := &s.frames[len(s.frames)-1]; f.kind == '{' && !s.arrange(f, i) {
		return -1
	}
	s.frames = s.frames[:len(s.frames)-1]
	return i + 1
}

// space skips white space. Most often there is none, so that is what the inlined part sees.
func (s *scanner) space(i int) int {
	if uint(i) < uint(len(s.src)) && s.src[i] <= ' ' {
		return s.spaces(i)
	}
	return i
}

func (s *scanner) spaces(i int) int {
	const eight = 0x2020202020202020
	from := i
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
	if i > from {
		s.flush(from)
		s.run = i
	}
	return i
}

func (s *scanner) literal(i int, word string) int {
	if end := i + len(word); end <= len(s.src) && string(s.src[i:end]) == word {
		return end
	}
	return s.fail(i, "expected "+word)
}

// kindAt tells what value begins at i by its first character, with 0 for every number; it is zero where none does.
func kindAt(src []byte, i int) byte {
	if uint(i) >= uint(len(src)) {
		return 0
	}
	return kinds[src[i]]
}

var kinds = [256]byte{
	'{': '{', '[': '[', '"': '"', 't': 't', 'f': 'f', 'n': 'n',
	'-': '0', '0': '0', '1': '0', '2': '0', '3': '0', '4': '0', '5': '0', '6': '0', '7': '0', '8': '0', '9': '0',
}
