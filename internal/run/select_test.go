package run

import (
	"fmt"
	"testing"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

func TestShardOf_everyServerInExactlyOneShard(t *testing.T) {
	var all []*lock.Server
	for i := range 2000 {
		all = append(all, &lock.Server{Name: fmt.Sprintf("server-%04d", i)})
	}
	seen := map[string]int{}
	for i := 1; i <= 8; i++ {
		names := inShard(all, &verify.Shard{Index: i, Count: 8})
		if len(names) < 200 || len(names) > 300 {
			t.Errorf("shard %d of 8 has %d of 2000 servers", i, len(names))
		}
		for _, n := range names {
			seen[n]++
		}
	}
	for _, s := range all {
		if seen[s.Name] != 1 {
			t.Errorf("%s is in %d shards", s.Name, seen[s.Name])
		}
	}
}

// A change of these would move servers between the shards of a run whose jobs use different versions.
func TestShardOf_isFixed(t *testing.T) {
	for name, want := range map[string]int{"": 6, "a": 5, "github": 3, "файл": 7} {
		if got := ShardOf(name, 8); got != want {
			t.Errorf("ShardOf(%q, 8) = %d, want %d", name, got, want)
		}
	}
}

func TestParseShard(t *testing.T) {
	for s, ok := range map[string]bool{
		"1/1": true, "3/8": true, "8/8": true,
		"0/8": false, "9/8": false, "1": false, "1/": false, "/1": false, "a/b": false, "1/2/3": false, "-1/2": false,
	} {
		if _, err := ParseShard(s); (err == nil) != ok {
			t.Errorf("ParseShard(%q): %v", s, err)
		}
	}
}
