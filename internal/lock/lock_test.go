package lock

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/contractpin/verify/internal/contract"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample is a lock with one server of each transport.
func sample(t testing.TB) *Lock {
	t.Helper()
	acme := listing(t, `[{"name":"search","description":"Searches.","inputSchema":{"type":"object"}},`+
		`{"name":"read file","description":"Reads \u202e é <b>.","inputSchema":null,"annotations":{"readOnlyHint":true}}]`)
	one := listing(t, `[{"name":"ping","inputSchema":{"type":"object"}}]`)
	return &Lock{
		GeneratedAt: time.Date(2026, 8, 14, 9, 31, 7, 0, time.UTC),
		Servers: map[string]*Server{
			"acme": {Name: "acme", Transport: Stdio, Command: []string{"npx", "-y", "@acme/mcp@1.2.3", "<>&"},
				Env: map[string]string{"TOKEN": "${TOKEN}", "A": ""}, Cwd: "sub dir", Digest: acme.Digest, Tools: acme.Pins()},
			"remote":  {Name: "remote", Transport: HTTP, URL: "https://mcp.example.com/mcp?a=1&b=2", Digest: one.Digest, Tools: one.Pins()},
			"dump.v1": {Name: "dump.v1", Transport: File, Path: "tools.json", Digest: one.Digest, Tools: one.Pins()},
			"empty":   {Name: "empty", Transport: File, Path: "none.json", Digest: contract.Pins{}.Digest(), Tools: contract.Pins{}},
		},
	}
}

func listing(t testing.TB, tools string) *contract.Listing {
	t.Helper()
	l, err := contract.ParseDump([]byte(tools))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); -update writes it anew\n%s", path, diff)
	}
}

// values compares what a lock says, not where it says it.
var values = cmp.Options{
	cmpopts.IgnoreFields(Lock{}, "Digest"), cmpopts.IgnoreFields(Server{}, "Line", "ToolLines"),
	cmp.Comparer(func(a, b contract.Pin) bool { return a == b }),
	cmp.Comparer(func(a, b contract.Digest) bool { return a == b }),
}

func TestEncode_golden(t *testing.T) {
	golden(t, "sample.lock", sample(t).Encode())
}

func TestParse_readsWhatEncodeWrites(t *testing.T) {
	want := sample(t)
	data := want.Encode()
	got, err := Parse("contractpin.lock", data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, values); diff != "" {
		t.Error(diff)
	}
	if got.Digest != contract.Sum(data) {
		t.Error("the lock's digest is not that of its bytes")
	}
	if !bytes.Equal(got.Encode(), data) {
		t.Error("encoding is not stable")
	}
	if names := got.Names(); !slices.Equal(names, []string{"acme", "dump.v1", "empty", "remote"}) {
		t.Errorf("names %q", names)
	}
}

