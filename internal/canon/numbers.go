package canon

import (
	"math"
	"strconv"
	"unsafe"
)

// Rounded is an integer literal that a double cannot hold (SPEC §3.6): its canonical form stands for a neighbour too.
type Rounded struct {
	Pointer string // JSON Pointer from the value's root; where it is longer than 1,000 bytes, that of what is around it
	Literal string // as served, at most 64 bytes
}

// maxRounded bounds how many Rounded are kept of one value.
const maxRounded = 100

// number reads the number at i.
func (s *scanner) number(i int) int {
	begin := i
	if s.src[i] == '-' {
		i++
	}
	whole := i
	point := digits(s.src, i)
	switch {
	case point == whole:
		return s.fail(point, "expected a digit in a number")
	case point > whole+1 && s.src[whole] == '0':
		return s.fail(whole, "a number must not begin with 0 and another digit")
	}
	end := point
	if end < len(s.src) && s.src[end] == '.' {
		fraction := end + 1
		if end = digits(s.src, fraction); end == fraction {
			return s.fail(end, "expected a digit after the decimal point")
		}
	}
	if end < len(s.src) && s.src[end]|0x20 == 'e' {
		exponent := end + 1
		if exponent < len(s.src) && (s.src[exponent] == '+' || s.src[exponent] == '-') {
			exponent++
		}
		if end = digits(s.src, exponent); end == exponent {
			return s.fail(end, "expected a digit in the exponent")
		}
		return s.convert(begin, end, false)
	}
	if canonicalDecimal(s.src[begin:end], point-begin) {
		return end
	}
	return s.convert(begin, end, end == point)
}

// digits returns the first index from i on that holds no digit.
func digits(src []byte, i int) int {
	for i < len(src) && src[i]-'0' <= 9 {
		i++
	}
	return i
}

// canonicalDecimal tells whether the decimal literal, whose integer part ends at point, is surely its own canonical
// form: a decimal of at most 15 digits is the shortest one of its double.
func canonicalDecimal(lit []byte, point int) bool {
	if len(lit) > 15 || lit[0] == '-' && lit[1] == '0' {
		return false
	}
	if len(lit) == point {
		return true
	}
	if lit[len(lit)-1] == '0' {
		return false
	}
	// below 0.000001 canonical form has an exponent
	return lit[0] != '0' || len(lit) < 8 || string(lit[:8]) != "0.000000"
}

// convert writes the canonical form of the number literal in src[begin:end].
func (s *scanner) convert(begin, end int, integer bool) int {
	lit := s.src[begin:end]
	// ParseFloat keeps nothing of the string, so it need not be a copy.
	f, err := strconv.ParseFloat(unsafe.String(&lit[0], len(lit)), 64)
	if err != nil {
		return s.fail(begin, "number is too large for a double")
	}
	if integer && len(lit) > 15 {
		s.checkRounding(f, lit)
	}
	s.flush(begin)
	s.flat = appendNumber(s.flat, f)
	s.run = end
	return end
}

func (s *scanner) checkRounding(f float64, lit []byte) {
	var buf [400]byte
	if len(s.rounded) == maxRounded || string(strconv.AppendFloat(buf[:0], f, 'f', 0, 64)) == string(lit) {
		return
	}
	if s.watch != nil {
		if len(s.frames) == s.base || s.frames[s.base].kind == '[' || !s.watch(s.currentKey(s.base)) {
			return
		}
	}
	s.rounded = append(s.rounded, Rounded{s.pointer(s.base, len(s.frames)), string(lit[:min(len(lit), 64)])})
}

// appendNumber appends a finite double as ECMAScript's Number::toString writes it.
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	var buf [32]byte
	// d.ddde±xx with the shortest digits that read back as f, the closest of them to f
	e := strconv.AppendFloat(buf[:0], math.Abs(f), 'e', -1, 64)
	digits, exp := splitExponent(e)
	if f < 0 {
		dst = append(dst, '-')
	}
	k, n := len(digits), exp+1
	switch {
	case k <= n && n <= 21:
		dst = append(dst, digits...)
		return appendZeros(dst, n-k)
	case 0 < n && n <= 21:
		dst = append(dst, digits[:n]...)
		dst = append(dst, '.')
		return append(dst, digits[n:]...)
	case -6 < n && n <= 0:
		dst = append(dst, '0', '.')
		dst = appendZeros(dst, -n)
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if k > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'e')
	if n-1 > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(n-1), 10)
}

// splitExponent takes d.ddde±xx apart, in place: the digits without their point, and the exponent.
func splitExponent(e []byte) (digits []byte, exp int) {
	i := len(e) - 1
	for scale := 1; e[i] != '+' && e[i] != '-'; i-- {
		exp += int(e[i]-'0') * scale
		scale *= 10
	}
	if e[i] == '-' {
		exp = -exp
	}
	digits = e[:i-1]
	if len(digits) > 1 {
		digits = append(digits[:1], digits[2:]...)
	}
	return digits, exp
}

func appendZeros(dst []byte, n int) []byte {
	return append(dst, "00000000000000000000"[:n]...)
}
