package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"

	"github.com/spf13/cobra"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

type initFlags struct {
	reachFlags
	lock            string
	url, file, from string
	cwd             string
	env, envLiteral []string
	force, yes      bool
	noContracts     bool
	partial         bool
	tools           []string
}

func (c *Command) initCommand(do binder) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [flags] NAME [-- COMMAND ARG...]",
		Short: "Pin a server, or pin again what the lock names",
		Long: `init lists the tools of a server, twice, and writes their contracts' digests to the lock and the
contracts themselves to the contracts file beside it. Commit both.

  init NAME -- COMMAND ARG...   pin a stdio server
  init NAME --url URL           pin an http server
  init NAME --file PATH         pin a tools/list dump
  init --force [NAME...]        pin again what the lock names (all, or those named)
  init --from FILE [NAME...]    pin what an MCP client's configuration names

A NAME that begins with a dash stands after --: init --force -- NAME.

No value of --env or --header is ever stored. Nothing is written when any server could not be listed.

Exit codes: 0 written (or nothing to change), 1 a server could not be listed or you said no, 2 bad
arguments, a server that is already pinned, or a secret that would be stored.`,
		Example: `  contractpin init files -- npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .
  contractpin init search --url https://mcp.example.com/mcp --header "Authorization: Bearer $TOKEN"
  contractpin init github --env GITHUB_PAT -- github-mcp-server stdio
  contractpin init --force files              show what changed, ask, pin it
  contractpin init --force files --tool read_file`,
		ValidArgsFunction: serverNames,
		RunE: do(func(ctx context.Context, cmd *cobra.Command, args []string) (int, error) {
			var command []string
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				args, command = args[:dash], args[dash:]
				switch {
				case len(command) == 0:
					return 0, problemf("", "no command stands behind --")
				case dash == 0 && (f.force || f.from != ""): // names that may begin with a dash
					args, command = command, nil
				}
			}
			return c.init(ctx, f, args, command)
		}),
	}
	flags := cmd.Flags()
	addLockFlag(flags, &f.lock)
	f.reachFlags.add(flags)
	flags.StringVar(&f.url, "url", "", "pin the http server at `URL`")
	flags.StringVar(&f.file, "file", "", "pin the tools/list dump at `PATH`")
	flags.StringVar(&f.from, "from", "", "pin what the client configuration `FILE` names (.mcp.json and alike)")
	flags.StringArrayVar(&f.env, "env", nil, "start with the variable `NAME[=VALUE]`, stored as the reference ${NAME} (repeatable)")
	flags.StringArrayVar(&f.envLiteral, "env-literal", nil, "start with `NAME=VALUE`, stored as it is (repeatable)")
	flags.StringVar(&f.cwd, "cwd", "", "start in the folder `DIR` (default the lock's; package runners an empty one)")
	flags.BoolVar(&f.force, "force", false, "pin again what is already pinned")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask before pinning a change")
	flags.StringArrayVar(&f.tools, "tool", nil, "with --force SERVER: pin only the tool `NAME` again (repeatable)")
	flags.BoolVar(&f.noContracts, "no-contracts", false, "keep no texts in the contracts file")
	flags.BoolVar(&f.partial, "partial", false, "with --from: pin the servers that could be listed, even if others could not")
	return cmd
}

// plan is what an init is about to do.
type plan struct {
	old     *run.Pinned // an empty lock where there is none yet
	targets []*lock.Server
	headers run.Headers
	env     map[string]string // values of --env, used now and secret
	public  map[string]string // values of ours, used now
	partial bool
}

func (c *Command) init(ctx context.Context, f initFlags, args, command []string) (int, error) {
	if err := f.reachFlags.check(); err != nil {
		return 0, err
	}
	p, err := c.plan(f, args, command)
	if err != nil {
		return 0, err
	}
	c.warn(p.old.AllWarnings()...)
	o := c.options(&f.reachFlags)
	o.Lookup = p.lookup(c.LookupEnv)
	for _, v := range p.env {
		o.Secrets.Add(v)
	}
	found := list(ctx, p, o, c.progress(p.targets).finished)
	if !c.judge(found, p.partial) {
		return verify.ExitDrift, nil
	}
	return c.bless(ctx, f, p, found)
}