func TestParse_knowsTheLineOfEveryKey(t *testing.T) {
	for name, data := range map[string][]byte{
		"as written": sample(t).Encode(),
		"CRLF":       bytes.ReplaceAll(sample(t).Encode(), []byte("\n"), []byte("\r\n")),
		"spread out": bytes.ReplaceAll(sample(t).Encode(), []byte(": "), []byte("\n:\n\n ")),
	} {
		l, err := Parse("x.lock", data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines := strings.Split(string(data), "\n")
		for _, s := range l.Servers {
			if got := strings.TrimSpace(lines[s.Line-1]); !strings.HasPrefix(got, `"`+s.Name+`"`) {
				t.Errorf("%s: server %s at line %d: %s", name, s.Name, s.Line, got)
			}
			if len(s.ToolLines) != len(s.Tools) {
				t.Errorf("%s: %s has %d lines for %d tools", name, s.Name, len(s.ToolLines), len(s.Tools))
			}
			for tool, line := range s.ToolLines {
				if got := strings.TrimSpace(lines[line-1]); !strings.HasPrefix(got, `"`+tool+`"`) {
					t.Errorf("%s: tool %s at line %d: %s", name, tool, line, got)
				}
			}
		}
	}
}

// variants are locks that say what the sample without its field digests says, in another form.
func variants(t *testing.T) map[string]string {
	l := sample(t)
	for _, s := range l.Servers {
		for name, pin := range s.Tools {
			s.Tools[name] = contract.Pin{Digest: pin.Digest}
		}
	}
	data := string(l.Encode())
	return map[string]string{
		"one line":         strings.NewReplacer("\n", "", "  ", "").Replace(data),
		"unknown members":  strings.NewReplacer(`"algorithm"`, `"x": [{"a": [1e3, "\ud83d\ude00"]}], "algorithm"`, `"tool_count"`, `"note": {"deep": {}}, "tool_count"`).Replace(data),
		"unknown in tools": strings.ReplaceAll(data, `"digest": "`, `"later": null, "digest": "`),
		"escaped keys":     strings.NewReplacer(`"servers"`, `"s\u0065rvers"`, `"url"`, `"\u0075rl"`).Replace(data),
		"tool_count 2.0":   strings.Replace(data, `"tool_count": 2`, `"tool_count": 20e-1`, 1),
		"other's keys":     strings.Replace(data, `"transport": "http"`, `"command": 7, "env": {"A": 1}, "path": null, "transport": "http"`, 1),
		"empty fields":     strings.ReplaceAll(data, "      \"digest\": \"sha256:", "      \"fields\": {}, \"digest\": \"sha256:"),
		"unknown fields":   strings.ReplaceAll(data, "      \"digest\": \"sha256:", "      \"fields\": {\"title\": 1}, \"digest\": \"sha256:"),
	}
}

// Anything that may be said in another order or form, or beside what SPEC §5 names, says the same.
func TestParse_ignoresFormUnknownMembersAndFields(t *testing.T) {
	want := sample(t)
	for _, s := range want.Servers {
		for name, pin := range s.Tools {
			s.Tools[name] = contract.Pin{Digest: pin.Digest}
		}
	}
	for name, variant := range variants(t) {
		got, err := Parse("x.lock", []byte(variant))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got, values); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestParse_nullSetupIsAbsent(t *testing.T) {
	l := sample(t)
	s := l.Servers["acme"]
	s.Cwd, s.Env = "", nil
	data := strings.Replace(string(l.Encode()), `"command": [`, `"cwd": null, "env": null, "command": [`, 1)
	got, err := Parse("x.lock", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l, got, values); diff != "" {
		t.Error(diff)
	}
}

// SPEC §4.2: field digests never decide anything.
func TestParse_malformedFieldsAreDroppedWithAWarning(t *testing.T) {
	data := string(sample(t).Encode())
	sums := func(l *Lock) (out []string) {
		for _, n := range l.Names() {
			out = append(out, l.Servers[n].Digest.String())
		}
		return out
	}
	good, err := Parse("x.lock", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`"fields": 1, "x": {`, `"fields": [], "x": {`, `"fields": {"name": "sha256:XYZ", `, `"fields": {"name": null, `, `"fields": {"name": {"a": [1]}, `} {
		head, tail, _ := strings.Cut(data, `"fields": {`)
		if strings.Contains(bad, `"name"`) { // the entry's own would be a duplicate
			tail = strings.Replace(tail, `"name"`, `"title"`, 1)
		}
		l, err := Parse("x.lock", []byte(head+bad+tail))
		if err != nil {
			t.Errorf("%s: %v", bad, err)
			continue
		}
		if !slices.Equal(sums(l), sums(good)) {
			t.Errorf("%s: the digests changed", bad)
		}
		if f := l.Servers["acme"].Tools["read file"].Fields; f != (contract.Fields{}) {
			t.Errorf("%s: fields %v are kept", bad, f)
		}
		if len(l.Warnings) != 1 || !strings.HasPrefix(l.Warnings[0], `x.lock: servers.acme.tools."read file".fields`) {
			t.Errorf("%s: warnings %q", bad, l.Warnings)
		}
	}
}

func TestParse_warnsOfAtMostTenFields(t *testing.T) {
	var tools []string
	for i := range 30 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%02d"}`, i))
	}
	l := listing(t, "["+strings.Join(tools, ",")+"]")
	data := (&Lock{Servers: map[string]*Server{"s": {Name: "s", Transport: File, Path: "x", Digest: l.Digest, Tools: l.Pins()}}}).Encode()
	got, err := Parse("x.lock", bytes.ReplaceAll(data, []byte(`"name": "sha256:`), []byte(`"name": "sha1:`)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Warnings); n != 11 || got.Warnings[10] != "x.lock: 20 more of this kind" {
		t.Errorf("%d warnings, the last: %q", n, got.Warnings[n-1])
	}
}

func TestParse_lockWithoutServersIsValid(t *testing.T) {
	l, err := Parse("x.lock", (&Lock{}).Encode())
	if err != nil || len(l.Servers) != 0 {
		t.Error(l, err)
	}
}

// No proper prefix of a lock is a lock, and no byte of one can be changed without notice or effect on its values.
func TestParse_rejectsEveryProperPrefix(t *testing.T) {
	data := bytes.TrimSpace(sample(t).Encode())
	for i := range data {
		if _, err := Parse("x.lock", data[:i]); err == nil {
			t.Fatalf("accepted the first %d bytes", i)
		}
	}
}

func TestLoad_missingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "contractpin.lock")
	_, err := Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	if err.Error() != path+": no such file" {
		t.Error(err)
	}
}

