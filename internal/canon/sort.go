package canon

import (
	"bytes"
	"cmp"
	"slices"
)

// sort orders the members by the UTF-16 code units of their keys (SPEC §3.3) and rejects two that are equal.
func (s *scanner) sort(members []member) error {
	slices.SortFunc(members, func(a, b member) int {
		if c := s.compare(&a, &b); c != 0 {
			return c
		}
		return cmp.Compare(a.key, b.key)
	})
	for i := 1; i < len(members); i++ {
		if s.compare(&members[i-1], &members[i]) == 0 {
			return s.duplicate(&members[i])
		}
	}
	return nil
}

// compare orders two keys by their UTF-16 code units.
func (s *scanner) compare(a, b *member) int {
	if a.plain && b.plain {
		return bytes.Compare(s.raw(a), s.raw(b))
	}
	s.a = unescape(s.a[:0], s.raw(a))
	s.b = unescape(s.b[:0], s.raw(b))
	return compareUTF16(s.a, s.b)
}

// compareUTF16 orders UTF-8 text by UTF-16 code units. The two orders differ only in that U+E000 to U+FFFF, whose UTF-8
// begins with 0xEE or 0xEF, come after the surrogates of all that lies above them.
func compareUTF16(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(unitOrder(a[i]), unitOrder(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

func unitOrder(c byte) byte {
	if c == 0xEE || c == 0xEF {
		return c + 0x10
	}
	return c
}

// raw is a key as it stands in the source.
func (s *scanner) raw(m *member) []byte { return s.src[m.key : m.key+m.keyLen] }

// decoded is a key's meaning, valid until the next comparison.
func (s *scanner) decoded(m *member) []byte {
	s.a = unescape(s.a[:0], s.raw(m))
	return s.a
}

func (s *scanner) currentKey(frame int) []byte {
	end := len(s.open)
	if frame+1 < len(s.frames) {
		end = int(s.frames[frame+1].members)
	}
	return s.decoded(&s.open[end-1])
}

// CompareKeys orders two keys as canonical form does; both must be valid UTF-8.
func CompareKeys(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(unitOrder(a[i]), unitOrder(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}
