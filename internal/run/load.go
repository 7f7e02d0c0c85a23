package run

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// Pinned is a lock with the texts that belong to it.
type Pinned struct {
	Path     string // as the user named it
	Lock     *lock.Lock
	Warnings []string // about parts of the lock that are ignored

	contracts string // path of the contracts file; "": none is to be read
	once      sync.Once
	texts     *lock.Contracts
	ignored   []string // warnings about the contracts file
}

// early is the size in bytes up to which a contracts file is read, and warned of, although nothing may have drifted. To
// read a hundred megabytes would double the time and memory of a run that matches.
const early = 8 << 20

// Load reads the lock at path and the contracts file beside it.
func Load(path string) (*Pinned, *verify.Failure) {
	l, failure := LoadLock(path)
	return withTexts(path, l, failure)
}

// LoadToReplace is Load for a caller who pins the named servers anew (all where none is named) or takes them out: see
// lock.LoadToReplace.
func LoadToReplace(path string, names ...string) (*Pinned, *verify.Failure) {
	replaced := func(server string) bool { return len(names) == 0 || slices.Contains(names, server) }
	l, failure := loaded(lock.LoadToReplace(path, replaced))
	return withTexts(path, l, failure)
}

func withTexts(path string, l *lock.Lock, failure *verify.Failure) (*Pinned, *verify.Failure) {
	if failure != nil {
		return nil, failure
	}
	p := &Pinned{Path: path, Lock: l, Warnings: l.Warnings, contracts: lock.ContractsPath(path)}
	if info, err := os.Stat(p.contracts); err == nil && info.Size() <= early {
		p.Contracts()
	}
	return p, nil
}

// Contracts are the locked texts, read when they are first asked for.
func (p *Pinned) Contracts() *lock.Contracts {
	p.once.Do(func() {
		if p.contracts != "" {
			p.texts, p.ignored = lock.LoadContracts(p.contracts, p.Lock)
		}
	})
	return p.texts
}

// Tool is the locked contract of a tool, or nil where it is not known.
func (p *Pinned) Tool(server, tool string) *contract.Tool { return p.Contracts().Tool(server, tool) }

// Forget makes the contracts file unread, for the reason that the warning says.
func (p *Pinned) Forget(warning string) {
	p.once.Do(func() {})
	p.texts, p.ignored = nil, []string{warning}
}

// AllWarnings are those about the lock and about the contracts file, so far as that was read.
func (p *Pinned) AllWarnings() []string { return slices.Concat(p.Warnings, p.ignored) }

// LoadLock reads the lock alone. Whatever is wrong with it is exit 2, and says where.
func LoadLock(path string) (*lock.Lock, *verify.Failure) { return loaded(lock.Load(path)) }

func loaded(l *lock.Lock, err error) (*lock.Lock, *verify.Failure) {
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
