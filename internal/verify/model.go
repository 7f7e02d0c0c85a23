// Package verify compares live servers with a lock (SPEC §6): the run, the result model and the exit code.
package verify

import (
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/contract"
)

// Exit codes (SPEC §6). They are the interface that CI depends on.
const (
	ExitMatch       = 0 // every selected server matches the lock
	ExitDrift       = 1 // drift, or a pinned server could not be checked
	ExitCouldNotRun = 2 // bad arguments, missing or corrupt lock, unknown version
)

// Format identifies the JSON report.
const Format = "contractpin-report/1"

// Status is what became of one server.
type Status string

// The five statuses of a server.
const (
	Match       Status = "match"
	Drift       Status = "drift"
	Unreachable Status = "unreachable" // could not list
	Malformed   Status = "malformed"   // listed something that is no valid listing
	Blocked     Status = "blocked"     // refused to launch
)

// Result is the verdict of a whole run.
type Result string

// The three results: exit 0, 1 and 2.
const (
	ResultMatch Result = "match"
	ResultDrift Result = "drift"
	ResultError Result = "error"
)

// Report is the outcome of one run, and (marshalled) the JSON report. Every output is a rendering of it.
type Report struct {
	Report     string          `json:"report"`
	Version    string          `json:"version,omitempty"` // of contractpin
	Lock       string          `json:"lock"`              // as the user named it
	LockDigest contract.Digest `json:"lock_digest,omitzero"`
	Shard      *Shard          `json:"shard,omitempty"`
	Result     Result          `json:"result"`
	ExitCode   int             `json:"exit_code"`
	Servers    []Server        `json:"servers"`            // sorted by name
	Coverage   []Gap           `json:"coverage,omitempty"` // what client configurations name and the lock does not cover
	Warnings   []string        `json:"warnings,omitempty"`
	Review     *Review         `json:"review,omitempty"` // what a pull request does to the lock
	Error      *Failure        `json:"error,omitempty"`  // exit 2
}

// Shard says which part of a lock a run covers. Index counts from 1.
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Side is one side of the comparison.
type Side struct {
	Digest    contract.Digest `json:"digest"`
	ToolCount int             `json:"tool_count"`
}

// Counts of a server's tools.
type Counts struct {
	Unchanged int `json:"unchanged"`
	Drifted   int `json:"drifted"`
	Added     int `json:"added"`
	Removed   int `json:"removed"`
}

// add counts one change of a kind: contract.Added, Removed or Drifted.
func (c *Counts) add(kind string) {
	switch kind {
	case contract.Added:
		c.Added++
	case contract.Removed:
		c.Removed++
	default:
		c.Drifted++
	}
}

// Server is the outcome for one pinned server.
type Server struct {
	Name       string   `json:"name"`
	Transport  string   `json:"transport"`
	Line       int      `json:"line,omitempty"` // in the lock file, from 1
	Status     Status   `json:"status"`
	Locked     Side     `json:"locked"`
	Live       *Side    `json:"live,omitempty"`
	Counts     Counts   `json:"counts"`
	Changes    []Change `json:"changes,omitempty"` // sorted by tool
	Reason     *Failure `json:"reason,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
	DurationMS int64    `json:"duration_ms"`
	Timing     *Timing  `json:"timing,omitempty"`
}

// Timing says where a server's time went, in milliseconds.
type Timing struct {
	StartMS     int64 `json:"start_ms"`
	HandshakeMS int64 `json:"handshake_ms"`
	ListingMS   int64 `json:"listing_ms"`
	DigestingMS int64 `json:"digesting_ms"`
}

// Failure says why something could not be checked (a server) or run (a report). Message may hold a server's text.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Stderr  string `json:"stderr,omitempty"`
}

// Change is one tool that differs.
type Change struct {
	Tool    string          `json:"tool"`
	Kind    string          `json:"kind"`           // contract.Drifted, Added or Removed
	Allowed bool            `json:"allowed"`        // an addition under --allow-new
	Line    int             `json:"line,omitempty"` // of the tool in the lock, else of its server
	Locked  contract.Digest `json:"locked,omitzero"`
	Live    contract.Digest `json:"live,omitzero"`
	Labels  []string        `json:"labels,omitempty"`
	Note    string          `json:"note,omitempty"` // why the changed fields are not known
	Fields  []FieldChange   `json:"fields"`
}

// FieldChange is one field of a changed tool.
type FieldChange struct {
	Field   string            `json:"field"`
	Kind    string            `json:"kind"` // contract.Changed, Added or Removed
	Locked  contract.Digest   `json:"locked,omitzero"`
	Live    contract.Digest   `json:"live,omitzero"`
	Details []contract.Detail `json:"details,omitempty"`
}

// Finish sorts the servers and the gaps, and derives the result and the exit code: the only place where they are made.
func (r *Report) Finish() {
	r.Report = Format
	if r.Servers == nil {
		r.Servers = []Server{}
	}
	slices.SortFunc(r.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	r.Result, r.ExitCode = ResultMatch, ExitMatch
	for i := range r.Servers {
		if r.Servers[i].Status != Match {
			r.Result, r.ExitCode = ResultDrift, ExitDrift
		}
	}
	r.sortCoverage()
	if r.Uncovered() > 0 {
		r.Result, r.ExitCode = ResultDrift, ExitDrift
	}
	if r.Error != nil {
		r.Result, r.ExitCode = ResultError, ExitCouldNotRun
	}
}

// Totals are the counts over all servers, allowed additions included, and the number of servers by status.
type Totals struct {
	Counts
	Status map[Status]int
}

// Totals adds up the report.
func (r *Report) Totals() Totals {
	t := Totals{Status: map[Status]int{}}
	for i := range r.Servers {
		s := &r.Servers[i]
		t.Status[s.Status]++
		t.Unchanged += s.Counts.Unchanged
		t.Drifted += s.Counts.Drifted
		t.Added += s.Counts.Added
		t.Removed += s.Counts.Removed
	}
	return t
}
