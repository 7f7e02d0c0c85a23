package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/contractpin/verify/internal/canon"
	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/verify"
	"github.com/contractpin/verify/internal/visible"
)

func (c *Command) digestCommand(do binder) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "digest [flags] FILE|-",
		Short: "Print the digests of a tools/list dump",
		Long: `digest prints the server digest, the tool digests and the field digests of a tools/list result, of a
JSON-RPC response that holds one, or of a bare array of tools. Exit 2 with the reason when it is none.`,
		Example: `  contractpin digest tools.json
  contractpin digest --format json - < tools.json`,
		Args: cobra.ExactArgs(1),
		RunE: do(func(_ context.Context, _ *cobra.Command, args []string) (int, error) {
			return c.digest(args[0], format)
		}),
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (c *Command) digest(path, format string) (int, error) {
	if err := oneOf("--format", format, "text", "json"); err != nil {
		return 0, err
	}
	data, err := c.read(path)
	if err != nil {
		return 0, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // the dump is most of the heap, and stays
	l, err := contract.DigestDump(data)
	if err != nil {
		return 0, problemf("", "%s: %v", path, err)
	}
	for _, p := range l.Rounded {
		c.warn(verify.RoundedWarning(p))
	}
	w := bufio.NewWriter(c.Stdout)
	if format == "json" {
		digestJSON(w, l)
	} else {
		digestText(w, l)
	}
	if err := w.Flush(); err != nil {
		return 0, problemf("", "%v", err)
	}
	return verify.ExitMatch, nil
}

// digestText writes one line for each digest. It formats them without garbage: a large dump has a hundred thousand.
func digestText(w *bufio.Writer, l *contract.Listing) {
	line := func(start string, d contract.Digest, what string) {
		b, _ := d.AppendText(append(w.AvailableBuffer(), start...))
		b = append(append(b, "  "...), what...)
		w.Write(append(b, '\n'))
	}
	line("", l.Digest, count(len(l.Tools), "tool"))
	for i := range l.Tools {
		t := &l.Tools[i]
		line("\n", t.Pin.Digest, visible.Name(t.Name))
		for f, d := range t.Pin.Fields.All() {
			line("  ", d, f)
		}
	}
}

// digestJSON writes one tool after the other: a large dump has a hundred thousand.
func digestJSON(w io.Writer, l *contract.Listing) error {
	e := jsontext.NewEncoder(visible.JSON(w), jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true))
	var err error
	write := func(tokens ...jsontext.Token) {
		for _, t := range tokens {
			err = cmp.Or(err, e.WriteToken(t))
		}
	}
	member := func(name string, d contract.Digest) { write(jsontext.String(name), jsontext.String(d.String())) }
	write(jsontext.BeginObject)
	member("digest", l.Digest)
	write(jsontext.String("tool_count"), jsontext.Int(int64(len(l.Tools))), jsontext.String("tools"), jsontext.BeginObject)
	for i := range l.Tools {
		t := &l.Tools[i]
		write(jsontext.String(t.Name), jsontext.BeginObject)
		member("digest", t.Pin.Digest)
		write(jsontext.String("fields"), jsontext.BeginObject)
		for f, d := range t.Pin.Fields.All() {
			member(f, d)
		}
		write(jsontext.EndObject, jsontext.EndObject)
	}
	write(jsontext.EndObject, jsontext.EndObject)
	return err
}

func (c *Command) canonCommand(do binder) *cobra.Command {
	return &cobra.Command{
		Use:   "canon FILE|-",
		Short: "Print the canonical bytes of a JSON document",
		Long: `canon prints a JSON document in contractpin-canonical-json/1, byte for byte and nothing else: no line
ends it. Exit 2 with the reason when the document is rejected.`,
		Example: `  printf '{"b":1.0,"a":"x"}' | contractpin canon - | sha256sum`,
		Args:    cobra.ExactArgs(1),
		RunE: do(func(_ context.Context, _ *cobra.Command, args []string) (int, error) {
			data, err := c.read(args[0])
			if err != nil {
				return 0, err
			}
			out, err := canon.Append(nil, data)
			if err != nil {
				return 0, problemf("", "%s: %v", args[0], err)
			}
			if _, err := c.Stdout.Write(out); err != nil {
				return 0, problemf("", "%v", err)
			}
			return verify.ExitMatch, nil
		}),
	}
}

// read reads a file, or stdin where the path is "-".
func (c *Command) read(path string) ([]byte, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(c.Stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, problemf("", "%v", err)
	}
	return data, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
