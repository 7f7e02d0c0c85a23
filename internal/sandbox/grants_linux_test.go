package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes files, and folders where a name ends in a slash.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			mkdir(t, path, 0o755)
			continue
		}
		mkdir(t, filepath.Dir(path), 0o755)
		write(t, path, name)
	}
	return root
}

// granted is what a walk grants: a name with a slash may be listed only, one without may be read with all below it.
func granted(root string, c checkout) []string {
	var out []string
	for _, g := range c.grants {
		name, _ := filepath.Rel(root, g.Path)
		if g.Rights == landList {
			name += "/"
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func TestWalk_grantsEverythingButGit(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  []string
	}{
		{[]string{"a", "src/b"}, []string{"."}},
		{nil, []string{"."}},
		{[]string{".git/config", "a", "src/b", "src/deep/c"}, []string{"./", "a", "src"}},
		{[]string{"x/y/z/.git/config", "x/f", "x/y/g", "x/y/z/h", "w/i"}, []string{"./", "w", "x/", "x/f", "x/y/", "x/y/g", "x/y/z/", "x/y/z/h"}},
		{[]string{"module/.git", "module/code", "other/code"}, []string{"./", "module/", "module/code", "other"}},
		{[]string{".git/modules/m/config", ".gitignore", ".github/w.yml"}, []string{"./", ".github", ".gitignore"}},
		{[]string{"bare.git/config"}, []string{"."}},
	} {
		root := tree(t, c.files...)
		found, err := walk(root, maxWalked)
		if err != nil {
			t.Fatal(err)
		}
		if got := granted(root, found); !slices.Equal(got, c.want) {
			t.Errorf("%v: granted %v, want %v", c.files, got, c.want)
		}
	}
}

func TestWalk_whatLiesBeyondTheBoundIsNotGranted(t *testing.T) {
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("far/d%02d/e/.git/config", i), fmt.Sprintf("near%02d/f", i))
	}
	root := tree(t, names...)
	for bound := range 120 {
		found, err := walk(root, bound)
		if bound == 0 {
			if err == nil {
				t.Error("a workspace of which nothing may be looked at is no error")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range found.grants {
			if g.Rights != landRead {
				continue
			}
			filepath.WalkDir(g.Path, func(path string, d fs.DirEntry, err error) error {
				if d.Name() == ".git" {
					t.Errorf("bound %d: %s is granted, with %s", bound, g.Path, path)
				}
				return nil
			})
		}
	}
}

func TestWalk_doesNotFollowLinks(t *testing.T) {
	outside := tree(t, "secret", ".git/config")
	root := tree(t, "a")
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	found, err := walk(root, maxWalked)
	if err != nil {
		t.Fatal(err)
	}
	if got := granted(root, found); !slices.Equal(got, []string{"."}) || len(found.gits) > 0 {
		t.Errorf("granted %v, found %v", got, found.gits)
	}
}

func TestClosed_modesComeBack(t *testing.T) {
	root := tree(t, "folder/file", "private/")
	paths := map[string]fs.FileMode{"folder": 0o755 | fs.ModeDir, "folder/file": 0o664, "private": 0o700 | fs.ModeDir}
	var all []string
	for name, mode := range paths {
		path := filepath.Join(root, name)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		all = append(all, path)
	}
	var c closed
	if err := c.add(append(all, filepath.Join(root, "absent"))...); err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if got := perm(t, path); got&0o077 != 0 {
			t.Errorf("%s is open: %v", path, got)
		}
	}
	if err := c.restore(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range paths {
		if got := perm(t, filepath.Join(root, name)); got != mode.Perm() {
			t.Errorf("%s has mode %v, want %v", name, got, mode.Perm())
		}
	}
}
