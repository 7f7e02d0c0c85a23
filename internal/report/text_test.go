package report

import (
	"bytes"
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
	golden(t, "text/coverage.txt", text(t, covered(t, false), TextOptions{}))
	golden(t, "text/coverage-required.txt", text(t, covered(t, true), TextOptions{Color: true}))
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
var command = regexp.MustCompile(`(?m)^[\s\p{Z}]*::|##\[|[\x00-\x09\x0b-\x1f\x7f]`)

// paint is what we write on a colour terminal ourselves.
var paint = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestText_nothingOfAServerIsACommandOrAnEscape(t *testing.T) {
	r := hostileReport(t)
	for _, o := range []TextOptions{{}, {Width: 40}, {Color: true}, {Color: true, Width: 50}} {
		out := text(t, r, o)
		if o.Color {
			out = paint.ReplaceAllString(out, "")
		}
		if m := command.FindAllString(out, -1); m != nil {
			t.Errorf("%+v: the text holds %q", o, m)
		}
	}
	for i := range r.Servers {
		if m := command.FindString(ServerLine(&r.Servers[i], TextOptions{})); m != "" || strings.Contains(ServerLine(&r.Servers[i], TextOptions{}), "\n") {
			t.Errorf("the line of server %q holds %q", r.Servers[i].Name, m)
		}
	}
}

func TestReviewText_golden(t *testing.T) {
	for name, o := range map[string]TextOptions{"review.txt": {}, "review-color.txt": {Color: true}} {
		var b bytes.Buffer
		if err := ReviewText(&b, review(t), o); err != nil {
			t.Fatal(err)
		}
		golden(t, "text/"+name, b.String())
	}
}

func TestAcceptCommand_isWhatAShellRuns(t *testing.T) {
	for name, want := range map[string]string{
		"acme":           "contractpin init --force acme",
		"@acme/search:1": "contractpin init --force @acme/search:1",
		"a b":            "contractpin init --force 'a b'",
		"--yes":          "contractpin init --force -- --yes",
		"it's":           `contractpin init --force 'it'\''s'`,
		"$(id)":          "contractpin init --force '$(id)'",
		"":               "contractpin init --force ''",
		"line\nbreak":    `contractpin init --force $'line\nbreak'`,
		"r\u0435ad":      `contractpin init --force $'r\u0435ad'`,
		"\U000E0041":     `contractpin init --force $'\U000e0041'`,
		"##[error]":      `contractpin init --force $'##\x5berror]'`,
		"\x1b[31m'\\":    `contractpin init --force $'\x1b\x5b31m\'\\'`,
	} {
		if got := AcceptCommand(DefaultLock, name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if got, want := AcceptCommand("my locks/a.lock", "a"), "contractpin init --force --lock 'my locks/a.lock' a"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
