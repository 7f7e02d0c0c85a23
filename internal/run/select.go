package run

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// Select returns the named servers of the lock, or all of them where names is empty: sorted, each once.
func Select(l *lock.Lock, names []string) ([]*lock.Server, error) {
	if len(names) == 0 {
		names = l.Names()
	}
	names = slices.Clone(names)
	slices.Sort(names)
	var out []*lock.Server
	for _, name := range slices.Compact(names) {
		s := l.Servers[name]
		if s == nil {
			return nil, fmt.Errorf("the lock pins no server \"%s\"; it pins %s", visible.Name(name), Enumerate(l.Names()))
		}
		out = append(out, s)
	}
	return out, nil
}

// Enumerate lists names for a sentence, the first ten of them.
func Enumerate(names []string) string {
	const most = 10
	if len(names) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, n := range names {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(names)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(visible.Name(n))
	}
	return b.String()
}

// ParseShard reads I/N with 1 ≤ I ≤ N. The empty string is no shard.
func ParseShard(s string) (*verify.Shard, error) {
	if s == "" {
		return nil, nil
	}
	index, count, _ := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return nil, fmt.Errorf("shard %q is not I/N with I from 1 to N", s)
	}
	return &verify.Shard{Index: i, Count: n}, nil
}

// ShardOf says which of count shards checks a server, from 1. It depends on the name alone, so that a server that comes
// or goes moves no other.
func ShardOf(name string, count int) int {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int(h.Sum64()%uint64(count)) + 1
}

func inShard(servers []*lock.Server, shard *verify.Shard) []string {
	names := []string{}
	for _, s := range servers {
		if shard == nil || ShardOf(s.Name, shard.Count) == shard.Index {
			names = append(names, s.Name)
		}
	}
	return names
}
