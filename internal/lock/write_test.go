package lock

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestWrite_keepsTheModeOfTheOldFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "contractpin.lock")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestWrite_aNewFileIsReadableByAll(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "contractpin.lock")
	if err := Write(path, nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := newFileMode(t); info.Mode().Perm() != want {
		t.Errorf("mode %v, want %v", info.Mode(), want)
	}
}

// newFileMode is what os.WriteFile makes of 0644 under the umask.
func newFileMode(t *testing.T) os.FileMode {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestWrite_aFailureLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "contractpin.lock")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o755); err != nil { // a folder cannot be replaced
		t.Fatal(err)
	}
	if err := Write(path, []byte("new")); err == nil {
		t.Fatal("replaced a folder")
	}
	if err := Write(filepath.Join(dir, "missing", "contractpin.lock"), []byte("new")); err == nil {
		t.Fatal("wrote into a folder that is not there")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// A link in a checkout must not lead a write elsewhere.
func TestWrite_replacesALinkAndNotItsTarget(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "contractpin.lock")
	if err := os.WriteFile(target, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "precious" {
		t.Errorf("the target now holds %q", got)
	}
}

// Whoever reads while others write sees one file or the other, whole.
func TestWrite_isAtomic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "contractpin.lock")
	a, b := sample(t).Encode(), (&Lock{}).Encode()
	if err := Write(path, a); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, data := range [][]byte{a, b} {
		writers.Go(func() {
			for range 50 {
				if err := Write(path, data); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		if _, err := Load(path); err != nil {
			t.Error(err)
			break
		}
	}
	writers.Wait()
}
