// Package lock reads, checks and writes the lock file and its readable companion, the contracts file (SPEC §5).
//
// A lock names each pinned server, how it is launched, and the digests of its tools:
//
//	{
//	  "algorithm": "sha256",
//	  "canonicalization": "contractpin-canonical-json/1",
//	  "contractpin": "1",
//	  "generated_at": "2026-08-14T09:31:07Z",
//	  "servers": {
//	    "acme": {
//	      "command": ["npx", "-y", "@acme/mcp@1.2.3"],
//	      "digest": "sha256:…", "tool_count": 1,
//	      "tools": {"search": {"digest": "sha256:…", "fields": {"name": "sha256:…"}}},
//	      "transport": "stdio"
//	    }
//	  }
//	}
package lock

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/contractpin/verify/internal/contract"
)

// What the top level of a lock must say.
const (
	Version          = "1"
	Algorithm        = "sha256"
	Canonicalization = "contractpin-canonical-json/1"
)

// Transports of a pinned server.
const (
	Stdio = "stdio"
	HTTP  = "http"
	File  = "file"
)

// MaxSize is the largest lock or contracts file that is read, in bytes.
const MaxSize = 256 << 20

// timeForm is the form of generated_at.
const timeForm = "2006-01-02T15:04:05Z"

// Lock is a valid lock file: everything that SPEC §5 demands has been checked.
type Lock struct {
	GeneratedAt time.Time // UTC, whole seconds
	Servers     map[string]*Server
	Digest      contract.Digest // of the file's bytes; zero for a lock not read from bytes
	// Warnings name what was ignored: field digests that are malformed. Sorted as in the file.
	Warnings []string
}

// Server is one pinned server. Command, Env and Cwd belong to Stdio, URL to HTTP, Path to File; the others are zero.
type Server struct {
	Name      string
	Transport string
	Command   []string
	Env       map[string]string // values may hold ${NAME} references
	Cwd       string            // relative to the lock's folder; "" is the default of SPEC §6
	URL       string
	Path      string
	Digest    contract.Digest
	Tools     contract.Pins
	Line      int            // 1-based line of the server's key in the file; 0 when unknown
	ToolLines map[string]int // likewise for its tools
}

// Names lists the servers, sorted.
func (l *Lock) Names() []string { return slices.Sorted(maps.Keys(l.Servers)) }

// Load reads and checks the lock at path. Errors are *Error and read `path: place: what "value"`; a missing file's
// error satisfies errors.Is(err, fs.ErrNotExist).
func Load(path string) (*Lock, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// LoadToReplace is Load for a caller who pins some servers anew or takes them out: their tool_count and digest need not
// fit their tools. So a lock that was merged line by line, or edited, can be mended without an editor.
func LoadToReplace(path string, replaced func(server string) bool) (*Lock, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, data, replaced)
}

// readFile reads at most MaxSize bytes. It takes pipes too: `contractpin diff <(git show …) contractpin.lock`.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	size := int64(0)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	buf := bytes.NewBuffer(make([]byte, 0, min(size, MaxSize)+bytes.MinRead))
	if size <= MaxSize {
		if size, err = buf.ReadFrom(io.LimitReader(f, MaxSize+1)); err != nil {
			return nil, fileError(path, err)
		}
	}
	if size > MaxSize {
		return nil, &Error{File: path, Reason: "larger than 256 MiB"}
	}
	return buf.Bytes(), nil
}

// Error says what is wrong with a lock, and where.
type Error struct {
	File   string // as the caller named it
	Place  string // servers.acme.digest; "" for the file as a whole
	Line   int    // from 1; 0 when unknown
	Reason string // lower case, no full stop; quotes the file's content only escaped
	Hint   string // what a person can do about it, or ""
	err    error  // what the system said, for errors.Is
}

func (e *Error) Error() string {
	s := e.File + ": "
	if e.Place != "" {
		s += e.Place + ": "
	}
	s += e.Reason
	if e.Line > 0 {
		s += " (line " + strconv.Itoa(e.Line) + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.err }

func fileError(path string, err error) *Error {
	e := &Error{File: path, err: err, Reason: err.Error()}
	if pe, ok := err.(*fs.PathError); ok {
		e.Reason = pe.Err.Error()
	}
	if os.IsNotExist(err) {
		e.Reason = "no such file"
	}
	return e
}
