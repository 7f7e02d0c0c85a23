package lock

import (
	"fmt"
	"testing"

	"github.com/contractpin/verify/internal/contract"
)

// big makes a lock of so many servers with 50 tools each. 2,000 of them are the size that a platform team has.
func big(servers int) *Lock {
	l := &Lock{Servers: map[string]*Server{}}
	for i := range servers {
		s := &Server{Name: fmt.Sprintf("server-%04d", i), Transport: Stdio, Command: []string{"npx", "-y", fmt.Sprintf("@acme/mcp-%d@1.2.3", i)}, Tools: contract.Pins{}}
		for j := range 50 {
			sum := contract.Sum(fmt.Appendf(nil, "%d %d", i, j))
			pin := contract.Pin{Digest: sum}
			for _, f := range []string{contract.FieldName, contract.FieldDescription, contract.FieldInputSchema, contract.FieldAnnotations} {
				pin.Fields.Set(f, sum)
			}
			s.Tools[fmt.Sprintf("tool_number_%d", j)] = pin
		}
		s.Digest = s.Tools.Digest()
		l.Servers[s.Name] = s
	}
	return l
}

// The time for each server must not depend on how many there are.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{20, 200, 2_000} {
		data := big(n).Encode()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse("x.lock", data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{20, 200, 2_000} {
		l := big(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.SetBytes(int64(len(l.Encode())))
			}
		})
	}
}
