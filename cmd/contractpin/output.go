package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/verify"
)

// isTerminal tells whether a person sees (or types) what goes through a stream.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// textOptions suit the stream that text goes to: colour and width only for a terminal.
func (c *Command) textOptions(w io.Writer) report.TextOptions {
	if !isTerminal(w) {
		return report.TextOptions{}
	}
	noColor, _ := c.LookupEnv("NO_COLOR")
	kind, _ := c.LookupEnv("TERM")
	width, _, _ := term.GetSize(int(w.(*os.File).Fd()))
	return report.TextOptions{Color: noColor == "" && kind != "dumb", Width: width}
}

// render writes a report in one of the formats text, json, markdown, sarif.
func (c *Command) render(w io.Writer, r *verify.Report, format string) error {
	switch format {
	case "json":
		return report.JSON(w, r)
	case "markdown":
		_, err := io.WriteString(w, report.Summary(r, report.Context{LockPath: r.Lock}))
		return err
	case "sarif":
		return report.SARIF(w, r)
	}
	return report.Text(w, r, c.textOptions(w))
}

// destination is where a document goes: stdout, or a file that is replaced as a whole.
type destination struct {
	stdout io.Writer // nil: a file
	path   string
	file   *os.File
	rename bool // file is a new one that takes the place of path
}

// open makes sure that a document can be written, before anything else happens. The path "" is stdout.
func (c *Command) open(path string) (*destination, error) {
	if path == "" {
		return &destination{stdout: c.Stdout}, nil
	}
	mode := fs.FileMode(0o666)
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		target = path
	} else if err != nil {
		return nil, problemf("", "--output: %v", err)
	} else if info, err := os.Stat(target); err != nil || !info.Mode().IsRegular() {
		// a device, a pipe: no other file can take its place (and a directory cannot be opened)
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, problemf("", "--output: %v", err)
		}
		return &destination{path: path, file: f}, nil
	} else {
		mode = info.Mode().Perm()
	}
	name := fmt.Sprintf("%s.%08x.tmp", target, rand.Uint32())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, problemf("", "--output: %v", err)
	}
	return &destination{path: target, file: f, rename: true}, nil
}

// write brings the document to its place. It must be called, or discard.
func (d *destination) write(document func(io.Writer) error) error {
	if d.stdout != nil {
		return document(d.stdout)
	}
	var b bytes.Buffer
	err := document(&b)
	if err == nil {
		_, err = d.file.Write(b.Bytes())
	}
	if err = errors.Join(err, d.file.Close()); err == nil && d.rename {
		err = os.Rename(d.file.Name(), d.path)
	}
	if err != nil && d.rename {
		os.Remove(d.file.Name())
	}
	return err
}

// discard leaves the place as it was.
func (d *destination) discard() {
	if d.file != nil {
		d.file.Close()
		if d.rename {
			os.Remove(d.file.Name())
		}
	}
}
