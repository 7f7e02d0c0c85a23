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
	Warnings  []string // about the contracts file
}

// Load reads the lock at path and the contracts file beside it.
func Load(path string) (*Pinned, *verify.Failure) {
	l, err := lock.Load(path)
	if err != nil {
		return nil, lockFailure(path, err)
	}
	texts, warnings := lock.LoadContracts(lock.ContractsPath(path), l)
	return &Pinned{Path: path, Lock: l, Contracts: texts, Warnings: warnings}, nil
}

func lockFailure(path string, err error) *verify.Failure {
	if errors.Is(err, fs.ErrNotExist) {
		return &verify.Failure{
			Code:    InvalidLock,
			Message: path + ": no such file",
			Hint: "either the repository is not checked out here (in a workflow, run actions/checkout first), " +
				"or nothing is pinned yet (run contractpin init NAME -- COMMAND)",
		}
	}
	return &verify.Failure{Code: InvalidLock, Message: err.Error()}
}
