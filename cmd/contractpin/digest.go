package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"

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
	l, err := contract.ParseDump(data)
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

type pinJSON struct {
	Digest contract.Digest            `json:"digest"`
	Fields map[string]contract.Digest `json:"fields"`
}

func digestJSON(w io.Writer, l *contract.Listing) error {
	tools := make(map[string]pinJSON, len(l.Tools))
	for _, t := range l.Tools {
		tools[t.Name] = pinJSON{t.Pin.Digest, maps.Collect(t.Pin.Fields.All())}
	}
	return writeJSON(w, struct {
		Digest    contract.Digest    `json:"digest"`
		ToolCount int                `json:"tool_count"`
		Tools     map[string]pinJSON `json:"tools"`
	}{l.Digest, len(l.Tools), tools}, "  ")
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

// writeJSON writes a value as pure ASCII JSON with a final newline. An empty indent puts it on one line.
func writeJSON(w io.Writer, v any, indent string) error {
	data, err := json.MarshalIndent(v, "", indent)
	if indent == "" {
		data, err = json.Marshal(v)
	}
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	for _, r := range string(data) { // beyond ASCII there are only characters of strings
		switch {
		case r < 0x7f:
			b.WriteByte(byte(r))
		case r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xd7c0+r>>10, 0xdc00+r&0x3ff)
		}
	}
	b.WriteByte('\n')
	return b.Flush()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
