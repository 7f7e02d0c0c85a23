//go:build !windows

package lock

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write replaces the file at path in one atomic rename; a new file gets mode 0644 less the umask, an old one keeps its
// own. A failure leaves the old file as it was.
func Write(path string, data []byte) error {
	// The temporary file stands beside the target: renameio would otherwise try the system's folder first.
	if err := renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fileError(path, err)
	}
	return nil
}