// plan turns arguments into servers to list, and refuses what makes no sense before anything is contacted.
func (c *Command) plan(f initFlags, args, command []string) (*plan, error) {
	given := 0
	for _, set := range []bool{command != nil, f.url != "", f.file != "", f.from != ""} {
		if set {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, problemf("", "only one of -- COMMAND, --url, --file and --from can say what to pin")
	case f.from != "":
		return c.planFrom(f, args)
	case given == 1:
		return c.planNew(f, args, command)
	case f.force:
		return c.planAgain(f, args)
	case len(args) == 0:
		return nil, problemf("contractpin init --help", "nothing to pin: give a NAME and -- COMMAND, --url or --file")
	}
	return nil, problemf("give -- COMMAND, --url or --file, or --force to pin again what the lock names",
		"how to reach %s is not said", visible.Name(args[0]))
}

// planAgain takes servers as the lock describes them.
func (c *Command) planAgain(f initFlags, names []string) (*plan, error) {
	if len(f.env)+len(f.envLiteral) > 0 || f.cwd != "" {
		return nil, problemf("to change how a server is launched, give its command again: contractpin init NAME --force -- COMMAND",
			"--env, --env-literal and --cwd belong to a launch, and none is given")
	}
	load := func() (*run.Pinned, *verify.Failure) { return run.LoadToReplace(f.lock, names...) }
	if len(f.tools) > 0 { // the other tools' pins stay, so they must be sound
		load = func() (*run.Pinned, *verify.Failure) { return run.Load(f.lock) }
	}
	old, failure := load()
	if failure != nil {
		return nil, failed(failure)
	}
	selected, err := run.Select(old.Lock, names)
	if err != nil {
		return nil, problemf("", "%v", err)
	}
	if len(f.tools) > 0 && len(names) != 1 {
		return nil, problemf("contractpin init --force SERVER --tool NAME", "--tool needs the one server that it belongs to")
	}
	p := &plan{old: old, targets: selected}
	return p, c.planHeaders(p, f.headers)
}

// planNew takes one server as the arguments describe it.
func (c *Command) planNew(f initFlags, args, command []string) (*plan, error) {
	if len(args) != 1 || args[0] == "" {
		return nil, problemf("contractpin init NAME -- COMMAND ARG...", "give one NAME for the server (found %d)", len(args))
	}
	if len(f.tools) > 0 {
		return nil, problemf("", "--tool pins again what the lock names; it takes no new launch")
	}
	if command == nil && (len(f.env)+len(f.envLiteral) > 0 || f.cwd != "") {
		return nil, problemf("", "--env, --env-literal and --cwd are for a server that is started: -- COMMAND")
	}
	old, err := loadOrNew(f.lock, args[0])
	if err != nil {
		return nil, err
	}
	p := &plan{old: old, env: map[string]string{}}
	s := &lock.Server{Name: args[0], Command: command, URL: f.url}
	if old.Lock.Servers[s.Name] != nil && !f.force {
		return nil, problemf("contractpin init --force "+visible.ShellOperand(s.Name)+" pins it again as the lock describes it; --force with a launch replaces it",
			"%s already pins %s", f.lock, visible.Name(s.Name))
	}
	if err := c.describe(s, f, p); err != nil {
		return nil, err
	}
	p.targets = []*lock.Server{s}
	if err := c.planHeaders(p, f.headers); err != nil {
		return nil, err
	}
	return p, refuseSecrets(s, p)
}

func (c *Command) planHeaders(p *plan, raw []string) error {
	known := maps.Clone(p.old.Lock.Servers)
	for _, s := range p.targets {
		known[s.Name] = s
	}
	h, warnings, err := run.ParseHeaders(raw, p.targets, known)
	if err != nil {
		return problemf("", "%v", err)
	}
	c.warn(warnings...)
	p.headers = h
	return nil
}

// loadOrNew reads the lock that a server is added to, or replaced in.
func loadOrNew(path string, server string) (*run.Pinned, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return &run.Pinned{Path: path, Lock: &lock.Lock{Servers: map[string]*lock.Server{}}}, nil
	}
	p, failure := run.LoadToReplace(path, server)
	if failure != nil {
		return nil, failed(failure)
	}
	return p, nil
}

// lookup is the environment with the values of --env before it.
func (p *plan) lookup(env func(string) (string, bool)) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, own := range []map[string]string{p.env, p.public} {
			if v, ok := own[name]; ok {
				return v, true
			}
		}
		return env(name)
	}
}
