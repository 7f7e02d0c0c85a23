package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// documents are what the benchmarks read: one for each way in which a document can be costly.
var documents = []struct {
	name string
	make func(b *testing.B) []byte
}{
	{"sample-compact", func(b *testing.B) []byte { return compact(b, sample(b)) }},
	{"sample-pretty", sample},
	{"sorted", func(b *testing.B) []byte {
		out, err := Append(nil, sample(b))
		if err != nil {
			b.Fatal(err)
		}
		return out
	}},
	{"cjk", func(b *testing.B) []byte { return cjk() }},
	{"numbers", func(b *testing.B) []byte { return numbers() }},
	{"nested-9990", func(b *testing.B) []byte { return nested(9990) }},
	{"keys-40000", func(b *testing.B) []byte { return keys(40_000) }},
	{"string-50MB", func(b *testing.B) []byte { return []byte(`"` + strings.Repeat("plain text ", 50_000_000/11) + `"`) }},
}

func sample(b *testing.B) []byte {
	data, err := os.ReadFile(testdata + "tools-list-sample.json")
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func compact(b *testing.B, src []byte) []byte {
	var out bytes.Buffer
	if err := json.Compact(&out, src); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// cjk is a list of tools described in Chinese and Japanese.
func cjk() []byte {
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"tool_%d","description":"%s","inputSchema":{"type":"object","properties":{"路径":{"type":"string","description":"%s"}}}}`,
			i, strings.Repeat("読み取るファイルの絶対パス。相対路径会相对于工作目录解析，", 8), strings.Repeat("返回文件的全部内容。", 10))
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// numbers is half short integers and decimals, as schemas have them, and half doubles of all magnitudes.
func numbers() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := []byte{'['}
	for range 20_000 {
		out = strconv.AppendInt(out, r.Int64N(100_000), 10)
		out = append(out, ',')
		out = strconv.AppendFloat(out, float64(r.Int64N(100_000))/1000, 'f', -1, 64)
		out = append(out, ',')
		out = strconv.AppendFloat(out, r.NormFloat64()*1e10, 'g', -1, 64)
		out = append(out, ',')
		out = strconv.AppendFloat(out, r.Float64()/1e30, 'e', 16, 64)
		out = append(out, ',')
	}
	out[len(out)-1] = ']'
	return out
}

func nested(depth int) []byte {
	return []byte(strings.Repeat(`{"b":0,"a":`, depth) + "1" + strings.Repeat("}", depth))
}

func keys(n int) []byte {
	out := []byte{'{'}
	for i := range n {
		out = fmt.Appendf(out, `"key_%d":%d,`, i*7919%n, i)
	}
	out[len(out)-1] = '}'
	return out
}

func BenchmarkAppend(b *testing.B) {
	for _, d := range documents {
		b.Run(d.name, func(b *testing.B) {
			src := d.make(b)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				var err error
				if dst, err = Append(dst[:0], src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRatio compares Append with the two other Go implementations, and with SHA-256 of the same bytes, in one run:
// each in turn, several rounds, the fastest of each.
func BenchmarkRatio(b *testing.B) {
	for _, d := range documents {
		b.Run(d.name, func(b *testing.B) {
			src := d.make(b)
			var dst, scratch []byte
			run := []func() error{
				func() (err error) { dst, err = Append(dst[:0], src); return err },
				func() error { sha256.Sum256(src); return nil },
				func() error {
					scratch = append(scratch[:0], src...)
					return (*jsontext.Value)(&scratch).Canonicalize()
				},
				func() error { _, err := jcs.Transform(src); return err },
			}
			best := fastest(b, run)
			b.ReportMetric(float64(len(src))/best[0].Seconds()/1e6, "MB/s")
			b.ReportMetric(best[1].Seconds()/best[0].Seconds(), "of-sha256")
			b.ReportMetric(best[2].Seconds()/best[0].Seconds(), "x-jsontext")
			b.ReportMetric(best[3].Seconds()/best[0].Seconds(), "x-gowebpki")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// fastest runs each function in turn, for at least 5 rounds and a second, and returns the shortest time of each.
func fastest(b *testing.B, run []func() error) []time.Duration {
	best := make([]time.Duration, len(run))
	began := time.Now()
	for round := 0; round < 5 || round < 200 && time.Since(began) < time.Second; round++ {
		for i, f := range run {
			start := time.Now()
			err := f()
			if d := time.Since(start); round == 0 || d < best[i] {
				best[i] = d
			}
			if err != nil {
				b.Fatalf("function %d: %v", i, err)
			}
		}
	}
	return best
}
