package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contractpin/verify/internal/pattern"
)

const markerPrefix = "<!-- contractpin-verify"

// Marker is the first line of a comment with this key.
func Marker(key string) string {
	return markerPrefix + " key=" + percentEncode(key) + " -->"
}

// percentEncode leaves A-Za-z0-9._/- as they are.
func percentEncode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("._/-", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// State is what a comment says of the run that wrote it, in its second line.
type State struct {
	RunID   int64
	Attempt int
	HeadSHA string // hex, or ""
}

// Older tells whether a comment with state s was written by an earlier run than o: run ids only grow.
func (s State) Older(o State) bool {
	if s.RunID != o.RunID {
		return s.RunID < o.RunID
	}
	return s.Attempt < o.Attempt
}

func (s State) line() string {
	head := ""
	if isHex(s.HeadSHA) {
		head = s.HeadSHA
	}
	return fmt.Sprintf("%s-state run=%d attempt=%d head=%s -->", markerPrefix, s.RunID, s.Attempt, head)
}

var stateLine = pattern.Lazy(`^<!-- contractpin-verify-state run=(\d{1,18}) attempt=(\d{1,9}) head=([0-9a-f]{0,64}) -->$`)

// ParseState reads the state of a comment that Comment wrote: its second line, and no other.
func ParseState(body string) (State, bool) {
	first, rest, _ := strings.Cut(body, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	m := stateLine().FindStringSubmatch(strings.TrimSuffix(second, "\r"))
	if m == nil || !strings.HasPrefix(first, markerPrefix+" key=") {
		return State{}, false
	}
	run, _ := strconv.ParseInt(m[1], 10, 64)
	attempt, _ := strconv.Atoi(m[2])
	return State{RunID: run, Attempt: attempt, HeadSHA: m[3]}, true
}

// isHex tells whether s looks like a commit's SHA.
func isHex(s string) bool {
	return len(s) >= 7 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}
