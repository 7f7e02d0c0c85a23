package main

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/spf13/cobra"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

func (c *Command) removeCommand(do binder) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:               "remove [flags] NAME...",
		Short:             "Take servers out of the lock and the contracts file",
		Example:           `  contractpin remove search`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: serverNames,
		RunE: do(func(_ context.Context, _ *cobra.Command, args []string) (int, error) {
			return c.remove(path, args)
		}),
	}
	addLockFlag(cmd.Flags(), &path)
	return cmd
}

func (c *Command) remove(path string, names []string) (int, error) {
	old, failure := run.LoadToReplace(path, names...)
	if failure != nil {
		return 0, failed(failure)
	}
	selected, err := run.Select(old.Lock, names)
	if err != nil {
		return 0, problemf("", "%v", err)
	}
	next := &lock.Lock{GeneratedAt: time.Now().UTC().Truncate(time.Second), Servers: maps.Clone(old.Lock.Servers)}
	texts := old.Contracts()
	if texts == nil {
		texts = &lock.Contracts{}
	}
	for _, s := range selected {
		delete(next.Servers, s.Name)
		texts.Set(s.Name, nil)
	}
	if err := c.save(old, next, texts, true); err != nil {
		return 0, err
	}
	for _, s := range selected {
		fmt.Fprintf(c.Stdout, "removed %s from %s\n", visible.Name(s.Name), path)
	}
	return verify.ExitMatch, nil
}
