// Package lock reads, checks and writes the lock file and its readable companion, the contracts file (SPEC §5).
package lock

import (
	"time"

	"github.com/contractpin/verify/internal/contract"
)

// Transports of a pinned server.
const (
	Stdio = "stdio"
	HTTP  = "http"
	File  = "file"
)

// Lock is a valid lock file: everything that SPEC §5 demands has been checked.
type Lock struct {
	GeneratedAt time.Time
	Servers     map[string]*Server
	Digest      contract.Digest // of the file's bytes; zero for a lock not read from bytes
}

// Server is one pinned server. Command, Env and Cwd belong to Stdio, URL to HTTP, Path to File.
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
func (l *Lock) Names() []string { panic("being written") }

// Load reads and checks the lock at path. Errors read `path: place: what "value"`; a missing file's error satisfies
// errors.Is(err, fs.ErrNotExist).
func Load(path string) (*Lock, error) { panic("being written") }

// Parse checks a lock's bytes; name stands for the file in errors.
func Parse(name string, data []byte) (*Lock, error) { panic("being written") }

// Encode renders the lock: keys sorted, two spaces, LF, final newline.
func (l *Lock) Encode() []byte { panic("being written") }

// Write replaces the file at path in one atomic rename. A failure leaves the old file as it was.
func Write(path string, data []byte) error { panic("being written") }

// LaunchField is one part of a launch description that differs.
type LaunchField struct {
	Field    string `json:"field"` // transport, command, env.NAME, cwd, url, path
	Old, New string // command as a JSON array, other values as they are; "" where absent
}

// LaunchChanges compares two launch descriptions (transport, command, env, cwd, url, path).
func LaunchChanges(old, new *Server) []LaunchField { panic("being written") }
