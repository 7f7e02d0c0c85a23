package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

func (c *Command) diffCommand(do binder) *cobra.Command {
	var f formatFlags
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD.lock NEW.lock",
		Short: "Say what one lock changes against another",
		Long: `diff compares what two locks pin: servers, how they are launched, tools and fields, with old and new
text where the contracts files beside the locks hold it. No server is contacted.

Exit codes: 0 the same, 1 different, 2 diff could not run.`,
		Example: `  git show main:contractpin.lock > old.lock && contractpin diff old.lock contractpin.lock`,
		Args:    cobra.ExactArgs(2),
		RunE: do(func(_ context.Context, _ *cobra.Command, args []string) (int, error) {
			return c.diff(f, args[0], args[1])
		}),
	}
	cmd.Flags().StringVar(&f.format, "format", "text", "text, json or markdown")
	cmd.Flags().StringVar(&f.output, "output", "", "write to `FILE` instead of stdout")
	return cmd
}

func (c *Command) diff(f formatFlags, oldPath, newPath string) (int, error) {
	if err := oneOf("--format", f.format, "text", "json", "markdown"); err != nil {
		return 0, err
	}
	old, failure := run.Load(oldPath)
	if failure != nil {
		return 0, &problem{message: failure.Message}
	}
	new, failure := run.Load(newPath)
	if failure != nil {
		return 0, &problem{message: failure.Message}
	}
	dest, err := c.open(f.output)
	if err != nil {
		return 0, err
	}
	r := verify.ReviewLocks(old.Lock, new.Lock, old.Contracts(), new.Contracts())
	r.Base, r.Head = oldPath, newPath
	r.Warnings = slices.Concat(r.Warnings, old.AllWarnings(), new.AllWarnings())
	if err := dest.write(func(w io.Writer) error { return c.renderReview(w, r, f.format) }); err != nil {
		c.warn("the comparison could not be written: " + err.Error())
	}
	if r.Empty() {
		return verify.ExitMatch, nil
	}
	return verify.ExitDrift, nil
}

func (c *Command) renderReview(w io.Writer, r *verify.Review, format string) error {
	switch format {
	case "json":
		return visible.WriteJSON(w, r, "  ")
	case "markdown":
		_, err := io.WriteString(w, report.ReviewMarkdown(r, report.Context{LockPath: r.Head}))
		return err
	}
	return report.ReviewText(w, r, c.textOptions(w))
}
