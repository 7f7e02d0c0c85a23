//go:build man

package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/contractpin/verify/internal/verify"
)

// The man pages are made at release time, by a build that has this tag: the shipped command need not carry what makes them.
func init() {
	extra = append(extra, func(do binder) *cobra.Command {
		return &cobra.Command{
			Use: "man FOLDER", Short: "Write the man pages", Hidden: true, Args: cobra.ExactArgs(1),
			RunE: do(func(_ context.Context, cmd *cobra.Command, args []string) (int, error) {
				if err := os.MkdirAll(args[0], 0o755); err != nil {
					return 0, err
				}
				header := &doc.GenManHeader{Title: "CONTRACTPIN", Section: "1", Source: "contractpin"}
				return verify.ExitMatch, doc.GenManTree(cmd.Root(), header, args[0])
			}),
		}
	})
}
