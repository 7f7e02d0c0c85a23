package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var digest = "sha256:" + strings.Repeat("0a", 32)

func TestRun_replacesTheDockerfileByTheDigest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "action.yml")
	if err := os.WriteFile(file, []byte("name: x\nruns:\n  using: docker\n  image: Dockerfile\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"-digest", digest, "-check", file}, io.Discard); code != 1 {
		t.Errorf("-check before: exit %d", code)
	}
	for range 2 { // a second release replaces the digest of the first
		if code := run([]string{"-digest", digest, file}, io.Discard); code != 0 {
			t.Fatalf("exit %d", code)
		}
	}
	if code := run([]string{"-digest", digest, "-check", file}, io.Discard); code != 0 {
		t.Errorf("-check after: exit %d", code)
	}
	got, _ := os.ReadFile(file)
	if want := "name: x\nruns:\n  using: docker\n  image: docker://ghcr.io/contractpin/verify@" + digest + "\n"; string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestRun_refusesWhatWouldNotPin(t *testing.T) {
	dir := t.TempDir()
	two := filepath.Join(dir, "two.yml")
	if err := os.WriteFile(two, []byte("  image: a\n  image: b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"malformed digest":         {"-digest", "sha256:abc", two},
		"malformed image name":     {"-digest", digest, "-image", "x y", two},
		"2 lines name an image":    {"-digest", digest, two},
		"no such file":             {"-digest", digest, filepath.Join(dir, "none.yml")},
		"usage: release -digest s": {"-digest", digest},
	} {
		var said strings.Builder
		if code := run(args, &said); code == 0 || !strings.Contains(said.String(), want) {
			t.Errorf("%q: exit %d, said %q", args, code, said.String())
		}
	}
}
