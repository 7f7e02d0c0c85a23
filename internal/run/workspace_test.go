package run_test

import (
	"path/filepath"
	"testing"

	"github.com/contractpin/verify/internal/run"
)

func TestInWorkspace_unsetFolderIsTheLocks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "contractpin.lock")
	for name, c := range map[string]struct {
		env          map[string]string
		folder, base string
	}{
		"unset": {nil, dir, filepath.Base(dir)},
		"empty": {map[string]string{"WORKSPACE_FOLDER": ""}, dir, filepath.Base(dir)},
		"set":   {map[string]string{"WORKSPACE_FOLDER": "/elsewhere/x"}, "/elsewhere/x", "x"},
		"both":  {map[string]string{"WORKSPACE_FOLDER": "/elsewhere/x", "WORKSPACE_FOLDER_BASENAME": "y"}, "/elsewhere/x", "y"},
	} {
		lookup := run.InWorkspace(path, func(n string) (string, bool) { v, ok := c.env[n]; return v, ok })
		folder, _ := lookup("WORKSPACE_FOLDER")
		base, _ := lookup("WORKSPACE_FOLDER_BASENAME")
		if folder != c.folder || base != c.base {
			t.Errorf("%s: %q, %q, want %q, %q", name, folder, base, c.folder, c.base)
		}
		if v, ok := lookup("OTHER"); ok || v != "" {
			t.Errorf("%s: OTHER is %q", name, v)
		}
	}
	t.Chdir(dir)
	lookup := run.InWorkspace("contractpin.lock", func(string) (string, bool) { return "", false })
	if folder, ok := lookup("WORKSPACE_FOLDER"); !ok || !filepath.IsAbs(folder) {
		t.Errorf("a lock named without its folder: %q", folder)
	}
}
