// Command conformance holds an implementation of contractpin-canonical-json/1 to testdata/vectors.json (SPEC §7).
//
//	go run ./internal/contract/conformance THEIRS.json
//	go run ./internal/contract/conformance -print
//
// THEIRS.json (or - for standard input) is what the implementation made of the vectors, an object by their names:
//
//	{
//	  "key-order":            {"canonical": "{\"a\":…}", "digest": "sha256:…"},
//	  "contract-all-fields":  {"canonical": "…", "digest": "sha256:…", "fields": {"name": "sha256:…"}},
//	  "reject-duplicate-key": {"rejected": "a reason in any words"}
//	}
//
// A vector is reproduced when canonical and digest are equal, or both sides reject. Fields may be left out; those that
// are given must be equal. The package vectors says how to read the vectors themselves. -print writes what this
// implementation makes of them, in the same form.
//
// Exit status: 0 all vectors are reproduced, 1 some are not, 2 it could not run.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/contractpin/verify/internal/contract/vectors"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	path := flags.String("vectors", "testdata/vectors.json", "the vectors")
	ours := flags.Bool("print", false, "print what this implementation makes of the vectors")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	failed, err := conformance(*path, *ours, flags.Args(), stdin, stdout)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "conformance:", err)
		return 2
	case failed:
		return 1
	}
	return 0
}

func conformance(path string, ours bool, args []string, stdin io.Reader, stdout io.Writer) (failed bool, err error) {
	f, err := vectors.Load(path)
	if err != nil {
		return false, err
	}
	if ours {
		return false, printOurs(f, stdout)
	}
	theirs, err := readTheirs(args, stdin)
	if err != nil {
		return false, err
	}
	missed := 0
	for _, v := range f.Vectors {
		if wrong := compare(&v, theirs[v.Name]); wrong != "" {
			fmt.Fprintf(stdout, "%s (§%s, %s): %s\n", v.Name, v.Section, v.Reason, wrong)
			missed++
		}
	}
	fmt.Fprintf(stdout, "%d of %d vectors reproduced\n", len(f.Vectors)-missed, len(f.Vectors))
	return missed > 0, nil
}

func printOurs(f *vectors.File, stdout io.Writer) error {
	out := map[string]vectors.Outcome{}
	for _, v := range f.Vectors {
		o, err := v.Answer()
		if err != nil {
			return err
		}
		out[v.Name] = o
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func readTheirs(args []string, stdin io.Reader) (map[string]*vectors.Outcome, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("expected one file of outcomes, or - for standard input")
	}
	var data []byte
	var err error
	if args[0] == "-" {
		data, err = io.ReadAll(stdin)
	} else {
		data, err = os.ReadFile(args[0])
	}
	if err != nil {
		return nil, err
	}
	var theirs map[string]*vectors.Outcome
	if err := json.Unmarshal(data, &theirs); err != nil {
		return nil, fmt.Errorf("%s: %w", args[0], err)
	}
	return theirs, nil
}

// compare says what is wrong with their outcome; "" when nothing is.
func compare(v *vectors.Vector, got *vectors.Outcome) string {
	switch {
	case got == nil:
		return "no outcome given"
	case v.Rejected != "" && got.Rejected == "":
		return fmt.Sprintf("accepted as %s, but must be rejected: %s", clip(got.Canonical), v.Rejected)
	case v.Rejected != "":
		return ""
	case got.Rejected != "":
		return fmt.Sprintf("rejected: %s", clip(got.Rejected))
	case got.Canonical != v.Canonical:
		return fmt.Sprintf("canonical is %s, want %s", clip(got.Canonical), clip(v.Canonical))
	case got.Digest != v.Digest:
		return fmt.Sprintf("digest is %s, want %s", clip(got.Digest), v.Digest)
	}
	for name, d := range got.Fields {
		if d != v.Fields[name] {
			return fmt.Sprintf("digest of field %s is %s, want %q", clip(name), clip(d), v.Fields[name])
		}
	}
	return ""
}

// clip quotes s, shortened.
func clip(s string) string {
	if len(s) > 200 {
		return fmt.Sprintf("%+q...", s[:200])
	}
	return fmt.Sprintf("%+q", s)
}
