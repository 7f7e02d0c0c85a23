package run_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
)

const (
	reads  = `{"tools":[{"name":"read","description":"Reads.","inputSchema":{"type":"object"}}]}`
	writes = `{"tools":[{"name":"read","description":"Writes.","inputSchema":{"type":"object"}}]}`
)

// pin makes a folder with a lock, its contracts file and a dump for each of the servers, all listing the same.
func pin(t *testing.T, names ...string) (path string) {
	t.Helper()
	dir := t.TempDir()
	l := &lock.Lock{Servers: map[string]*lock.Server{}}
	texts := &lock.Contracts{}
	for _, name := range names {
		listing, err := contract.ParseDump([]byte(reads))
		if err != nil {
			t.Fatal(err)
		}
		l.Servers[name] = &lock.Server{Name: name, Transport: lock.File, Path: name + ".json", Tools: listing.Pins(), Digest: listing.Digest}
		texts.Set(name, listing.Tools)
		put(t, filepath.Join(dir, name+".json"), reads)
	}
	path = filepath.Join(dir, "contractpin.lock")
	put(t, path, string(l.Encode()))
	put(t, lock.ContractsPath(path), string(texts.Encode()))
	return path
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, path string) *run.Pinned {
	t.Helper()
	p, failure := run.Load(path)
	if failure != nil {
		t.Fatal(failure.Message)
	}
	return p
}

func server(t *testing.T, r *verify.Report, name string) verify.Server {
	t.Helper()
	for _, s := range r.Servers {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("the report has no server %s", name)
	return verify.Server{}
}

func TestLoad_missingLockNamesTheTwoUsualCauses(t *testing.T) {
	_, f := run.Load(filepath.Join(t.TempDir(), "contractpin.lock"))
	if f == nil || f.Code != run.InvalidLock {
		t.Fatalf("failure %+v", f)
	}
	for _, cause := range []string{"checkout", "contractpin init"} {
		if !strings.Contains(f.Hint, cause) {
			t.Errorf("hint %q does not mention %s", f.Hint, cause)
		}
	}
}

func TestVerify_reportsEveryServerWhateverOneDoes(t *testing.T) {
	path := pin(t, "blocked", "breaks", "drifts", "gone", "matches")
	dir := filepath.Dir(path)
	put(t, filepath.Join(dir, "drifts.json"), writes)
	os.Remove(filepath.Join(dir, "gone.json"))
	r := run.Verify(t.Context(), load(t, path), run.Options{
		Block: func(s *lock.Server) *verify.Failure {
			if s.Name == "blocked" {
				return &verify.Failure{Code: "launch-differs", Message: "not as on the base branch"}
			}
			return nil
		},
		CheckFile: func(path string) (string, error) {
			if filepath.Base(path) == "breaks.json" {
				panic("a bug of ours")
			}
			return path, nil
		},
	})
	if r.ExitCode != verify.ExitDrift {
		t.Errorf("exit code %d", r.ExitCode)
	}
	for name, want := range map[string]verify.Status{
		"blocked": verify.Blocked, "breaks": verify.Unreachable, "drifts": verify.Drift, "gone": verify.Unreachable, "matches": verify.Match,
	} {
		if s := server(t, r, name); s.Status != want {
			t.Errorf("%s is %s (%+v), want %s", name, s.Status, s.Reason, want)
		}
	}
	if s := server(t, r, "breaks"); s.Reason == nil || s.Reason.Code != "internal" || !strings.Contains(s.Reason.Message, "a bug of ours") {
		t.Errorf("breaks: %+v", s.Reason)
	}
	// the old text comes from the contracts file
	if d := server(t, r, "drifts").Changes[0].Fields[0].Details[0]; d.Old != "Reads." || d.New != "Writes." {
		t.Errorf("details: %+v", d)
	}
}

func TestVerify_serversAfterAnInterruptionAreUnreachable(t *testing.T) {
	path := pin(t, "first", "second")
	ctx, cancel := context.WithCancel(t.Context())
	r := run.Verify(ctx, load(t, path), run.Options{Concurrency: 1, CheckFile: func(path string) (string, error) {
		cancel()
		return path, nil
	}})
	if s := server(t, r, "second"); s.Status != verify.Unreachable || s.Reason.Code != "interrupted" {
		t.Errorf("%s, %+v", s.Status, s.Reason)
	}
	if r.ExitCode != verify.ExitDrift {
		t.Errorf("exit code %d", r.ExitCode)
	}
}

func TestVerify_badOptionsAreInTheReport(t *testing.T) {
	p := load(t, pin(t, "a", "b"))
	for _, o := range []run.Options{
		{Servers: []string{"c"}},
		{Headers: []string{"X-Key: v"}},
		{Headers: []string{"a=X-Key: v"}},
	} {
		r := run.Verify(t.Context(), p, o)
		if r.ExitCode != verify.ExitCouldNotRun || r.Error == nil || r.Error.Code != run.BadArguments || len(r.Servers) != 0 {
			t.Errorf("%+v: exit code %d, %+v", o, r.ExitCode, r.Error)
		}
	}
}

func TestVerify_shardsCoverEveryServerOnce(t *testing.T) {
	p := load(t, pin(t, "a", "b", "c", "d", "e", "f"))
	seen := map[string]int{}
	for i := 1; i <= 4; i++ {
		r := run.Verify(t.Context(), p, run.Options{Shard: &verify.Shard{Index: i, Count: 4}})
		if r.ExitCode != verify.ExitMatch || r.Shard == nil || r.Shard.Index != i {
			t.Errorf("shard %d: exit code %d, %+v", i, r.ExitCode, r.Shard)
		}
		for _, s := range r.Servers {
			seen[s.Name]++
		}
	}
	for _, name := range p.Lock.Names() {
		if seen[name] != 1 {
			t.Errorf("%s was checked %d times", name, seen[name])
		}
	}
}

func TestVerify_forgottenContractsShowNoOldText(t *testing.T) {
	path := pin(t, "a")
	put(t, filepath.Join(filepath.Dir(path), "a.json"), writes)
	p := load(t, path)
	p.Forget("it is a link out of the workspace")
	r := run.Verify(t.Context(), p, run.Options{})
	if d := r.Servers[0].Changes[0].Fields[0].Details[0]; d.Old != "" {
		t.Errorf("details: %+v", d)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "out of the workspace") {
		t.Errorf("warnings: %q", r.Warnings)
	}
}

// A contracts file beyond the limit is read when a tool drifted, and only then.
func TestVerify_largeContractsFileIsReadWhenNeeded(t *testing.T) {
	path := pin(t, "a")
	texts := lock.ContractsPath(path)
	data, err := os.ReadFile(texts)
	if err != nil {
		t.Fatal(err)
	}
	put(t, texts, string(data)+strings.Repeat(" ", 9<<20))
	p := load(t, path)
	put(t, texts, "no longer JSON"+strings.Repeat(" ", 9<<20))
	if r := run.Verify(t.Context(), p, run.Options{}); r.ExitCode != verify.ExitMatch || len(r.Warnings) != 0 {
		t.Errorf("a match read it: exit code %d, %q", r.ExitCode, r.Warnings)
	}
	put(t, filepath.Join(filepath.Dir(path), "a.json"), writes)
	if r := run.Verify(t.Context(), p, run.Options{}); r.ExitCode != verify.ExitDrift || len(r.Warnings) != 1 {
		t.Errorf("drift did not read it: exit code %d, %q", r.ExitCode, r.Warnings)
	}
}
