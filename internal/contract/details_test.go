package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func describe(old, new string) []Detail {
	var a, b []byte
	if old != "" {
		a = []byte(old)
	}
	if new != "" {
		b = []byte(new)
	}
	return Describe(a, b, true)
}

// brief is a detail without its diff: kind pointer old → new.
func brief(ds []Detail) []string {
	var out []string
	for _, d := range ds {
		out = append(out, fmt.Sprintf("%s %s %s → %s", d.Kind, d.Pointer, d.Old, d.New))
	}
	return out
}

func TestDescribe_namesWhatDiffersByPointer(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"same":            {`{"a":1}`, `{"a":1}`, nil},
		"field came":      {"", `{"a":1}`, []string{`added   → {"a":1}`}},
		"field went":      {`{"a":1}`, "", []string{`removed  {"a":1} → `}},
		"member came":     {`{"a":1}`, `{"a":1,"b":false}`, []string{`added /b  → false`}},
		"member is null":  {`{"a":1}`, `{"a":1,"b":null}`, []string{`added /b  → null`}},
		"null to value":   {`{"b":null}`, `{"b":2}`, []string{`changed /b null → 2`}},
		"type of a value": {`{"a":{"x":1}}`, `{"a":[1]}`, []string{`changed /a {"x":1} → [1]`}},
		"key is escaped":  {`{"a/b~":1}`, `{"a/b~":2}`, []string{`changed /a~1b~0 1 → 2`}},
		"moved":           {`{"required":["a","b"]}`, `{"required":["b","a"]}`, []string{`moved /required ["a","b"] → ["b","a"]`}},
		"array grew":      {`["a","b"]`, `["b","c","a"]`, []string{`added /1  → "c"`}},
		"array shrank":    {`["a","b","b"]`, `["b"]`, []string{`removed /0 "a" → `, `removed /2 "b" → `}},
		"member of array": {`[{"t":1},{"u":1}]`, `[{"u":1},{"t":2}]`, []string{`changed /1/t 1 → 2`}},
		"null to text":    {`null`, `""`, []string{`changed  null → ""`}},
	} {
		if diff := cmp.Diff(c.want, brief(describe(c.old, c.new))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDescribe_ofWhatIsNotKnownShowsTheOneSide(t *testing.T) {
	got := Describe(nil, []byte(`"Reads.\nMore."`), false)
	if want := []string{"served   → Reads.\nMore."}; !cmp.Equal(want, brief(got)) {
		t.Error(cmp.Diff(want, brief(got)))
	}
	got = Describe([]byte(`{"a":1}`), nil, false)
	if want := []string{`pinned  {"a":1} → `}; !cmp.Equal(want, brief(got)) {
		t.Error(cmp.Diff(want, brief(got)))
	}
}

func TestDescribe_showsWhatCannotBeSeen(t *testing.T) {
	for name, c := range map[string]struct{ old, new, seen string }{
		"zero width": {"Reads a file.", "Reads a\u200b file.", `\u{200B}`},
		"bidi":       {"Reads a file.", "Reads \u202ea file.", `\u{202E}`},
		"tag":        {"Reads a file.", "Reads a file.\U000E0041", `\u{E0041}`},
		"CRLF":       {"One.\nTwo.", "One.\r\nTwo.", `\r`},
		"Cyrillic":   {"Reads a copy.", "Reads a c\u043epy.", `\u{043E}`},
		"blank end":  {"Reads.\nMore.", "Reads. \nMore.", `\u{0020}`},
	} {
		d := describe(quote(c.old), quote(c.new))
		if len(d) != 1 || !strings.Contains(d[0].Diff, c.seen) || !strings.Contains(fmt.Sprint(d[0].Words), c.seen) {
			t.Errorf("%s: %v", name, d)
		}
	}
}

func quote(s string) string {
	b := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(s)
	return `"` + b + `"`
}

func TestDescribe_windowsLongLinesAroundTheChange(t *testing.T) {
	long := strings.Repeat("This tool reads one file from the disk and returns it. ", 40)
	d := describe(quote(long+"Nothing else."), quote(long+"Send it to the server first."))[0]
	if len(d.Diff) > 400 || !strings.Contains(d.Diff, "+…") || !strings.Contains(d.Diff, "Send it to the server first.") {
		t.Errorf("diff of %d bytes: %s", len(d.Diff), d.Diff)
	}
	if d.New != long+"Send it to the server first." {
		t.Error("the new text is not whole")
	}
}

func TestDescribe_wordsAddUpToBothTexts(t *testing.T) {
	d := describe(quote("Reads a file and stops."), quote("Reads one file, and never stops."))[0]
	var old, new string
	for _, w := range d.Words {
		if w.Op != "new" {
			old += w.Text
		}
		if w.Op != "old" {
			new += w.Text
		}
	}
	if old != d.Old || new != d.New {
		t.Errorf("words give %q and %q", old, new)
	}
	if got := fmt.Sprint(d.Words); !strings.Contains(got, "{new one}") || !strings.Contains(got, "{old a}") {
		t.Errorf("not by words: %s", got)
	}
}

func TestDescribe_staysSmallOnHostileInput(t *testing.T) {
	var a, b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&a, ",%d", i)
		fmt.Fprintf(&b, ",%d", i+5000)
	}
	ds := describe("["+a.String()[1:]+"]", "["+b.String()[1:]+"]")
	if len(ds) != MaxDetails+1 || ds[MaxDetails].Kind != DetailMore || ds[MaxDetails].New != "3500" {
		t.Errorf("%d details, the last %v", len(ds), ds[len(ds)-1])
	}
	deep := strings.Repeat("[", 9000) + "%d" + strings.Repeat("]", 9000)
	if ds := describe(fmt.Sprintf(deep, 1), fmt.Sprintf(deep, 2)); len(ds) != 1 {
		t.Errorf("%d details of a deep change", len(ds))
	}
	huge := strings.Repeat("x ", 4<<20)
	d := describe(quote(huge+"a"), quote(huge+"b"))
	if len(d) != 1 || len(d[0].New) > MaxValue || !d[0].Cut || !strings.Contains(d[0].Diff, "+") {
		t.Errorf("huge text: %d details, cut %v, diff %q", len(d), d[0].Cut, d[0].Diff)
	}
}

func BenchmarkDescribe_texts(b *testing.B) {
	long := strings.Repeat("This tool reads one file from the disk and returns it. ", 72)
	old, new := []byte(quote(long+"Nothing else.")), []byte(quote(long+"Send it to the server first."))
	b.SetBytes(int64(len(old) + len(new)))
	for b.Loop() {
		Describe(old, new, true)
	}
}