func TestLoad_directory(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), dir+": ") {
		t.Error(err)
	}
}

func TestLoad_readsWhatWriteWrote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "contractpin.lock")
	want := sample(t)
	if err := Write(path, want.Encode()); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, values); diff != "" {
		t.Error(diff)
	}
}

// randomLock makes a valid lock of odd values.
func randomLock(t testing.TB, r *rand.Rand) *Lock {
	text := func() string {
		alphabet := []rune("ab.\"\\/\n\t\u0000\u007f\u200b\u202eé漢\U0001F600\U000E0041<>&' ${}")
		out := []rune{'x'}
		for range r.IntN(8) {
			out = append(out, alphabet[r.IntN(len(alphabet))])
		}
		return string(out)
	}
	l := &Lock{GeneratedAt: time.Unix(r.Int64N(4e9), 0).UTC(), Servers: map[string]*Server{}}
	for range r.IntN(4) {
		s := &Server{Name: text(), Tools: contract.Pins{}}
		switch r.IntN(3) {
		case 0:
			s.Transport, s.Command = Stdio, []string{text()}
			for range r.IntN(3) {
				s.Command = append(s.Command, text())
			}
			if r.IntN(2) == 0 {
				s.Env = map[string]string{text(): text()}
			}
			if r.IntN(2) == 0 {
				s.Cwd = text()
			}
		case 1:
			s.Transport, s.URL = HTTP, text()
		default:
			s.Transport, s.Path = File, text()
		}
		for range r.IntN(4) {
			pin := contract.Pin{Digest: contract.Sum([]byte(text()))}
			if r.IntN(2) == 0 {
				pin.Fields.Set(contract.FieldName, contract.Sum([]byte(text())))
				pin.Fields.Set(contract.FieldInputSchema, contract.Sum(nil))
			}
			s.Tools[text()] = pin
		}
		s.Digest = s.Tools.Digest()
		l.Servers[s.Name] = s
	}
	return l
}

func TestEncode_parseIsIdentity(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for range 1_000 {
		want := randomLock(t, r)
		data := want.Encode()
		got, err := Parse("x.lock", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(want, got, values); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
		if again := got.Encode(); !bytes.Equal(data, again) {
			t.Fatal("encoding is not stable")
		}
	}
}

func TestEncode_showsWhatIsUnseen(t *testing.T) {
	got := string(appendEscaped(nil, "é漢😀 a\u200bb\u202ec\U000E0041\ufe0f\u00a0\u007f\u2028/<>&\"\\\x01\n"))
	if want := `é漢😀 a\u200bb\u202ec\udb40\udc41\ufe0f\u00a0\u007f\u2028/<>&\"\\\u0001\n`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLaunchChanges(t *testing.T) {
	old := &Server{Transport: Stdio, Command: []string{"npx", "-y", "a@1"}, Env: map[string]string{"GONE": "x", "SAME": "s", "A": "1"}, Cwd: "d"}
	now := maps.Clone(old.Env)
	delete(now, "GONE")
	now["A"], now["NEW"] = "2", ""
	got := LaunchChanges(old, &Server{Transport: Stdio, Command: []string{"npx", "-y", `a@2"<`}, Env: now, Cwd: ""})
	want := []LaunchField{
		{"command", `["npx", "-y", "a@1"]`, `["npx", "-y", "a@2\"<"]`},
		{"env.A", "1", "2"}, {"env.GONE", "x", ""}, {"env.NEW", "", `""`}, {"cwd", "d", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := LaunchChanges(old, old); got != nil {
		t.Errorf("no change, but %v", got)
	}
	got = LaunchChanges(&Server{Transport: File, Path: "p"}, &Server{Transport: HTTP, URL: "u"})
	if diff := cmp.Diff([]LaunchField{{"transport", "file", "http"}, {"url", "", "u"}, {"path", "p", ""}}, got); diff != "" {
		t.Error(diff)
	}
}
