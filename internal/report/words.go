package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// DefaultLock is the lock that commands use without --lock (SPEC §5).
const DefaultLock = "contractpin.lock"

// count words a number of things: "1 tool", "2 tools".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// verdict is the first line of every output, in the specification's words and without anything that a server said.
func verdict(r *verify.Report) string {
	t := r.Totals()
	switch r.Result {
	case verify.ResultError:
		return "error: contractpin could not run"
	case verify.ResultMatch:
		if len(r.Servers) == 0 {
			return "match: no server is pinned here, so nothing was checked"
		}
		s := "match: " + count(t.Unchanged, "tool") + " on " + count(len(r.Servers), "server") + as(t.Unchanged, " is", " are") + " as pinned"
		if t.Added > 0 {
			s += ", " + count(t.Added, "new tool") + " allowed"
		}
		return s
	}
	unchecked := len(r.Servers) - t.Status[verify.Match] - t.Status[verify.Drift]
	var parts []string
	if t.Status[verify.Drift] > 0 {
		parts = append(parts, changed(t.Counts)+" on "+count(t.Status[verify.Drift], "server"))
	}
	if unchecked > 0 {
		parts = append(parts, count(unchecked, "server")+" could not be checked")
	}
	if n := r.Uncovered(); n > 0 {
		parts = append(parts, uncovered(n))
	}
	if n := t.Status[verify.Match]; n > 0 {
		parts = append(parts, count(n, "server")+as(n, " matches", " match"))
	}
	word := "drift: "
	switch {
	case t.Status[verify.Drift] > 0:
	case unchecked > 0:
		word = "not checked: "
	default:
		word = "not pinned: "
	}
	return word + strings.Join(parts, "; ")
}

// changed words counts: "2 tools drifted, 1 added, 1 removed".
func changed(c verify.Counts) string {
	var parts []string
	noun := func(n int) string {
		if len(parts) == 0 {
			return count(n, "tool")
		}
		return strconv.Itoa(n)
	}
	if c.Drifted > 0 {
		parts = append(parts, noun(c.Drifted)+" drifted")
	}
	if c.Added > 0 {
		parts = append(parts, noun(c.Added)+" added")
	}
	if c.Removed > 0 {
		parts = append(parts, noun(c.Removed)+" removed")
	}
	if len(parts) == 0 {
		return "nothing changed"
	}
	return strings.Join(parts, ", ")
}

func as(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// checked tells whether a server was listed and compared.
func checked(s *verify.Server) bool { return s.Status == verify.Match || s.Status == verify.Drift }

// duration words milliseconds for markdown: "812 ms", "4.1 s".
func duration(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d\u00a0ms", ms) // on one line
	}
	return fmt.Sprintf("%.1f\u00a0s", float64(ms)/1000)
}

// slowMS is from where on a server's time is worth explaining.
const slowMS = 5000

// timing words where a server's time went, or "" where that is not known.
func timing(s *verify.Server) string {
	if s.Timing == nil {
		return ""
	}
	return fmt.Sprintf("start %s, handshake %s, listing %s, digesting %s", duration(s.Timing.StartMS),
		duration(s.Timing.HandshakeMS), duration(s.Timing.ListingMS), duration(s.Timing.DigestingMS))
}

// AcceptCommand is the command that pins again what a server serves now.
func AcceptCommand(lock, server string) string {
	cmd := "contractpin init --force"
	if lock != "" && lock != DefaultLock {
		cmd += " --lock " + visible.ShellWord(lock)
	}
	return cmd + " " + visible.ShellOperand(server)
}

// name is a tool's or server's name for people, cut where it is longer than anybody reads.
func name(s string) string {
	out := visible.Name(cutString(s, maxName+1))
	if len(out) > maxName {
		return out[:maxName] + "…"
	}
	return out
}

// maxName is the longest name shown, in characters as shown.
const maxName = 200

// cutString cuts s to at most n bytes, on a character.
func cutString(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
