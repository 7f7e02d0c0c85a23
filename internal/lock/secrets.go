package lock

import (
	"maps"
	"slices"

	"github.com/contractpin/verify/internal/secret"
)

// Secrets names what of a launch description looks like a credential. A writer stores no server that has any (SPEC §5).
func (s *Server) Secrets() []secret.Finding {
	found := secret.InCommand(s.Command)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if f, ok := secret.InEnv(name, s.Env[name]); ok {
			found = append(found, f)
		}
	}
	if s.URL != "" {
		found = append(found, secret.InURL(s.URL)...)
	}
	return found
}
