package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/contractpin/verify/internal/github"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// side is the lock and the contracts file at one of the two commits that a review compares.
type side struct {
	lock, contracts []byte // nil: no such file there
	commit          string
}

// review says what the pull request does to the lock: nil where there is none, or it leaves both files alone. It
// changes no verdict, so what it cannot find out is a warning in it.
func (j *job) review(ctx context.Context) *verify.Review {
	if j.client == nil || j.at.Event.PR == 0 || j.in.shard != nil {
		return nil // the job that merges the shards reviews
	}
	path := github.RepoPath(j.ws, j.lock)
	if path == "" {
		return nil
	}
	base := j.client.Base(ctx)
	if base == "" {
		return nil
	}
	was, err := j.sideAt(ctx, path, base)
	if err != nil {
		return j.noReview(err)
	}
	is, err := j.head(ctx, path)
	if err != nil {
		return j.noReview(err)
	}
	j.headBytes = is.lock
	if bytes.Equal(was.lock, is.lock) && bytes.Equal(was.contracts, is.contracts) {
		return nil
	}
	j.edited = true
	r := compare(path, was, is)
	r.Base, r.Head = was.commit, is.commit
	return r
}

// noReview says why there is none: a reader must not take silence for "the lock is as it was".
func (j *job) noReview(err error) *verify.Review {
	message := "what this pull request does to the lock could not be found out: " + j.client.Cause(err, "contents: read")
	j.gh.Annotate(github.Annotation{Level: github.Notice, Title: "contractpin", Message: visible.Line(message, 0)})
	return &verify.Review{Servers: []verify.ServerReview{}, Warnings: []string{message}}
}

// compare reviews two sides that differ.
func compare(path string, was, is side) *verify.Review {
	oldLock, oldTexts, oldErr := was.parse(path)
	newLock, newTexts, newErr := is.parse(path)
	if err := errors.Join(oldErr, newErr); err != nil {
		return &verify.Review{Servers: []verify.ServerReview{}, Warnings: []string{"the lock before and after this pull request could not be compared: " + err.Error()}}
	}
	r := verify.ReviewLocks(oldLock, newLock, oldTexts, newTexts)
	if r.Empty() {
		r.Warnings = append(r.Warnings, "the pull request edits "+path+" or its contracts file, but neither a pin nor how a server is launched")
	}
	return r
}

func (s side) parse(path string) (*lock.Lock, *lock.Contracts, error) {
	if s.lock == nil {
		return &lock.Lock{}, nil, nil // a new lock adds everything, a deleted one removes it
	}
	name := path
	if s.commit != "" {
		name = fmt.Sprintf("%s at %.12s", path, s.commit)
	}
	l, err := lock.Parse(name, s.lock)
	if err != nil {
		return nil, nil, err
	}
	if s.contracts == nil {
		return l, nil, nil
	}
	texts, _ := lock.ParseContracts(lock.ContractsPath(path), s.contracts, l)
	return l, texts, nil
}

// sideAt reads a side by the API.
func (j *job) sideAt(ctx context.Context, path, commit string) (side, error) {
	s := side{commit: commit}
	for _, f := range []struct {
		name string
		to   *[]byte
	}{{path, &s.lock}, {lock.ContractsPath(path), &s.contracts}} {
		data, err := j.client.File(ctx, f.name, commit)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return side{}, err
		}
		*f.to = data
	}
	return s, nil
}

// head is the side that the pull request asks for. The workspace holds it, unless the event is one that checks out the
// repository's own branch, or the job only merges reports and has checked out nothing.
func (j *job) head(ctx context.Context, path string) (side, error) {
	if j.at.Event.Privileged() {
		return j.sideAt(ctx, path, j.at.Event.HeadSHA)
	}
	s := side{commit: j.at.Event.HeadSHA}
	var err error
	if s.lock, err = j.read(j.lock); errors.Is(err, fs.ErrNotExist) && len(j.in.reports) > 0 && j.at.SHA != "" {
		return j.sideAt(ctx, path, j.at.SHA)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return side{}, err
	}
	if s.contracts, err = j.read(lock.ContractsPath(j.lock)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return side{}, err
	}
	return s, nil
}

func (j *job) read(path string) ([]byte, error) {
	if err := j.vet(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// markLive says of each reviewed server whether it agrees with the pins that the pull request gives it.
func markLive(r *verify.Report) {
	if r.Review == nil {
		return
	}
	for i := range r.Review.Servers {
		s := &r.Review.Servers[i]
		for k := range r.Servers {
			if live := &r.Servers[k]; live.Name == s.Name && s.New != nil && live.Locked.Digest == s.New.Digest {
				s.Live = live.Status
			}
		}
	}
}
