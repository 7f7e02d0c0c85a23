package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/verify"
)

func TestText_golden(t *testing.T) {
	timeout := verify.Failure{Code: "timeout", Message: "no answer within 60 s", Hint: "a first run may have to download the server: raise --timeout", Stderr: "npm warn old\nfetching\n"}
	for name, r := range map[string]*verify.Report{
		"match":   run(t, verify.Options{}, same("docs"), same("files")),
		"drift":   run(t, verify.Options{}, acme(), same("files"), failing("db", verify.Unreachable, timeout)),
		"shared":  run(t, verify.Options{}, many(12, false)),
		"unknown": run(t, verify.Options{}, many(12, true)),
		"failed":  run(t, verify.Options{}, failing("db", verify.Unreachable, timeout)),
	} {
		golden(t, "text/"+name+".txt", text(t, r, TextOptions{}))
	}
	golden(t, "text/drift-color.txt", text(t, run(t, verify.Options{}, acme()), TextOptions{Color: true}))
}

func TestText_manyToolsWithOneChangeAreOneFinding(t *testing.T) {
	for _, unknown := range []bool{false, true} {
		out := text(t, run(t, verify.Options{}, many(12, unknown)), TextOptions{})
		for _, want := range []string{"drift: 12 tools drifted on 1 server", "in one field: inputSchema", "op_00, op_01"} {
			if !strings.Contains(out, want) {
				t.Errorf("the text does not say %q:\n%s", want, out)
			}
		}
		if n := strings.Count(out, "\n"); n > 20 {
			t.Errorf("%d lines for one change on twelve tools:\n%s", n, out)
		}
	}
}

// command finds what the runner takes for a command; after the prefix that we write in tests it could still be one.
var command = regexp.MustCompile(`(?m)^\s*::|##\[|[\x00-\x09\x0b-\x1f\x7f]`)

func TestText_nothingOfAServerIsACommandOrAnEscape(t *testing.T) {
	out := text(t, run(t, verify.Options{}, hostile()...), TextOptions{Width: 40})
	if m := command.FindAllString(out, -1); m != nil {
		t.Errorf("the text holds %q:\n%s", m, out)
	}
}
