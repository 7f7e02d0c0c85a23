package run

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
	"github.com/contractpin/verify/internal/visible"
)

// Dependence is a part of a contract that reads differently under other conditions.
type Dependence struct {
	Tool  string
	Field string // "" where the tool itself came or went
	On    string // what it depends on, as a noun
	Hint  string // what to do about it
}

func (d Dependence) String() string {
	what := d.Field + " of tool " + visible.Name(d.Tool)
	if d.Field == "" {
		what = "whether there is a tool " + visible.Name(d.Tool)
	}
	return fmt.Sprintf("%s depends on %s: %s", what, d.On, d.Hint)
}

// condition is one thing about a launch that differs between machines.
type condition struct {
	on, hint string
	apply    func(cmd *exec.Cmd, dir string) // dir is a new empty folder
}

var conditions = []condition{
	{"the working directory", "pin and verify in the same folder (--cwd), or ask its authors to leave the path out",
		func(cmd *exec.Cmd, dir string) { cmd.Dir = dir }},
	{"the home folder", "pin it where it is verified, or ask its authors to leave the path out",
		func(cmd *exec.Cmd, dir string) {
			// A package runner must not fetch everything anew only because its home is another.
			home := value(cmd.Env, "HOME")
			setDefault(cmd, "npm_config_cache", filepath.Join(home, ".npm"))
			setDefault(cmd, "UV_CACHE_DIR", filepath.Join(home, ".cache", "uv"))
			set(cmd, "HOME", dir)
		}},
	{"the time zone", "set TZ for it (--env-literal TZ=UTC)",
		func(cmd *exec.Cmd, _ string) { set(cmd, "TZ", otherZone(value(cmd.Env, "TZ"))) }},
}

const (
	onMoment   = "the moment: two listings under the same conditions differ"
	hintMoment = "it cannot be pinned; report it to its authors"
	onTogether = "the working directory, home folder and time zone together"
)

// Depends lists a stdio server again under other conditions and says what of its contract depends on which of them, as far
// as single listings can tell. first is a listing under the usual conditions, nil where there is none that can be relied
// on. A server on which nothing depends costs one launch, two without first; others up to six. The error says why nothing
// can be told.
func Depends(ctx context.Context, path string, s *lock.Server, first *contract.Listing, o Options) ([]Dependence, error) {
	if s.Transport != lock.Stdio {
		return nil, nil
	}
	base, err := os.MkdirTemp("", "contractpin-same-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(base)
	w := &weigher{ctx: ctx, path: path, server: s, options: o, base: base}
	together, err := w.list(conditions...)
	if err != nil {
		return nil, fmt.Errorf("it could not be listed in another folder, home and time zone: %w", err)
	}
	if first != nil && together.Digest == first.Digest {
		return nil, nil
	}
	// The listing at hand may come from an empty folder of its own, so take another.
	if first, err = w.list(); err != nil || together.Digest == first.Digest {
		return nil, err
	}
	again, err := w.list()
	if err != nil {
		return nil, err
	}
	w.note(first, again, onMoment, hintMoment)
	for _, c := range conditions {
		if alone, err := w.list(c); err == nil { // that it cannot be listed so says nothing of the others
			w.note(first, alone, c.on, c.hint)
		}
	}
	w.note(first, together, onTogether, "pin it where it is verified")
	return w.found, nil
}

type weigher struct {
	ctx     context.Context
	path    string
	server  *lock.Server
	options Options
	base    string // an empty folder, where a package runner starts unless the folder is what is changed
	found   []Dependence
}

// list lists the server with some conditions changed.
func (w *weigher) list(changed ...condition) (*contract.Listing, error) {
	dir, err := os.MkdirTemp("", "contractpin-other-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	o := w.options
	before := o.Prepare
	o.Prepare = func(ctx context.Context, cmd *exec.Cmd) (func(), error) {
		if mcp.IsNeutral(cmd.Dir) { // each launch has a new one, and their names differ
			cmd.Dir = w.base
		}
		for _, c := range changed {
			c.apply(cmd, dir)
		}
		if before == nil {
			return nil, nil
		}
		return before(ctx, cmd)
	}
	a := Reach(w.path, nil, o)(w.ctx, w.server, func(*contract.Listing) bool { return true })
	if a.Listing == nil {
		return nil, fmt.Errorf("%s", visible.Line(a.Failure.Message, 200))
	}
	return a.Listing, nil
}

// note records what differs, once for each part of a contract: the first cause found is the simplest.
func (w *weigher) note(a, b *contract.Listing, on, hint string) {
	changes, _ := contract.Compare(a.Pins(), b.Pins())
	for _, c := range changes {
		if c.Kind != contract.Drifted {
			w.add(Dependence{Tool: c.Tool, On: on, Hint: hint})
			continue
		}
		for _, f := range c.Fields {
			w.add(Dependence{Tool: c.Tool, Field: f.Field, On: on, Hint: hint})
		}
	}
}

func (w *weigher) add(d Dependence) {
	known := func(k Dependence) bool { return k.Tool == d.Tool && k.Field == d.Field }
	if !slices.ContainsFunc(w.found, known) {
		w.found = append(w.found, d)
	}
}

func value(env []string, name string) string {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

func set(cmd *exec.Cmd, name, value string) {
	cmd.Env = slices.DeleteFunc(cmd.Env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	cmd.Env = append(cmd.Env, name+"="+value)
}

func setDefault(cmd *exec.Cmd, name, v string) {
	if value(cmd.Env, name) == "" {
		set(cmd, name, v)
	}
}

// otherZone is far from zone, on another day for half of each.
func otherZone(zone string) string {
	if zone == "Pacific/Kiritimati" {
		return "Pacific/Pago_Pago"
	}
	return "Pacific/Kiritimati"
}
