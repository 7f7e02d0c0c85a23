package report

import (
	"io"

	"github.com/contractpin/verify/internal/verify"
)

// Read reads a JSON report and checks it: format, types, digests, that counts, result and exit code follow from the rest.
func Read(data []byte) (*verify.Report, error) { panic("being written") }

// Merge makes one report of several (shards of one run). want is the number of reports expected, 0 when unknown; each
// missing shard becomes an unreachable entry that says so. Reports of different locks are an error.
func Merge(reports []*verify.Report, want int) (*verify.Report, error) { panic("being written") }

// Context is what markdown says about where the run took place. Every member may be empty.
type Context struct {
	Key        string // comment key; the marker is made of it
	HeadSHA    string
	RunID      int64
	RunAttempt int
	RunURL     string
	LockPath   string      // for the command that accepts a change
	Updated    bool        // the comment replaces an earlier one
	Env        [][2]string // environment rows of the summary
}

// Marker is the first line of a comment with this key.
func Marker(key string) string { panic("being written") }

// Comment renders a pull request comment of at most 60,000 characters.
func Comment(r *verify.Report, c Context) string { panic("being written") }

// Summary renders a job summary of at most 900 kB.
func Summary(r *verify.Report, c Context) string { panic("being written") }

// ReviewMarkdown renders a review alone (diff --format markdown, a renewal's pull request body).
func ReviewMarkdown(r *verify.Review, c Context) string { panic("being written") }

// SARIF writes a SARIF 2.1.0 log.
func SARIF(w io.Writer, r *verify.Report) error { panic("being written") }
