package run

import (
	"errors"
	"io/fs"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// Pinned is a lock with the texts that belong to it.
type Pinned struct {
	Path      string // as the user named it
	Lock      *lock.Lock
	Contracts *lock.Contracts
	Warnings  []string // about parts of both files that are ignored
}

// Load reads the lock at path and the contracts file beside it.
func Load(path string) (*Pinned, *verify.Failure) {
	l, failure := LoadLock(path)
	if failure != nil {
		return nil, failure
	}
	texts, warnings := lock.LoadContracts(lock.ContractsPath(path), l)
	return &Pinned{Path: path, Lock: l, Contracts: texts, Warnings: append(l.Warnings, warnings...)}, nil
}

// LoadLock reads the lock alone. Whatever is wrong with it is exit 2, and says where.
func LoadLock(path string) (*lock.Lock, *verify.Failure) {
	l, err := lock.Load(path)
	if err == nil {
		return l, nil
	}
	f := &verify.Failure{Code: InvalidLock, Message: err.Error()}
	var e *lock.Error
	if errors.As(err, &e) {
		f.Hint = e.Hint
	}
	if errors.Is(err, fs.ErrNotExist) {
		f.Hint = "either the repository is not checked out here (in a workflow, run actions/checkout first), " +
			"or nothing is pinned yet (run contractpin init NAME -- COMMAND)"
	}
	return nil, f
}
