package run

import (
	"github.com/contractpin/verify/internal/clientconfig"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// Config is a client's configuration that the lock is held against.
type Config struct {
	Name string // as messages name it; it tells the client
	Path string
	Err  error // why it must not be read; nil: it may
}

var gapKinds = map[string]verify.GapKind{
	clientconfig.Unpinned:       verify.NotPinned,
	clientconfig.StartsDisabled: verify.NotPinned,
	clientconfig.LaunchDiffers:  verify.Differs,
	clientconfig.MovingVersion:  verify.Unversioned,
	clientconfig.NotComparable:  verify.NotComparable,
}

// coverage says what the configurations name and the lock does not cover.
func coverage(l *lock.Lock, configs []Config, pinAll bool) []verify.Gap {
	var gaps []verify.Gap
	add := func(g verify.Gap) {
		g.Required = pinAll && g.Kind.CanFail()
		gaps = append(gaps, g)
	}
	for _, c := range configs {
		f, err := (*clientconfig.File)(nil), c.Err
		if err == nil {
			f, err = clientconfig.LoadAs(c.Path, c.Name)
		}
		if err != nil {
			add(verify.Gap{Config: c.Name, Kind: verify.Unreadable, Message: "its servers could not be held against the lock: " + err.Error()})
			continue
		}
		for _, found := range clientconfig.Compare(f, l) {
			add(verify.Gap{Config: c.Name, Line: found.Line, Server: found.Server, Kind: gapKinds[found.Kind], Message: found.Text})
		}
	}
	return gaps
}
