package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/run"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

func (c *Command) listCommand(do binder) *cobra.Command {
	var path, format string
	cmd := &cobra.Command{
		Use:   "list [flags]",
		Short: "Say what the lock pins, without contacting anything",
		Long: `list prints the servers, tools and digests that the lock pins. No server is contacted.

As git's textconv it makes changes of a lock readable:

  echo '*.lock diff=contractpin' >> .gitattributes
  git config diff.contractpin.textconv 'contractpin list --lock'

--format json prints one line that a workflow can take as a matrix: fromJSON of it gives one job for
each server, as matrix.servers.name.`,
		Example: `  contractpin list
  echo "matrix=$(contractpin list --format json)" >> "$GITHUB_OUTPUT"`,
		Args: cobra.NoArgs,
		RunE: do(func(context.Context, *cobra.Command, []string) (int, error) {
			return c.list(path, format)
		}),
	}
	addLockFlag(cmd.Flags(), &path)
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (c *Command) list(path, format string) (int, error) {
	if err := oneOf("--format", format, "text", "json"); err != nil {
		return 0, err
	}
	l, failure := run.LoadLock(path)
	if failure != nil {
		return 0, failed(failure)
	}
	w := bufio.NewWriter(c.Stdout)
	if format == "json" {
		listJSON(w, l)
	} else {
		listText(w, l)
	}
	if err := w.Flush(); err != nil {
		return 0, problemf("", "%v", err)
	}
	return verify.ExitMatch, nil
}

// listText prints one tool a line, so that a line diff of two such lists shows which field of which tool moved.
func listText(w io.Writer, l *lock.Lock) {
	for i, name := range l.Names() {
		if i > 0 {
			fmt.Fprintln(w)
		}
		s := l.Servers[name]
		fmt.Fprintf(w, "%s  %s  %s  %s\n", visible.Name(name), s.Transport, count(len(s.Tools), "tool"), s.Digest.Short())
		for _, f := range lock.LaunchChanges(&lock.Server{Transport: s.Transport}, s) {
			fmt.Fprintf(w, "  %s %s\n", visible.Line(f.Field, 0), visible.Line(f.New, 0))
		}
		for _, tool := range slices.Sorted(maps.Keys(s.Tools)) {
			pin := s.Tools[tool]
			fmt.Fprintf(w, "  - %s  %s%s\n", visible.Name(tool), pin.Digest.Short(), fieldList(pin))
		}
	}
}

func fieldList(pin contract.Pin) string {
	var b strings.Builder
	for f, d := range pin.Fields.All() {
		if f != contract.FieldName { // it stands there already
			fmt.Fprintf(&b, "  %s %s", f, d.Short())
		}
	}
	return b.String()
}

type listedServer struct {
	Name      string          `json:"name"`
	Transport string          `json:"transport"`
	ToolCount int             `json:"tool_count"`
	Digest    contract.Digest `json:"digest"`
}

func listJSON(w io.Writer, l *lock.Lock) error {
	servers := []listedServer{}
	for _, name := range l.Names() {
		s := l.Servers[name]
		servers = append(servers, listedServer{name, s.Transport, len(s.Tools), s.Digest})
	}
	return visible.WriteJSON(w, map[string]any{"servers": servers}, "")
}
