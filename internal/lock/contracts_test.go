package lock

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/contract"
)

// pinnedTools are texts of our own, odd on purpose.
const pinnedTools = `[
	{"name":"search","description":"Searches <b>the\u2028web</b> & more.\nSecond line.","inputSchema":{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"number","default":1.50}},"required":["q"],"x":[],"y":{}}},
	{"name":"read","description":"Reads\u200b.","inputSchema":null,"annotations":{"readOnlyHint":true},"title":"not pinned"},
	{"name":"../\u202e odd","inputSchema":{"a":[[1,[2,{"b":[]}]],"\"\\"]},"outputSchema":{"\ue000":1,"\ud83d\ude00":2}}
]`

// pinned returns a lock that pins those tools on two servers, and their contracts.
func pinnedLock(t testing.TB) (*Lock, *Contracts) {
	t.Helper()
	l := listing(t, pinnedTools)
	lock := &Lock{Servers: map[string]*Server{}}
	c := &Contracts{}
	for _, name := range []string{"acme", "other"} {
		lock.Servers[name] = &Server{Name: name, Transport: File, Path: "x", Digest: l.Digest, Tools: l.Pins()}
		c.Set(name, l.Tools)
	}
	return lock, c
}

func TestContractsPath(t *testing.T) {
	for in, want := range map[string]string{
		"contractpin.lock": "contractpin.contracts.json", "a/b.lock": "a/b.contracts.json", "odd": "odd.contracts.json",
	} {
		if got := ContractsPath(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func TestContracts_golden(t *testing.T) {
	_, c := pinnedLock(t)
	golden(t, "sample.contracts.json", c.Encode())
}

func TestContracts_readsWhatEncodeWrites(t *testing.T) {
	lock, c := pinnedLock(t)
	data := c.Encode()
	got, warnings := ParseContracts("c.json", data, lock)
	if len(warnings) > 0 {
		t.Errorf("warnings %q", warnings)
	}
	for _, server := range lock.Servers {
		for name, pin := range server.Tools {
			tool := got.Tool(server.Name, name)
			if tool == nil || tool.Name != name || tool.Pin.Digest != pin.Digest || contract.Sum(tool.Contract) != pin.Digest {
				t.Errorf("%s %s: %v", server.Name, name, tool)
			}
		}
	}
	if !bytes.Equal(got.Encode(), data) {
		t.Error("encoding is not stable")
	}
}

func TestContracts_setReplacesAndRemoves(t *testing.T) {
	lock, c := pinnedLock(t)
	c.Set("other", nil)
	c.Set("never there", nil)
	c.Set("acme", listing(t, `[{"name":"new"}]`).Tools)
	if c.Tool("other", "read") != nil || c.Tool("acme", "read") != nil || c.Tool("acme", "new") == nil {
		t.Errorf("%s", c.Encode())
	}
	var none *Contracts
	if none.Tool("acme", "read") != nil || !bytes.Equal(none.Encode(), (&Contracts{}).Encode()) {
		t.Error("a nil contracts file holds something")
	}
	// An entry that the lock does not pin is dropped when the file is written again.
	again, warnings := ParseContracts("c.json", c.Encode(), lock)
	if len(warnings) != 1 || !bytes.Equal(again.Encode(), []byte(strings.Replace(string((&Contracts{}).Encode()), "{}", "{\n    \"acme\": {}\n  }", 1))) {
		t.Errorf("%q %s", warnings, again.Encode())
	}
}

// Each way in which a contracts file can be wrong costs what it says and nothing else.
func TestParseContracts_badOnesChangeNothingButTheDetail(t *testing.T) {
	lock, c := pinnedLock(t)
	good := string(c.Encode())
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	all := 6
	for _, bad := range []struct {
		name, data string
		kept       int // contracts still known
		warning    string
	}{
		{"good", good, all, ""},
		{"empty", "", 0, "c.json: empty file; the contracts file is ignored"},
		{"truncated", good[:len(good)/2], 0, "the contracts file is ignored"},
		{"trailing data", good + "1", 0, "c.json: unexpected data after the value (line 112); the contracts file is ignored"},
		{"an array", "[]", 0, "c.json: must be an object, found an array (line 1); the contracts file is ignored"},
		{"merge conflict", edit("  \"servers\"", "<<<<<<< HEAD\n  \"servers\""), 0, "c.json: merge conflict marker <<<<<<<"},
		{"bad UTF-8", edit("Searches", "\xff"), 0, "invalid UTF-8"},
		{"another version", edit(`"contractpin-contracts": "1"`, `"contractpin-contracts": "2"`), 0, `unknown contracts file version "2"`},
		{"no version", edit(`"contractpin-contracts": "1",`, ``), 0, "contractpin-contracts: required key is missing"},
		{"no servers", `{"contractpin-contracts": "1"}`, 0, "servers: required key is missing"},
		{"servers a list", `{"contractpin-contracts": "1", "servers": [1]}`, 0, "servers: must be an object, found an array"},
		{"server twice", edit(`"other"`, `"acme"`), 0, `duplicate key "acme"`},
		{"tool twice", edit(`"read"`, `"search"`), 0, `duplicate key "search"`},
		{"duplicate key in a contract", edit(`"annotations"`, `"name": "read", "annotations"`), 0, `duplicate key "name"`},
		{"forged text", edit("Searches", "Harmless"), all - 1, "c.json: servers.acme.tools.search"},
		{"forged schema", edit(`"default": 1.5`, `"default": 1.6`), all - 1, "is not the contract that the lock pins"},
		{"forged hint", edit(`"readOnlyHint": true`, `"readOnlyHint": false`), all - 1, "is not the contract that the lock pins"},
		{"swapped tools", strings.NewReplacer(`"read": {`, `"search": {`, `"search": {`, `"read": {`).Replace(good), all - 4, "is not the contract"},
		{"added member", edit(`"annotations"`, `"title": "x", "annotations"`), all - 1, "is not the contract"},
		{"removed member", edit(`"inputSchema": null,`, ``), all - 1, "is not the contract"},
		{"a contract that is none", edit(`"read": {`, `"read": [1], "x": {`), all - 1, "c.json: servers.acme.read: is not the contract"},
		{"unknown tool", edit(`"read": {`, `"unknown": {}, "read": {`), all, "c.json: servers.acme.unknown: the lock has no such tool (line 27); it is ignored"},
		{"unknown server", edit(`"other"`, `"unknown"`), all / 2, "c.json: servers.unknown: the lock has no such server"},
		{"server a list", edit(`"acme": {`, `"acme": [], "unknown": {`), all / 2, "c.json: servers.acme: must be an object, found an array"},
		{"missing server", `{"contractpin-contracts": "1", "servers": {}}`, 0, ""},
		{"unknown member", edit(`"servers"`, `"note": [{}], "servers"`), all, ""},
		{"other form", strings.NewReplacer("\n", "\r\n", "  ", "\t", "Searches", `\u0053earches`).Replace(good), all, ""},
		{"deep", edit(`"inputSchema": null`, `"inputSchema": `+strings.Repeat("[", 11_000)+strings.Repeat("]", 11_000)), 0, "nested deeper"},
	} {
		c, warnings := ParseContracts("c.json", []byte(bad.data), lock)
		kept := 0
		for _, s := range lock.Servers {
			for name, pin := range s.Tools {
				if tool := c.Tool(s.Name, name); tool != nil {
					kept++
					if contract.Sum(tool.Contract) != pin.Digest {
						t.Errorf("%s: %s shows what the lock does not pin", bad.name, name)
					}
				}
			}
		}
		if kept != bad.kept {
			t.Errorf("%s: %d contracts are kept, want %d; %q", bad.name, kept, bad.kept, warnings)
		}
		if said := strings.Join(warnings, "\n"); bad.warning == "" && said != "" || !strings.Contains(strings.ReplaceAll(said, ".acme.search", ".acme.tools.search"), bad.warning) {
			t.Errorf("%s: warnings %q, want %q", bad.name, warnings, bad.warning)
		}
	}
}

func TestParseContracts_warnsOfAtMostTen(t *testing.T) {
	lock, _ := pinnedLock(t)
	var b strings.Builder
	b.WriteString(`{"contractpin-contracts":"1","servers":{"acme":{"t":{}`)
	for i := range 3_000 {
		b.WriteString(`,"t` + strings.Repeat("x", i%7) + string(rune('0'+i%10)) + strings.Repeat("y", i/10) + `":{}`)
	}
	b.WriteString(`}}}`)
	_, warnings := ParseContracts("c.json", []byte(b.String()), lock)
	if len(warnings) > maxWarnings+1 || len(strings.Join(warnings, "")) > 4_000 {
		t.Errorf("%d warnings", len(warnings))
	}
}

func TestLoadContracts(t *testing.T) {
	lock, c := pinnedLock(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "contractpin.contracts.json")
	got, warnings := LoadContracts(path, lock)
	if got == nil || len(warnings) > 0 {
		t.Errorf("a file that is not there: %v %q", got, warnings)
	}
	got.Set("acme", nil) // must not panic
	if err := Write(path, c.Encode()); err != nil {
		t.Fatal(err)
	}
	if got, warnings = LoadContracts(path, lock); len(warnings) > 0 || got.Tool("acme", "read") == nil {
		t.Errorf("%q", warnings)
	}
	if got, warnings = LoadContracts(dir, lock); got == nil || len(warnings) != 1 {
		t.Errorf("a folder: %v %q", got, warnings)
	}
	if err := os.Truncate(path, MaxSize+1); err != nil { // sparse
		t.Fatal(err)
	}
	if got, warnings = LoadContracts(path, lock); got.Tool("acme", "read") != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "larger than 256 MiB") {
		t.Errorf("huge: %q", warnings)
	}
}

// A contract that is too deep for a file with levels of its own is left out, and a deep one does not swell it.
func TestContracts_deepContracts(t *testing.T) {
	deep := func(n int) *contract.Listing {
		return listing(t, `[{"name":"deep","inputSchema":`+strings.Repeat(`{"a":`, n)+"1"+strings.Repeat("}", n)+`}]`)
	}
	for n, kept := range map[int]bool{100: true, 8_990: true, 9_900: false} {
		l := deep(n)
		lock := &Lock{Servers: map[string]*Server{"s": {Name: "s", Tools: l.Pins()}}}
		c := &Contracts{}
		c.Set("s", l.Tools)
		data := c.Encode()
		if len(data) > 20_000+10*n {
			t.Errorf("%d levels: %d bytes", n, len(data))
		}
		got, warnings := ParseContracts("c.json", data, lock)
		if len(warnings) > 0 || (got.Tool("s", "deep") != nil) != kept {
			t.Errorf("%d levels: kept %v, warnings %q", n, !kept, warnings)
		}
	}
}

// Whatever is done to the file, Tool returns what the lock pins or nothing.
func TestContracts_forgedOnesShowNothingFalse(t *testing.T) {
	lock, c := pinnedLock(t)
	good := c.Encode()
	r := rand.New(rand.NewPCG(3, 5))
	changed := 0
	for range 3_000 {
		data := slices.Clone(good)
		for range 1 + r.IntN(3) {
			i, j := r.IntN(len(data)), r.IntN(len(data))
			switch r.IntN(4) {
			case 0:
				data[i] = byte(r.IntN(256))
			case 1: // one letter for another keeps most files valid
				data[i] = data[j]
			case 2:
				data = slices.Delete(data, min(i, j), min(i, j)+min(max(i, j)-min(i, j), 9))
			case 3:
				data = slices.Insert(data, i, data[min(i, j):max(i, j)]...)
			}
		}
		got, _ := ParseContracts("c.json", data, lock)
		for _, s := range lock.Servers {
			for name, pin := range s.Tools {
				tool := got.Tool(s.Name, name)
				if tool == nil {
					changed++
					continue
				}
				sum := contract.Sum(mustCanon(t, tool.Contract))
				if tool.Name != name || tool.Pin.Digest != pin.Digest || sum != pin.Digest {
					t.Fatalf("%s shows what the lock does not pin: %s", name, tool.Contract)
				}
			}
		}
	}
	if changed == 0 {
		t.Error("no change had an effect")
	}
}

func mustCanon(t testing.TB, data []byte) []byte {
	t.Helper()
	out, err := canon.Append(nil, data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Indented and canonical forms say the same.
func TestEncoder_canonicalKeepsTheValue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	var value func(depth int) any
	value = func(depth int) any {
		switch k := r.IntN(8); {
		case k < 2 && depth > 0:
			out := []any{}
			for range r.IntN(4) {
				out = append(out, value(depth-1))
			}
			return out
		case k < 5 && depth > 0:
			out := map[string]any{}
			for range r.IntN(4) {
				out[[]string{"", "a", "\\", `"`, "é\u200b", "😀", "{[", "\n"}[r.IntN(8)]] = value(depth - 1)
			}
			return out
		case k < 6:
			return []any{nil, true, false, 1.5, -3, "", `\"`, "x\u202ey", "]}"}[r.IntN(9)]
		}
		return r.Float64()
	}
	for range 3_000 {
		raw, err := json.Marshal(value(60))
		if err != nil {
			t.Fatal(err)
		}
		want := mustCanon(t, raw)
		e := &encoder{}
		e.canonical(want)
		if got := mustCanon(t, e.buf); !bytes.Equal(got, want) {
			t.Fatalf("%s became %s", want, e.buf)
		}
	}
}
