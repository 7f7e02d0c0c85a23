package run

import (
	"path/filepath"

	"github.com/contractpin/verify/internal/clientconfig"
)

// InWorkspace is lookup with a value for what stands for a client's workspace in a lock, ${WORKSPACE_FOLDER} and its last
// part ${WORKSPACE_FOLDER_BASENAME}: where they are unset or empty, the folder of the lock at path.
func InWorkspace(path string, lookup func(name string) (string, bool)) func(name string) (string, bool) {
	const folder, base = clientconfig.WorkspaceFolder, clientconfig.WorkspaceFolder + "_BASENAME"
	return func(name string) (string, bool) {
		value, ok := lookup(name)
		if value != "" || name != folder && name != base {
			return value, ok
		}
		dir, _ := lookup(folder)
		if dir == "" {
			var err error
			if dir, err = filepath.Abs(filepath.Dir(path)); err != nil {
				return value, ok
			}
		}
		if name == base {
			dir = filepath.Base(dir)
		}
		return dir, true
	}
}
