package clientconfig

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/visible"
)

// Kinds of finding.
const (
	Unpinned       = "unpinned"        // a client starts it, and the lock does not pin it
	LaunchDiffers  = "launch-differs"  // the lock pins it as it is launched otherwise
	MovingVersion  = "unversioned"     // what it fetches can change between two starts
	NotComparable  = "not-comparable"  // its entry cannot be written in a lock
	StartsDisabled = "starts-disabled" // marked disabled for a client that does not heed the mark
)

// Finding is one way in which a client's configuration is not covered by a lock.
type Finding struct {
	File   string             `json:"file"`
	Line   int                `json:"line,omitempty"` // of the server in File, from 1
	Server string             `json:"server"`
	Kind   string             `json:"kind"`
	Text   string             `json:"text"`             // one line of ASCII
	Launch []lock.LaunchField `json:"launch,omitempty"` // Old is the lock's, New the file's
}

// Compare holds what a file names against a lock, in the order of the servers' names. A server that the lock has under
// another name with the same launch description is pinned.
func Compare(f *File, l *lock.Lock) []Finding {
	var found []Finding
	for i := range f.Entries {
		e := &f.Entries[i]
		add := func(kind, format string, args ...any) *Finding {
			found = append(found, Finding{File: f.Path, Line: e.Line, Server: e.Name, Kind: kind, Text: fmt.Sprintf(format, args...)})
			return &found[len(found)-1]
		}
		name := strconv.QuoteToASCII(e.Name)
		pinned := l.Servers[e.Name]
		switch {
		case e.Skipped != "":
			if pinned == nil && f.Client.ignoresDisabled() && strings.Contains(e.Skipped, "disabled: true") {
				add(StartsDisabled, "server %s is marked disabled, which %s does not heed, and the lock does not pin it", name, f.Client)
			}
			continue
		case e.Refused != "":
			kind, text := NotComparable, "server %s is pinned, but its entry cannot be compared: %s"
			if pinned == nil {
				kind, text = Unpinned, "server %s is not pinned: %s"
			}
			add(kind, text, name, quoteFree(e.Refused))
			continue
		}
		if pinned == nil && !launchedElsewhere(e.Server, l) {
			add(Unpinned, "server %s is not pinned: contractpin init --from %s %s", name, visible.ShellWord(f.Path), visible.ShellOperand(e.Name))
		}
		if pinned != nil {
			if launch := differences(pinned, e.Server); len(launch) > 0 {
				var fields []string
				for _, c := range launch {
					fields = append(fields, quoteFree(c.Field))
				}
				add(LaunchDiffers, "server %s is launched otherwise than the lock says: %s", name, strings.Join(fields, ", ")).Launch = launch
			}
		}
		if why := Unversioned(e.Server.Command); why != "" {
			add(MovingVersion, "server %s: %s, so what runs can change while the lock stays the same", name, why)
		}
	}
	return found
}

// launchedElsewhere tells whether the lock pins the same launch description under another name.
func launchedElsewhere(s *lock.Server, l *lock.Lock) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(l.Servers)), func(p *lock.Server) bool {
		return len(differences(p, s)) == 0
	})
}

// differences compares launch descriptions. The lock's folder is the default of both, so "." says nothing.
func differences(pinned, named *lock.Server) []lock.LaunchField {
	a, b := *pinned, *named
	if a.Cwd == "." {
		a.Cwd = ""
	}
	if b.Cwd == "." {
		b.Cwd = ""
	}
	return lock.LaunchChanges(&a, &b)
}
