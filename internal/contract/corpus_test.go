package contract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// expected is a listing's digests as two other implementations computed them.
type expected struct {
	Digest    Digest
	ToolCount int `json:"tool_count"`
	Tools     map[string]struct {
		Digest Digest
		Fields map[string]Digest
	}
}

func corpus(t *testing.T) string {
	dir := os.Getenv("CONTRACTPIN_CORPUS")
	if dir == "" {
		t.Skip("CONTRACTPIN_CORPUS names no folder of real listings with their expected.json")
	}
	return dir
}

func TestParseDump_agreesWithTheCorpus(t *testing.T) {
	dir := corpus(t)
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]expected
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	tools := 0
	for file, want := range want {
		raw, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		l, err := ParseDump(raw)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if l.Digest != want.Digest || len(l.Tools) != want.ToolCount || l.Pins().Digest() != want.Digest {
			t.Errorf("%s: %s with %d tools, want %s with %d", file, l.Digest, len(l.Tools), want.Digest, want.ToolCount)
		}
		for i := range l.Tools {
			tool := &l.Tools[i]
			w := want.Tools[tool.Name]
			tools++
			if tool.Pin.Digest != w.Digest || tool.Pin.Fields.Len() != len(w.Fields) {
				t.Errorf("%s: %s: %v, want %v", file, tool.Name, tool.Pin, w)
			}
			for f, d := range w.Fields {
				if tool.Pin.Fields.Get(f) != d || Sum(tool.Field(f)) != d {
					t.Errorf("%s: %s: %s is %s, want %s", file, tool.Name, f, tool.Pin.Fields.Get(f), d)
				}
			}
		}
	}
	if len(want) != 56 || tools != 1397 {
		t.Errorf("%d listings, %d tools; want 56 and 1397", len(want), tools)
	}
}
