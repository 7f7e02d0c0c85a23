package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// account is one of the users that servers run as. Two servers under one could read each other's environment and memory.
type account struct {
	uid   int // and gid
	guard int // the user that ends what this one started
	name  string
	home  string
}

// users lends them out, each to one server at a time.
type users struct {
	free    chan *account
	mu      sync.Mutex
	left    int            // those that can still be lent: one that could not be cleaned up never is again
	none    chan struct{}  // closed when left is zero
	removal sync.WaitGroup // of files that returned users left
}

func newUsers(h *host) *users {
	p := &users{free: make(chan *account, h.users), left: h.users, none: make(chan struct{})}
	for i := range h.users {
		uid := h.firstUID + i
		u := &account{uid: uid, guard: uid + guardOffset, name: userName(i), home: filepath.Join(h.homes, strconv.Itoa(uid))}
		p.free <- u
	}
	return p
}

// lend waits for a free user and gives it an empty home.
func (p *users) lend(ctx context.Context) (*account, error) {
	select {
	case u := <-p.free:
		return u, nil
	case <-p.none:
		return nil, &Error{Code: NoIsolation, Message: "no user is left that a server could run as: none could be cleaned up", Hint: "see the warnings above"}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// giveBack takes a user whose processes are gone and lends it again when its files are gone too, which may be later.
func (p *users) giveBack(u *account, h *host, log func(string)) {
	p.removal.Go(func() {
		if err := removeAll(u, h); err != nil {
			log(fmt.Sprintf("user %d is not used again: %v", u.uid, err))
			p.retire()
			return
		}
		p.free <- u
	})
}

// retire takes a user out of use.
func (p *users) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left--; p.left == 0 {
		close(p.none)
	}
}

// makeHome makes the user's home, with a folder for temporary files and an empty one to start in.
func makeHome(u *account) error {
	for _, dir := range []string{u.home, u.temp(), u.empty()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if err := os.Chown(dir, u.uid, u.uid); err != nil {
			return err
		}
	}
	return nil
}

func (u *account) temp() string  { return filepath.Join(u.home, "tmp") }
func (u *account) empty() string { return filepath.Join(u.home, "empty") }
