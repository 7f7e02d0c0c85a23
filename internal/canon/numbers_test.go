package canon

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"testing"
)

// es6Fixed begins the published sequence of test numbers for ECMAScript's Number::toString
// (github.com/cyberphone/json-canonicalization, testdata): the bits of chosen doubles.
var es6Fixed = []uint64{
	0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0xc46696695dbd1cc3, 0xc43211ede4974a35,
	0xc3fce97ca0f21056, 0xc3c7213080c1a6ac, 0xc39280f39a348556, 0xc35d9b1f5d20d557, 0xc327af4c4a80aaac, 0xc2f2f2a36ecd5556,
	0xc2be51057e155558, 0xc28840d131aaaaac, 0xc253670dc1555557, 0xc21f0b4935555557, 0xc1e8d5d42aaaaaac, 0xc1b3de4355555556,
	0xc17fca0555555556, 0xc1496e6aaaaaaaab, 0xc114585555555555, 0xc0e046aaaaaaaaab, 0xc0aa0aaaaaaaaaaa, 0xc074d55555555555,
	0xc040aaaaaaaaaaab, 0xc00aaaaaaaaaaaab, 0xbfd5555555555555, 0xbfa1111111111111, 0xbf6b4e81b4e81b4f, 0xbf35d867c3ece2a5,
	0xbf0179ec9cbd821e, 0xbecbf647612f3696, 0xbe965e9f80f29212, 0xbe61e54c672874db, 0xbe2ca213d840baf8, 0xbdf6e80fe033c8c6,
	0xbdc2533fe68fd3d2, 0xbd8d51ffd74c861c, 0xbd5774ccac3d3817, 0xbd22c3d6f030f9ac, 0xbcee0624b3818f79, 0xbcb804ea293472c7,
	0xbc833721ba905bd3, 0xbc4ebe9c5db3c61e, 0xbc18987d17c304e5, 0xbbe3ad30dfcf371d, 0xbbaf7b816618582f, 0xbb792f9ab81379bf,
	0xbb442615600f9499, 0xbb101e77800c76e1, 0xbad9ca58cce0be35, 0xbaa4a1e0a3e6fe90, 0xba708180831f320d, 0xba3a68cd9e985016,
	0x446696695dbd1cc3, 0x443211ede4974a35, 0x43fce97ca0f21056, 0x43c7213080c1a6ac, 0x439280f39a348556, 0x435d9b1f5d20d557,
	0x4327af4c4a80aaac, 0x42f2f2a36ecd5556, 0x42be51057e155558, 0x428840d131aaaaac, 0x4253670dc1555557, 0x421f0b4935555557,
	0x41e8d5d42aaaaaac, 0x41b3de4355555556, 0x417fca0555555556, 0x41496e6aaaaaaaab, 0x4114585555555555, 0x40e046aaaaaaaaab,
	0x40aa0aaaaaaaaaaa, 0x4074d55555555555, 0x4040aaaaaaaaaaab, 0x400aaaaaaaaaaaab, 0x3fd5555555555555, 0x3fa1111111111111,
	0x3f6b4e81b4e81b4f, 0x3f35d867c3ece2a5, 0x3f0179ec9cbd821e, 0x3ecbf647612f3696, 0x3e965e9f80f29212, 0x3e61e54c672874db,
	0x3e2ca213d840baf8, 0x3df6e80fe033c8c6, 0x3dc2533fe68fd3d2, 0x3d8d51ffd74c861c, 0x3d5774ccac3d3817, 0x3d22c3d6f030f9ac,
	0x3cee0624b3818f79, 0x3cb804ea293472c7, 0x3c833721ba905bd3, 0x3c4ebe9c5db3c61e, 0x3c18987d17c304e5, 0x3be3ad30dfcf371d,
	0x3baf7b816618582f, 0x3b792f9ab81379bf, 0x3b442615600f9499, 0x3b101e77800c76e1, 0x3ad9ca58cce0be35, 0x3aa4a1e0a3e6fe90,
	0x3a708180831f320d, 0x3a3a68cd9e985016, 0x4024000000000000, 0x4014000000000000, 0x3fe0000000000000, 0x3fa999999999999a,
	0x3f747ae147ae147b, 0x3f40624dd2f1a9fc, 0x3f0a36e2eb1c432d, 0x3ed4f8b588e368f1, 0x3ea0c6f7a0b5ed8d, 0x3e6ad7f29abcaf48,
	0x3e35798ee2308c3a, 0x3ed539223589fa95, 0x3ed4ff26cd5a7781, 0x3ed4f95a762283ff, 0x3ed4f8c60703520c, 0x3ed4f8b72f19cd0d,
	0x3ed4f8b5b31c0c8d, 0x3ed4f8b58d1c461a, 0x3ed4f8b5894f7f0e, 0x3ed4f8b588ee37f3, 0x3ed4f8b588e47da4, 0x3ed4f8b588e3849c,
	0x3ed4f8b588e36bb5, 0x3ed4f8b588e36937, 0x3ed4f8b588e368f8, 0x3ed4f8b588e368f1, 0x3ff0000000000000, 0xbff0000000000000,
	0xbfeffffffffffffa, 0xbfeffffffffffffb, 0x3feffffffffffffa, 0x3feffffffffffffb, 0x3feffffffffffffc, 0x3feffffffffffffe,
	0xbfefffffffffffff, 0xbfefffffffffffff, 0x3fefffffffffffff, 0x3fefffffffffffff, 0x3fd3333333333332, 0x3fd3333333333333,
	0x3fd3333333333334, 0x0010000000000000, 0x000ffffffffffffd, 0x000fffffffffffff, 0x7fefffffffffffff, 0xffefffffffffffff,
	0x4340000000000000, 0xc340000000000000, 0x4430000000000000, 0x44b52d02c7e14af5, 0x44b52d02c7e14af6, 0x44b52d02c7e14af7,
	0x444b1ae4d6e2ef4e, 0x444b1ae4d6e2ef4f, 0x444b1ae4d6e2ef50, 0x3eb0c6f7a0b5ed8c, 0x3eb0c6f7a0b5ed8d, 0x41b3de4355555553,
	0x41b3de4355555554, 0x41b3de4355555555, 0x41b3de4355555556, 0x41b3de4355555557, 0xbecbf647612f3696, 0x43143ff3c1cb0959,
}

