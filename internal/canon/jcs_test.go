package canon

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// jcsCase is one case of the files of canonicalization cases: what RFC 8785 makes of an input.
type jcsCase struct {
	Name, Expect string
	Input        string `json:"input_hex"`
	Canonical    string `json:"canonical_hex"`
	SHA256       string
	Generator    struct {
		Repeat string `json:"repeat_hex"`
		Times  int
		Then   string `json:"then_hex"`
	}
}

func (c *jcsCase) input(t *testing.T) []byte {
	if c.Generator.Times > 0 {
		return append(bytes.Repeat(unhex(t, c.Generator.Repeat), c.Generator.Times), unhex(t, c.Generator.Then)...)
	}
	return unhex(t, c.Input)
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readCases(t testing.TB, path string) []jcsCase {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []jcsCase }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return file.Cases
}

const testdata = "../../testdata/"

func TestAppend_agreesWithTheCasesInTestdata(t *testing.T) {
	checkCases(t, testdata+"jcs-adversarial.json", 212)
	checkCases(t, testdata+"jcs-random-2000.json", 2000)
}

func TestAppend_agreesWithThePublicSuites(t *testing.T) {
	dir := os.Getenv("CONTRACTPIN_JCS")
	if dir == "" {
		t.Skip("CONTRACTPIN_JCS names no folder with jcs-official-vectors.json and jsontestsuite-jcs.json")
	}
	checkCases(t, filepath.Join(dir, "jcs-official-vectors.json"), 36)
	checkCases(t, filepath.Join(dir, "jsontestsuite-jcs.json"), 340)
}

func checkCases(t *testing.T, path string, want int) {
	cases := readCases(t, path)
	if len(cases) != want {
		t.Errorf("%s: %d cases, want %d", path, len(cases), want)
	}
	for _, c := range cases {
		got, err := Append([]byte("kept"), c.input(t))
		if !bytes.HasPrefix(got, []byte("kept")) {
			t.Fatalf("%s: dst was %q", c.Name, got)
		}
		got = got[4:]
		switch {
		case c.Expect == "accept" && err != nil:
			t.Errorf("%s: rejected: %v", c.Name, err)
		case c.Expect == "accept" && !bytes.Equal(got, unhex(t, c.Canonical)):
			t.Errorf("%s: got %q, want %q", c.Name, got, unhex(t, c.Canonical))
		case c.Expect == "reject" && err == nil:
			t.Errorf("%s: accepted as %q", c.Name, got)
		case c.Expect == "reject" && len(got) > 0:
			t.Errorf("%s: rejected, but left %q behind", c.Name, got)
		}
	}
}
