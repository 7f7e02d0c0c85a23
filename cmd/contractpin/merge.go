package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/verify"
)

func (c *Command) mergeCommand(do binder) *cobra.Command {
	var f formatFlags
	var want int
	cmd := &cobra.Command{
		Use:   "merge [flags] REPORT.json...",
		Short: "Make one report of several",
		Long: `merge makes one report of the JSON reports that the shards of a run wrote, and exits as the worst of
them. A shard whose report is missing could not be checked: exit 1.`,
		Example: `  contractpin merge report-*.json
  contractpin merge --want 8 --format markdown --output summary.md report-*.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: do(func(_ context.Context, _ *cobra.Command, args []string) (int, error) {
			return c.merge(f, want, args)
		}),
	}
	f.add(cmd.Flags())
	cmd.Flags().IntVar(&want, "want", 0, "how many reports there should be (default: what the shards say)")
	return cmd
}

func (c *Command) merge(f formatFlags, want int, paths []string) (int, error) {
	if err := f.check(); err != nil {
		return 0, err
	}
	dest, err := c.open(f.output)
	if err != nil {
		return 0, err
	}
	r, err := mergeFiles(paths, want)
	if err != nil {
		dest.discard()
		return 0, err
	}
	return c.publish(dest, f, r), nil
}

func mergeFiles(paths []string, want int) (*verify.Report, error) {
	var reports []*verify.Report
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, problemf("", "%v", err)
		}
		r, err := report.Read(data)
		if err != nil {
			return nil, problemf("", "%s: %v", p, err)
		}
		reports = append(reports, r)
	}
	r, err := report.Merge(reports, want)
	if err != nil {
		return nil, problemf("", "%v", err)
	}
	return r, nil
}
