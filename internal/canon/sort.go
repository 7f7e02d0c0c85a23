package canon

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// arrange closes an object at i: it puts the members in order and records the object where that changes anything.
func (s *scanner) arrange(f *frame, i int) bool {
	members := s.open[f.members:]
	s.open = s.open[:f.members]
	if f.unsorted && !s.sort(members) {
		return false
	}
	if f.object < 0 {
		return true
	}
	if len(s.frames) == s.base+1 {
		s.root = append(s.root, members...)
	}
	if !f.unsorted && int(f.object) == len(s.objects)-1 { // nothing in here is out of order
		s.objects = s.objects[:f.object]
		return true
	}
	o := &s.objects[f.object]
	o.end, o.next = s.offset(i), uint32(len(s.objects))
	if f.unsorted {
		o.first = uint32(len(s.sorted))
		s.keep(members)
		o.last = uint32(len(s.sorted))
	}
	return true
}

// keep appends sorted members to sorted; those that were neighbours in the source too become one span.
func (s *scanner) keep(members []member) {
	last := span{end: members[0].start} // never members[0].start - 1
	for i := range members {
		m := &members[i].span
		if m.start == last.end+1 {
			last.end = m.end
			s.sorted[len(s.sorted)-1].end = m.end
			continue
		}
		last = *m
		s.sorted = append(s.sorted, last)
	}
}

// sort orders members by the UTF-16 code units of their keys (SPEC §3.3) and rejects two that are equal.
func (s *scanner) sort(members []member) bool {
	if len(members) <= 12 {
		s.insertionSort(members)
	} else {
		slices.SortFunc(members, func(a, b member) int {
			if a.prefix != b.prefix {
				return cmp.Compare(a.prefix, b.prefix)
			}
			return cmp.Or(s.compare(&a, &b), cmp.Compare(a.key, b.key))
		})
	}
	for i := 1; i < len(members); i++ {
		if members[i-1].prefix == members[i].prefix && s.compare(&members[i-1], &members[i]) == 0 {
			s.duplicate(&members[i])
			return false
		}
	}
	return true
}

// insertionSort is for the usual object, of a few members. It is stable, so that the later of two equal keys stays the later.
func (s *scanner) insertionSort(members []member) {
	for i := 1; i < len(members); i++ {
		m, j := members[i], i
		for j > 0 && (m.prefix < members[j-1].prefix || m.prefix == members[j-1].prefix && s.compare(&m, &members[j-1]) < 0) {
			members[j] = members[j-1]
			j--
		}
		members[j] = m
	}
}

// compare orders two keys by their UTF-16 code units.
func (s *scanner) compare(a, b *member) int {
	switch {
	case a.prefix < b.prefix:
		return -1
	case a.prefix > b.prefix:
		return 1
	case a.plain && b.plain:
		return bytes.Compare(s.raw(a), s.raw(b))
	}
	s.a = unescape(s.a[:0], s.raw(a))
	s.b = unescape(s.b[:0], s.raw(b))
	return compareUTF16(s.a, s.b)
}

// keyPrefix is the first eight bytes of a decoded key, of which the raw one is src[from:to], as a number that orders as the
// keys do: where two prefixes differ, so do the keys, and in the same direction.
func (s *scanner) keyPrefix(from, to int, plain bool) uint64 {
	if plain && from+8 <= len(s.src) {
		p := binary.BigEndian.Uint64(s.src[from:])
		if n := to - from; n < 8 {
			p &^= 1<<(64-8*n) - 1
		}
		return p
	}
	s.a = unescape(s.a[:0], s.src[from:to])
	var first [8]byte
	n := copy(first[:], s.a)
	for i := range n {
		first[i] = unitOrder(first[i])
	}
	return binary.BigEndian.Uint64(first[:])
}

// CompareKeys orders two keys, valid UTF-8, as canonical form does.
func CompareKeys(a, b string) int { return compareUTF16(a, b) }

// compareUTF16 orders UTF-8 text by UTF-16 code units. That differs from the order of the bytes only for U+E000 to
// U+FFFF, which come after the surrogates of all that lies above them.
func compareUTF16[T string | []byte](a, b T) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(unitOrder(a[i]), unitOrder(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// unitOrder moves 0xEE and 0xEF, with which the UTF-8 of U+E000 to U+FFFF begins, above all other bytes.
func unitOrder(c byte) byte {
	if c == 0xEE || c == 0xEF {
		return c + 0x10
	}
	return c
}

// raw is a key as it stands in the source.
func (s *scanner) raw(m *member) []byte { return s.src[m.key : m.key+m.keyLen] }

// decoded is a key's meaning. It is good until the next comparison.
func (s *scanner) decoded(m *member) []byte {
	s.a = unescape(s.a[:0], s.raw(m))
	return s.a
}

// currentKey is the decoded key of the member being read in an open object.
func (s *scanner) currentKey(frame int) []byte {
	end := len(s.open)
	if frame+1 < len(s.frames) {
		end = int(s.frames[frame+1].members)
	}
	return s.decoded(&s.open[end-1])
}
