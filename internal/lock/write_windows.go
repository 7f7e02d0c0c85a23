package lock

import (
	"os"
	"path/filepath"
)

// Write replaces the file at path by one rename, which is as atomic as Windows has it (renameio does not support
// Windows). A failure leaves the old file as it was.
func Write(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fileError(path, err)
	}
	defer os.Remove(f.Name()) // does nothing once it has been renamed
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fileError(path, err)
	}
	return nil
}
