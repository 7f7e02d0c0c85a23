// Package pattern has regular expressions that are compiled when they are first used, because a run that finds nothing
// needs few of them, and those that several packages share.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that compiles expr when it is first called. It panics then, if expr is invalid.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	// Variable matches the name of an environment variable that a lock can refer to (SPEC §5).
	Variable = Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

	// Reference finds ${NAME}, which stands for an environment variable when verifying; its group is the name.
	Reference = Lazy(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)
