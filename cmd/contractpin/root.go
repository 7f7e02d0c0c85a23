package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// Command is contractpin with the world around it.
type Command struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	LookupEnv      func(name string) (string, bool)
}

// problem is why a command could not do its work, and what a person can do about it.
type problem struct{ message, hint string }

func (p *problem) Error() string { return p.message }

func problemf(hint, format string, args ...any) error {
	return &problem{message: fmt.Sprintf(format, args...), hint: hint}
}

func failed(f *verify.Failure) error { return &problem{message: f.Message, hint: f.Hint} }

// action is the body of a subcommand: its exit code, or an error, which is exit code 2.
type action func(ctx context.Context, cmd *cobra.Command, args []string) (int, error)

// binder makes an action what cobra runs.
type binder func(action) func(*cobra.Command, []string) error

// Main runs the command line args and returns the exit code.
func (c *Command) Main(ctx context.Context, args []string) int {
	code := verify.ExitMatch
	do := func(a action) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, args []string) (err error) {
			code, err = a(cmd.Context(), cmd, args)
			return err
		}
	}
	root := c.root(do)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return code
	}
	c.explain(cmd, args, err)
	return verify.ExitCouldNotRun
}

func (c *Command) root(do binder) *cobra.Command {
	root := &cobra.Command{
		Use:   "contractpin",
		Short: "Pin the contracts of MCP tools, and be told which field of which tool drifted",
		Long: `contractpin pins the contracts of MCP tools (what a model reads before it calls one: name,
description, schemas, annotations) in contractpin.lock, and says which field of which tool
no longer reads as it did when someone reviewed it.`,
		Example: `  contractpin demo                                                see it work, in two seconds
  contractpin init files -- npx -y @modelcontextprotocol/server-filesystem .
  contractpin verify                                              0 match, 1 drift, 2 could not run`,
		Version:       versionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: do(func(_ context.Context, cmd *cobra.Command, _ []string) (int, error) {
			cmd.SetOut(c.Stderr)
			cmd.Help()
			return verify.ExitCouldNotRun, nil
		}),
	}
	root.SetIn(c.Stdin)
	root.SetOut(c.Stdout)
	root.SetErr(c.Stderr)
	root.SetVersionTemplate("contractpin {{.Version}}\n")
	root.SuggestionsMinimumDistance = 2
	for _, add := range []func(binder) *cobra.Command{
		c.initCommand, c.verifyCommand, c.diffCommand, c.digestCommand, c.canonCommand, c.mergeCommand,
		c.removeCommand, c.listCommand, c.demoCommand, c.demoServerCommand,
	} {
		root.AddCommand(add(do))
	}
	for _, add := range extra {
		root.AddCommand(add(do))
	}
	return root
}

// extra are subcommands of builds with a tag.
var extra []func(binder) *cobra.Command

// explain prints an error as one line, and a hint where there is one.
func (c *Command) explain(cmd *cobra.Command, args []string, err error) {
	var p *problem
	if !errors.As(err, &p) { // cobra's own: flags and arguments
		first, _, _ := strings.Cut(err.Error(), "\n")
		p = &problem{message: first, hint: cmd.CommandPath() + " --help"}
		if !cmd.HasParent() && len(args) > 0 {
			if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
				p.hint = "did you mean " + strings.Join(like, " or ") + "? " + p.hint
			}
		}
	}
	fmt.Fprintf(c.Stderr, "%s: %s\n", cmd.CommandPath(), visible.Line(p.message, 0))
	if p.hint != "" {
		fmt.Fprintf(c.Stderr, "hint: %s\n", visible.Line(p.hint, 0))
	}
}

func (c *Command) warn(warnings ...string) {
	for _, w := range warnings {
		fmt.Fprintf(c.Stderr, "warning: %s\n", visible.Line(w, 0))
	}
}

// reachFlags say how servers are reached.
type reachFlags struct {
	headers, passEnv []string
	timeout          time.Duration
	protocol         string
}

func (f *reachFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.headers, "header", nil, "send `'[SERVER=]Name: value'` to an http server; never stored (repeatable)")
	flags.StringArrayVar(&f.passEnv, "pass-env", nil, "let servers see the environment variable `NAME` (repeatable)")
	flags.DurationVar(&f.timeout, "timeout", 60*time.Second, "time for one server, from start to last page")
	flags.StringVar(&f.protocol, "protocol", "auto", "protocol era: auto, legacy or modern")
}

func (f *reachFlags) check() error {
	if f.timeout <= 0 {
		return problemf("", "--timeout %s is no time", f.timeout)
	}
	return oneOf("--protocol", f.protocol, "auto", "legacy", "modern")
}

// options are what the flags mean to package run.
func (c *Command) options(f *reachFlags) run.Options {
	return run.Options{
		Headers: f.headers, PassEnv: f.passEnv, Timeout: f.timeout, Protocol: f.protocol,
		Version: run.BuildVersion(), Lookup: c.LookupEnv, Secrets: &run.Secrets{},
	}
}

func addLockFlag(flags *pflag.FlagSet, lock *string) {
	flags.StringVar(lock, "lock", "contractpin.lock", "the lock `file`")
}

func oneOf(flag, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return problemf("", "%s %q is not one of %s", flag, value, strings.Join(allowed, ", "))
}

// serverNames completes names that the lock pins.
func serverNames(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	path, _ := cmd.Flags().GetString("lock")
	l, err := lock.Load(path)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, n := range l.Names() {
		names = append(names, visible.Name(n))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// versionLine is what --version says behind the name.
func versionLine() string {
	return fmt.Sprintf("%s (%s, %s/%s)", run.BuildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
