package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

// formatFlags say in which form a report goes where.
type formatFlags struct{ format, output string }

func (f *formatFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "text", "form of the report: text, json, markdown or sarif")
	flags.StringVar(&f.output, "output", "", "write the report to `FILE` instead of stdout")
}

func (f *formatFlags) check() error {
	return oneOf("--format", f.format, "text", "json", "markdown", "sarif")
}

type verifyFlags struct {
	reachFlags
	formatFlags
	lock        string
	allowNew    bool
	concurrency int
	shard       string
	explain     bool
	github      bool
	configs     []string
	pinAll      bool
}

func (c *Command) verifyCommand(do binder) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [flags] [SERVER...]",
		Short: "Compare live servers with the lock",
		Long: `verify starts or contacts each server that the lock pins (or those named), lists its tools and
compares their contracts with the lock. With --config it also warns of servers that a client is
configured to start and the lock does not pin, or pins as they are launched otherwise, and of those
whose package has no exact version.

Exit codes: 0 every server matches, 1 a tool drifted, was added or was removed, or a server could not
be checked, 2 verify could not run (bad arguments, missing or corrupt lock).`,
		Example: `  contractpin verify
  contractpin verify --header "search=Authorization: Bearer $TOKEN"
  contractpin verify --format json --output report.json files search
  contractpin verify --config .mcp.json --require-pinned
  contractpin verify --shard 3/8 --format json --output report-3.json`,
		ValidArgsFunction: serverNames,
		RunE: do(func(ctx context.Context, _ *cobra.Command, args []string) (int, error) {
			return c.verify(ctx, f, args)
		}),
	}
	addLockFlag(cmd.Flags(), &f.lock)
	f.reachFlags.add(cmd.Flags())
	f.formatFlags.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.allowNew, "allow-new", false, "a tool that the lock does not know is no failure")
	cmd.Flags().IntVar(&f.concurrency, "concurrency", 0, "servers at once (default twice the CPUs, at least 4)")
	cmd.Flags().StringVar(&f.shard, "shard", "", "check only part `I/N` of the servers; the parts of merge")
	cmd.Flags().BoolVar(&f.explain, "explain", false, "start drifted servers again elsewhere, and say what of them depends on the folder, home, zone or moment")
	cmd.Flags().BoolVar(&f.github, "github", false, "in a GitHub Actions job: also write its summary, annotations and outputs")
	cmd.Flags().StringArrayVar(&f.configs, "config", nil, "hold the lock against the client configuration `FILE` too (.mcp.json and alike; repeatable)")
	cmd.Flags().BoolVar(&f.pinAll, "require-pinned", false, "with --config: exit 1 unless the lock pins all that it names, launched the same way")
	return cmd
}

func (c *Command) verify(ctx context.Context, f verifyFlags, names []string) (int, error) {
	for _, err := range []error{f.reachFlags.check(), f.formatFlags.check()} {
		if err != nil {
			return 0, err
		}
	}
	if f.concurrency < 0 {
		return 0, problemf("", "--concurrency %d is no number of servers", f.concurrency)
	}
	if f.pinAll && len(f.configs) == 0 {
		return 0, problemf("contractpin verify --require-pinned --config .mcp.json", "--require-pinned says nothing without --config")
	}
	shard, err := run.ParseShard(f.shard)
	if err != nil {
		return 0, problemf("", "--%v", err)
	}
	dest, err := c.open(f.output)
	if err != nil {
		return 0, err
	}
	o := c.options(&f.reachFlags)
	o.Servers, o.Shard, o.AllowNew, o.Concurrency = names, shard, f.allowNew, f.concurrency
	o.PinAll = f.pinAll
	for _, path := range f.configs {
		o.Configs = append(o.Configs, run.Config{Name: path, Path: path})
	}
	if isTerminal(c.Stderr) {
		o.Done = func(s verify.Server) { fmt.Fprintln(c.Stderr, report.ServerLine(&s, c.textOptions(c.Stderr))) }
	}
	p, failure := run.Load(f.lock)
	var r *verify.Report
	if failure != nil {
		r = run.Failed(f.lock, o, failure)
	} else {
		r = run.Verify(ctx, p, o)
	}
	if f.explain && failure == nil {
		explainDrift(ctx, p, o, r)
	}
	code := c.publish(dest, f.formatFlags, r)
	if f.github {
		c.tellGitHub(r, &f)
	}
	return code, nil
}

// publish writes the report where it belongs and returns its exit code, which nothing that happens here can change.
func (c *Command) publish(dest *destination, f formatFlags, r *verify.Report) int {
	switch {
	case r.Error != nil:
		fmt.Fprintf(c.Stderr, "contractpin: %s\n", visible.Line(r.Error.Message, 0))
		if r.Error.Hint != "" {
			fmt.Fprintf(c.Stderr, "hint: %s\n", visible.Line(r.Error.Hint, 0))
		}
	case f.output != "": // the file is for a program: a person reads the verdict here
		report.Text(c.Stderr, r, c.textOptions(c.Stderr))
	}
	if r.Error != nil && f.output == "" && f.format == "text" {
		return r.ExitCode // said above: nothing of it is a verdict
	}
	if err := dest.write(func(w io.Writer) error { return c.render(w, r, f.format) }); err != nil {
		c.warn("the report could not be written: " + err.Error())
	}
	return r.ExitCode
}

// explainDrift adds to each drifted server that is started what its contract depends on.
func explainDrift(ctx context.Context, p *run.Pinned, o run.Options, r *verify.Report) {
	for i := range r.Servers {
		s := &r.Servers[i]
		if s.Status != verify.Drift || s.Transport != lock.Stdio || ctx.Err() != nil {
			continue
		}
		on, err := run.Depends(ctx, p.Path, p.Lock.Servers[s.Name], nil, o)
		switch {
		case err != nil:
			s.Warnings = append(s.Warnings, "what its contract depends on is not known: "+err.Error())
		case len(on) == 0:
			s.Warnings = append(s.Warnings, "it reads the same in another folder, home and time zone: what changed is what it says")
		}
		for _, d := range on {
			s.Warnings = append(s.Warnings, d.String())
		}
	}
}
