package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// dumps are what the benchmarks digest.
var dumps = []struct {
	name string
	make func(b *testing.B) []byte
}{
	{"sample-compact", func(b *testing.B) []byte {
		var out bytes.Buffer
		if err := json.Compact(&out, sample(b)); err != nil {
			b.Fatal(err)
		}
		return out.Bytes()
	}},
	{"sample-pretty", sample},
	{"one-small-tool", func(b *testing.B) []byte {
		return []byte(`{"tools":[{"name":"ping","description":"Answers.","inputSchema":{"type":"object","properties":{}}}]}`)
	}},
	{"tools-50MB", func(b *testing.B) []byte { return manyTools(50_000_000) }},
}

func sample(b *testing.B) []byte {
	data, err := os.ReadFile("../../testdata/tools-list-sample.json")
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// manyTools is a dump of about size bytes.
func manyTools(size int) []byte {
	out := []byte(`{"tools":[`)
	text := strings.Repeat("Reads a file and returns what it holds. ", 30)
	for i := 0; len(out) < size; i++ {
		out = fmt.Appendf(out, `{"name":"tool_%d","description":"%s","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"%s"},"limit":{"type":"integer","default":%d}},"required":["path"]}},`,
			i, text, text[:400], i)
	}
	out[len(out)-1] = ']'
	return append(out, '}')
}

func BenchmarkParseDump(b *testing.B) {
	for _, d := range dumps {
		b.Run(d.name, func(b *testing.B) {
			raw := d.make(b)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseDump(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRatio compares ParseDump, which makes the canonical form and the digests of all tools, fields and the server,
// with SHA-256 of the same bytes, in one run: each in turn, several rounds, the faster of each.
func BenchmarkRatio(b *testing.B) {
	for _, d := range dumps {
		b.Run(d.name, func(b *testing.B) {
			raw := d.make(b)
			var ours, bare time.Duration
			began := time.Now()
			for round := 0; round < 5 || round < 1000 && time.Since(began) < 2*time.Second; round++ {
				start := time.Now()
				if _, err := ParseDump(raw); err != nil {
					b.Fatal(err)
				}
				between := time.Now()
				sha256.Sum256(raw)
				end := time.Now()
				if d := between.Sub(start); round == 0 || d < ours {
					ours = d
				}
				if d := end.Sub(between); round == 0 || d < bare {
					bare = d
				}
			}
			b.ReportMetric(float64(len(raw))/ours.Seconds()/1e6, "MB/s")
			b.ReportMetric(bare.Seconds()/ours.Seconds(), "of-sha256")
			b.ReportMetric(0, "ns/op")
		})
	}
}
