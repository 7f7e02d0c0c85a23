package visible_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/visible"
)

func TestName_onlyPrintableASCIIStays(t *testing.T) {
	for in, want := range map[string]string{
		"read_file":      "read_file",
		"r\u0435ad":      `r\u{0435}ad`,
		"line\nbreak":    `line\nbreak`,
		"cr\rtab\t":      `cr\rtab\t`,
		"\u202Eevil":     `\u{202E}evil`,
		`a\u{0435}`:      `a\\u{0435}`,
		"##[error]owned": `##\u{005B}error]owned`,
		"::error::owned": `\u{003A}:error::owned`,
		"\x1b[31mred":    `\u{001B}[31mred`,
		"\U000E0041":     `\u{E0041}`,
		"\xff":           `\x{FF}`,
		"日本":             `\u{65E5}\u{672C}`,
		"two words":      "two words",
		"trailing ":      `trailing\u{0020}`,
	} {
		if got := visible.Name(in); got != want {
			t.Errorf("Name(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestText_keepsOrdinaryScriptsAndShowsTheUnseen(t *testing.T) {
	for in, want := range map[string]string{
		"Reads a file.\nThen stops.":        "Reads a file.\nThen stops.",
		"Читает файл и API":                 "Читает файл и API",
		"使用API読む、コピー":                       "使用API読む、コピー",
		"naïve Größe":                       "naïve Größe",
		"⚠️ careful":                        "⚠️ careful",
		"a\uFE0Fb":                          `a\u{FE0F}b`,
		"zero\u200Bwidth":                   `zero\u{200B}width`,
		"nb\u00A0space":                     `nb\u{00A0}space`,
		"c\u043Epy":                         `c\u{043E}py`,
		"the \u0441\u043E\u0440\u0443 tool": `the \u{0441}\u{043E}\u{0440}\u{0443} tool`,
		"dos\r\nline":                       "dos\\r\nline",
		"end \nnext":                        "end\\u{0020}\nnext",
		"x\n  ::set-output::y":              "x\n  \\u{003A}:set-output::y",
		`C:\new`:                            `C:\\new`,
		`\d+`:                               `\d+`,
		"tag\U000E0061":                     `tag\u{E0061}`,
		"\U0001D41Aadmin":                   `\u{1D41A}admin`,
		"\u3164x":                           `\u{3164}x`,
	} {
		if got := visible.Text(in); got != want {
			t.Errorf("Text(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestLine_isOneLineWithinItsLimit(t *testing.T) {
	if got, want := visible.Line("a\nb", 0), `a\nb`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := visible.Line("abcdefgh", 6), "abc…"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := visible.Line(strings.Repeat("é", 50), 20); len(got) > 20 || !utf8.ValidString(got) {
		t.Errorf("got %d bytes %q", len(got), got)
	}
}

func TestHidden_namesWhatCannotBeSeen(t *testing.T) {
	for in, want := range map[string]bool{
		"plain: text # with\ttab\r\n": false, "zero\u200Bwidth": true, "c\u043Epy": true, "Читает файл": false,
		"bell\x07": true, "⚠️": false,
	} {
		if got := visible.Hidden(in); got != want {
			t.Errorf("Hidden(%q) = %v, want %v", in, got, want)
		}
	}
}

// FuzzEscapes checks what every reader relies on: different texts look different, and nothing harmful gets through.
func FuzzEscapes(f *testing.F) {
	f.Add("\\\u200b", "\\u{200B}")
	f.Add("a\\u{0041}", "aA")
	f.Add("\\n", "\n")
	f.Add("x\u200b", "x")
	f.Add("##[error]x", "::error::x")
	f.Add("a\uFE0F", "⚠\uFE0F")
	f.Add("\u3000\ufffd::error::x", "x\n \u3000 ::error::x")
	f.Fuzz(func(t *testing.T, a, b string) {
		for name, esc := range map[string]func(string) string{
			"Name": visible.Name, "Text": visible.Text, "Line": func(s string) string { return visible.Line(s, 0) },
		} {
			x, y := esc(a), esc(b)
			if a != b && x == y {
				t.Errorf("%s: %q and %q both look like %q", name, a, b, x)
			}
			if strings.Contains(x, "##[") || strings.ContainsAny(x, "\x1b\r\x00\u200b\u202e") || !utf8.ValidString(x) {
				t.Errorf("%s(%q) = %q", name, a, x)
			}
			for line := range strings.Lines(x) {
				if visible.Inert(line) != line {
					t.Errorf("%s(%q) has a line that is not inert: %q", name, a, line)
				}
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	s := strings.Repeat("Reads one file: nothing else. Use #1 \\d+ for digits.\n", 80)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		visible.Text(s)
	}
}

func TestInert_breaksWhatARunnerObeysAndNothingElse(t *testing.T) {
	for in, want := range map[string]string{
		"::error::x": `\u{003A}:error::x`, "  ::x": `  \u{003A}:x`, "\u3000\u200b::x": "\u3000\u200b" + `\u{003A}:x`, "a ##[b]##[c": `a ##\u{005B}b]##\u{005B}c`,
		"a::b": "a::b", " :x": " :x", "# [x]": "# [x]", "": "",
	} {
		if got := visible.Inert(in); got != want {
			t.Errorf("Inert(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestJSON_isPrintableASCIIThatMeansTheSame(t *testing.T) {
	for _, s := range []string{"plain", "é文\U0001F600", "##[group]x", "###[[", "\u007f\u0085", `"\`} {
		in, err := json.Marshal(map[string][]string{s: {s}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if n, err := visible.JSON(&out).Write(in); n != len(in) || err != nil {
			t.Fatal(n, err)
		}
		var back map[string][]string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back) != 1 || back[s][0] != s {
			t.Errorf("%s became %s: %v", in, out.Bytes(), err)
		}
		if strings.ContainsFunc(out.String(), func(r rune) bool { return r < ' ' || r > '~' }) || strings.Contains(out.String(), "##[") {
			t.Errorf("%q", out.String())
		}
	}
}
