// Command release makes the release's action.yml: the one on main builds its image from the Dockerfile, a released one
// names the published image by digest, so that what runs is what was attested.
//
//	go run ./tools/release -image ghcr.io/contractpin/verify -digest sha256:… [-check] action.yml
//
// With -check it writes nothing and exits 1 unless the file names just that image.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

var (
	digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	nameForm   = regexp.MustCompile(`^[a-z0-9.-]+(:[0-9]+)?(/[a-z0-9._-]+)+$`)
	imageLine  = regexp.MustCompile(`(?m)^(  image: ).*$`)
)

func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("image", "ghcr.io/contractpin/verify", "the published image, without tag")
	digest := flags.String("digest", "", "its digest, sha256: and 64 hex digits")
	check := flags.Bool("check", false, "only say whether the file names that image")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() != 1 {
		fmt.Fprintln(stderr, "usage: release -digest sha256:… action.yml")
		return 2
	}
	if err := rewrite(flags.Arg(0), *name, *digest, *check); err != nil {
		fmt.Fprintln(stderr, "release:", err)
		return 1
	}
	return 0
}

func rewrite(file, name, digest string, check bool) error {
	if !digestForm.MatchString(digest) {
		return fmt.Errorf("-digest: malformed digest %q", digest)
	}
	if !nameForm.MatchString(name) {
		return fmt.Errorf("-image: malformed image name %q", name)
	}
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if n := len(imageLine.FindAll(old, -1)); n != 1 {
		return fmt.Errorf("%s: %d lines name an image, want one", file, n)
	}
	pinned := imageLine.ReplaceAll(old, []byte("${1}docker://"+name+"@"+digest))
	if check {
		if !bytes.Equal(old, pinned) {
			return fmt.Errorf("%s does not name %s@%s", file, name, digest)
		}
		return nil
	}
	return os.WriteFile(file, pinned, 0o644)
}
