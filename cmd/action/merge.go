package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/verify"
)

// merged reads the report files of earlier jobs and makes one of them. What they say can come from a stranger's pull
// request: they are checked as report.Read checks, and a review in them is not taken over but made anew.
func (j *job) merged(ctx context.Context) (*verify.Report, error) {
	files, err := j.reportFiles()
	if err != nil {
		return nil, err
	}
	reports := make([]*verify.Report, len(files))
	for i, f := range files {
		if reports[i], err = j.readReport(f); err != nil {
			return nil, err
		}
	}
	r, err := report.Merge(reports, 0)
	if err != nil {
		return nil, fmt.Errorf("input reports: %w", err)
	}
	r.Review = j.review(ctx)
	markLive(r)
	if l := j.headLock(); l != nil && l.Digest != r.LockDigest && !r.LockDigest.IsZero() {
		r.Warnings = append(r.Warnings, "the reports are about another "+j.in.lockFile+" than this commit's")
	}
	return r, nil
}

// headLock is the lock that the reports should be about, or nil where it is not known.
func (j *job) headLock() *lock.Lock {
	data := j.headBytes
	if data == nil {
		data, _ = j.read(j.lock) // nothing is checked out in a job that only merges
	}
	l, err := lock.Parse(j.in.lockFile, data)
	if err != nil {
		return nil
	}
	return l
}

func (j *job) reportFiles() ([]string, error) {
	var files []string
	for _, pattern := range j.in.reports {
		found, err := filepath.Glob(j.abs(pattern))
		if err != nil {
			return nil, fmt.Errorf("input reports: %q: %w", pattern, err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	if len(files) == 0 {
		return nil, errors.New("input reports: no file matches; were the reports of the earlier jobs uploaded and downloaded?")
	}
	return files, nil
}

func (j *job) readReport(path string) (*verify.Report, error) {
	name := filepath.Base(path)
	if err := j.vet(path); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("report %s: %w", name, err)
	}
	if info.Size() > report.MaxReport {
		return nil, fmt.Errorf("report %s: larger than %d MiB", name, report.MaxReport>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("report %s: %w", name, err)
	}
	r, err := report.Read(data)
	if err != nil {
		return nil, fmt.Errorf("report %s: %w", name, err)
	}
	return r, nil
}
