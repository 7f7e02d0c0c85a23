package run

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/visible"
)

// Headers maps server names to what is sent to them.
type Headers map[string]http.Header

// ParseHeaders reads --header values: "SERVER=Name: value" for a server that the lock knows, and "Name: value", which
// is an error unless exactly one http server is selected: no header goes to a server it was not meant for.
// A header without a value is left out, with a warning. Errors never hold a value.
func ParseHeaders(raw []string, selected []*lock.Server, known map[string]*lock.Server) (Headers, []string, error) {
	out := Headers{}
	var warnings []string
	for _, h := range raw {
		server, name, value, err := parseHeader(h, selected, known)
		if err != nil {
			return nil, nil, err
		}
		if value == "" || isBareScheme(name, value) {
			warnings = append(warnings, fmt.Sprintf("header %s of server %s has no value, so it is not sent: is its secret set?", name, visible.Name(server)))
			continue
		}
		if out[server] == nil {
			out[server] = http.Header{}
		}
		out[server].Add(name, value)
	}
	return out, warnings, nil
}

func parseHeader(h string, selected []*lock.Server, known map[string]*lock.Server) (server, name, value string, err error) {
	// A server's name may hold "=" and ":" itself, so try the names that we know, the longest first.
	names := slices.Sorted(maps.Keys(known))
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, n := range names {
		if rest, ok := strings.CutPrefix(h, n+"="); ok {
			if name, value, err := splitHeader(rest); err == nil {
				if known[n].Transport != lock.HTTP {
					return "", "", "", fmt.Errorf("header %s is for server %s, which is no http server", name, visible.Name(n))
				}
				return n, name, value, nil
			}
		}
	}
	before, _, colon := strings.Cut(h, ":")
	if target, _, ok := strings.Cut(before, "="); ok && colon { // "=" cannot be in a header's name
		return "", "", "", fmt.Errorf("a header is for server %q, which the lock does not pin; it pins %s", target, Enumerate(slices.Sorted(maps.Keys(known))))
	}
	if name, value, err = splitHeader(h); err != nil {
		return "", "", "", err
	}
	var https []string
	for _, s := range selected {
		if s.Transport == lock.HTTP {
			https = append(https, s.Name)
		}
	}
	if len(https) != 1 {
		return "", "", "", fmt.Errorf("header %s does not say which server it is for, and %d http servers are selected; write it as SERVER=%s: value", name, len(https), name)
	}
	return https[0], name, value, nil
}

// reserved are the headers that belong to HTTP or to the protocol.
var reserved = []string{"Connection", "Content-Length", "Content-Type", "Host", "Mcp-Session-Id", "Transfer-Encoding"}

func splitHeader(h string) (name, value string, err error) {
	name, value, ok := strings.Cut(h, ":")
	if !ok {
		return "", "", fmt.Errorf("a header has no colon; write it as 'Name: value' or 'SERVER=Name: value'")
	}
	value = strings.Trim(value, " \t")
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return "", "", fmt.Errorf("%q is no name of a header", name)
	case !httpguts.ValidHeaderFieldValue(value):
		return "", "", fmt.Errorf("the value of header %s holds a line break or another control character", name)
	case slices.Contains(reserved, http.CanonicalHeaderKey(name)):
		return "", "", fmt.Errorf("header %s is set by the protocol and cannot be given", name)
	}
	return name, value, nil
}

// isBareScheme tells whether an Authorization header lost its credential ("Bearer " with an unset secret).
func isBareScheme(name, value string) bool {
	if http.CanonicalHeaderKey(name) != "Authorization" {
		return false
	}
	switch strings.ToLower(value) {
	case "bearer", "basic", "token":
		return true
	}
	return false
}
