package mcp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
)

// listFile reads a tools/list dump.
func listFile(s *lock.Server, o *Options) (*Listed, error) {
	began := time.Now()
	path := filepath.FromSlash(s.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	if o.CheckFile != nil {
		var err error
		if path, err = o.CheckFile(path); err != nil {
			var e *Error
			if errors.As(err, &e) {
				return nil, e
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fileError(s.Path, err, o)
			}
			return nil, &Error{Kind: Blocked, Code: CodeFile, Message: line(err.Error())}
		}
	}
	data, err := readFile(path, o.Listing)
	if err != nil {
		return nil, fileError(s.Path, err, o)
	}
	read := time.Now()
	listing, err := contract.ParseDump(data)
	if err != nil {
		return nil, dumpError(err, o)
	}
	if len(listing.Tools) > o.Tools {
		return nil, &Error{Kind: Malformed, Code: CodeTooLarge, Message: tooManyTools(o.Tools)}
	}
	return &Listed{Listing: listing, Timing: Timing{Listing: read.Sub(began), Digesting: time.Since(read)}}, nil
}

func readFile(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, min(info.Size(), most)+1)
	n, err := io.ReadFull(f, data)
	data = data[:n]
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return data, nil
	case err == nil && int64(n) <= most: // it grew since it was looked at
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(f, most+1-int64(n)))
		data = append(data, rest...)
	}
	if err == nil && int64(len(data)) > most {
		err = &tooLargeError{}
	}
	return data, err
}

func fileError(shown string, err error, o *Options) *Error {
	var large *tooLargeError
	switch {
	case errors.As(err, &large):
		return &Error{Kind: Malformed, Code: CodeTooLarge, Message: fmt.Sprintf("%s is larger than the limit of %s", quote(shown), bytesOf(o.Listing))}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{
			Kind: Unreachable, Code: CodeFile, Message: fmt.Sprintf("no file %s", quote(shown)),
			Hint: "path is relative to the lock's folder; was the dump committed, or made by an earlier step?",
		}
	case errors.Is(err, fs.ErrPermission):
		return &Error{Kind: Unreachable, Code: CodeFile, Message: fmt.Sprintf("%s may not be read", quote(shown))}
	case errors.Is(err, errNotRegular):
		return &Error{Kind: Unreachable, Code: CodeFile, Message: fmt.Sprintf("%s is not a regular file", quote(shown))}
	}
	return &Error{Kind: Unreachable, Code: CodeFile, Message: fmt.Sprintf("%s could not be read", quote(shown))}
}

// dumpError words why a dump is no listing. Where paths are restricted the file may be somebody's secret, reached
// through a link: then none of its content is shown.
func dumpError(err error, o *Options) *Error {
	var m *contract.Malformed
	if !errors.As(err, &m) {
		return &Error{Kind: Malformed, Code: CodeSyntax, Message: line(err.Error())}
	}
	if o.CheckFile != nil {
		return &Error{
			Kind: Malformed, Code: m.Code, Message: "the file is no valid listing (" + m.Code + ")",
			Hint: "contractpin digest FILE says where",
		}
	}
	return &Error{Kind: Malformed, Code: m.Code, Message: m.Message}
}
