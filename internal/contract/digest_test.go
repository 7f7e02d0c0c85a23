package contract

import (
	"encoding/json"
	"strings"
	"testing"
)

// The SHA-256 of no bytes and of "abc", from FIPS 180-2.
const (
	emptySum = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	abcSum   = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
)

func TestDigest_hasOneSpelling(t *testing.T) {
	if got := Sum(nil).String(); got != emptySum {
		t.Error(got)
	}
	d, err := ParseDigest(abcSum)
	if err != nil || d != Sum([]byte("abc")) || d.String() != abcSum || d.Short() != "ba7816" || d.IsZero() {
		t.Errorf("%v, %v", d, err)
	}
	for _, s := range []string{
		"", "sha256:", abcSum[7:], strings.ToUpper(abcSum), "SHA256:" + abcSum[7:], abcSum + "0", abcSum[:70],
		"sha256:" + strings.ToUpper(abcSum[7:]), "sha256:g" + abcSum[8:], " " + abcSum, abcSum + "\n", "sha512:" + abcSum[7:],
		"sha256: " + abcSum[8:], strings.Repeat("é", 1000),
	} {
		if d, err := ParseDigest(s); err == nil || !d.IsZero() || len(err.Error()) > 700 {
			t.Errorf("%q: %v, %v", s, d, err)
		}
	}
	_, err = ParseDigest("sha256:XYZ")
	if err == nil || err.Error() != `malformed digest "sha256:XYZ"` {
		t.Error(err)
	}
}

func TestDigest_zeroIsNone(t *testing.T) {
	var d Digest
	if !d.IsZero() || d.String() != "" || d.Short() != "" {
		t.Errorf("%q %q", d.String(), d.Short())
	}
}

func TestDigest_survivesJSON(t *testing.T) {
	type box struct{ A, B Digest }
	in := box{A: Sum([]byte("abc"))}
	data, err := json.Marshal(in)
	if err != nil || string(data) != `{"A":"`+abcSum+`","B":""}` {
		t.Fatalf("%s, %v", data, err)
	}
	var out box
	if err := json.Unmarshal(data, &out); err != nil || out != in {
		t.Errorf("%v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"A":"sha256:1"}`), &out); err == nil || out.A != (Digest{}) {
		t.Errorf("%v, %v", out, err)
	}
}

// SPEC §4.3 by hand: keys in UTF-16 order, canonical strings.
func TestPins_digestIsThatOfTheCanonicalObject(t *testing.T) {
	a, b := Sum([]byte("a")), Sum([]byte("b"))
	for canonical, pins := range map[string]Pins{
		`{}`:                              nil,
		`{"search":"` + a.String() + `"}`: {"search": {Digest: a, Fields: fieldsOf("name", "b")}},
		`{"B":"` + b.String() + `","a":"` + a.String() + `"}`:                {"a": {Digest: a}, "B": {Digest: b}},
		`{"😀":"` + a.String() + `","` + "\uffff" + `":"` + b.String() + `"}`: {"\uffff": {Digest: b}, "😀": {Digest: a}},
		`{"\n\"\u0001é":"` + a.String() + `"}`:                               {"\n\"\x01é": {Digest: a}},
	} {
		if got := pins.Digest(); got != Sum([]byte(canonical)) {
			t.Errorf("%s: got %s", canonical, got)
		}
	}
}