// es6Checksums are the published SHA-256 digests of the sequence's first lines.
var es6Checksums = map[int]string{
	1_000:     "be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687",
	10_000:    "b9f7a8e75ef22a835685a52ccba7f7d6bdc99e34b010992cbc5864cd12be6892",
	100_000:   "22776e6d4b49fa294a0d0f349268e5c28808fe7e0cb2bcbe28f63894e494d4c7",
	1_000_000: "49415fee2c56c77864931bd3624faad425c3c577d6d74e89a83bc725506dad16",
}

// es6Numbers yields the sequence's first count doubles: the chosen ones, the 2,000 smallest normal ones, then what
// SHA-256, fed with its own digests, says.
func es6Numbers(count int, yield func(i int, f float64)) {
	i := 0
	next := func(bits uint64) {
		if f := math.Float64frombits(bits); i < count {
			yield(i, f)
			i++
		}
	}
	for _, bits := range es6Fixed {
		next(bits)
	}
	for k := range uint64(2000) {
		next(0x0010000000000000 + k)
	}
	for block := [32]byte{}; i < count; {
		block = sha256.Sum256(block[:])
		for k := 0; k < len(block); k += 8 {
			bits := binary.LittleEndian.Uint64(block[k:])
			if f := math.Float64frombits(bits); f != 0 && !math.IsNaN(f) && !math.IsInf(f, 0) {
				next(bits)
			}
		}
	}
}

// Each number goes in with 17 digits, as other writers put them, and must come out as ECMAScript writes it.
func TestAppend_writesAMillionNumbersAsECMAScriptDoes(t *testing.T) {
	h := sha256.New()
	var in, line []byte
	es6Numbers(1_000_000, func(i int, f float64) {
		in = strconv.AppendFloat(in[:0], f, 'e', 16, 64)
		line = strconv.AppendUint(line[:0], math.Float64bits(f), 16)
		line = append(line, ',')
		line, err := Append(line, in)
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		h.Write(append(line, '\n'))
		if want, ok := es6Checksums[i+1]; ok {
			if got := hex.EncodeToString(h.Sum(nil)); got != want {
				t.Fatalf("first %d lines: %s, want %s", i+1, got, want)
			}
			delete(es6Checksums, i+1)
		}
	})
	if len(es6Checksums) > 0 {
		t.Errorf("not reached: %v", es6Checksums)
	}
}

// What canonicalDecimal leaves as it is must be what the slow way makes of it.
func TestNumber_shortDecimalsAreTheirOwnForm(t *testing.T) {
	check := func(lit string) {
		t.Helper()
		f, err := strconv.ParseFloat(lit, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Append(nil, []byte(lit))
		if want := string(appendNumber(nil, f)); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", lit, got, err, want)
		}
	}
	for _, lit := range []string{"0.000001", "0.0000001", "0.0000010", "-0.000001", "-0.0000001", "999999999999999", "9999999999999999",
		"0.12345678901234", "0.123456789012345", "12345678901234.5", "-12345678901234", "-0", "-0.5", "-0.50", "10", "10.0", "0.5"} {
		check(lit)
	}
	for digits := uint64(1); digits < 1e15; digits = digits*13 + 7 {
		s := strconv.FormatUint(digits, 10)
		check(s)
		check("-" + s)
		for point := 1; point < len(s); point++ {
			check(s[:point] + "." + s[point:])
		}
		for zeros := "0."; len(zeros) < 10; zeros += "0" {
			check(zeros + s)
			check("-" + zeros + s)
		}
	}
}

func TestReader_tellsIntegersThatADoubleCannotHold(t *testing.T) {
	const doc = `{"skip":9007199254740993,"a":[9007199254740993,9007199254740992,1e23,0.1,{"b/c":-12345678901234567890}],
		"b":1000000000000000000000,"c":123456789012345678901234567890123456789012345678901234567890123456789012345}`
	var r Reader
	r.Reset([]byte(doc), func(key []byte) bool { return string(key) != "skip" })
	if _, err := r.Value(); err != nil {
		t.Fatal(err)
	}
	want := []Rounded{
		{"/a/0", "9007199254740993"},
		{"/a/4/b~1c", "-12345678901234567890"},
		{"/c", "1234567890123456789012345678901234567890123456789012345678901234"},
	}
	got := r.Rounded()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got[i], want[i])
		}
	}
}
