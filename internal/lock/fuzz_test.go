package lock

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contractpin/verify/internal/contract"
)

// FuzzParse: never a crash; what is accepted is written and read again unchanged, and its digests hold.
func FuzzParse(f *testing.F) {
	f.Add(sample(f).Encode())
	f.Add((&Lock{}).Encode())
	f.Add([]byte(`{"contractpin":"1","algorithm":"sha256","canonicalization":"contractpin-canonical-json/1","generated_at":"2026-01-01T00:00:00Z","servers":{"s":{"transport":"file","path":"x","tool_count":0e5,"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","tools":{}}}}`))
	f.Add([]byte("{\n<<<<<<< HEAD\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse("x.lock", data)
		if err != nil {
			if _, ok := err.(*Error); !ok || l != nil {
				t.Fatalf("%T %v", err, l)
			}
			return
		}
		for _, s := range l.Servers {
			if s.Tools.Digest() != s.Digest || len(s.ToolLines) != len(s.Tools) || s.Line < 1 {
				t.Fatalf("%+v", s)
			}
		}
		written := l.Encode()
		again, err := Parse("x.lock", written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		l.Warnings = nil
		if diff := cmp.Diff(l, again, values); diff != "" {
			t.Fatal(diff)
		}
		if !bytes.Equal(again.Encode(), written) {
			t.Fatal("encoding is not stable")
		}
	})
}

// FuzzParseContracts: never a crash, never a text that the lock does not pin.
func FuzzParseContracts(f *testing.F) {
	lock, c := pinnedLock(f)
	f.Add(c.Encode())
	f.Add([]byte(`{"contractpin-contracts":"1","servers":{"acme":{"read":{}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, _ := ParseContracts("c.json", data, lock)
		for _, s := range lock.Servers {
			for name, pin := range s.Tools {
				if tool := got.Tool(s.Name, name); tool != nil && (tool.Name != name || contract.Sum(tool.Contract) != pin.Digest) {
					t.Fatalf("%s: %s", name, tool.Contract)
				}
			}
		}
		got.Encode()
	})
}
