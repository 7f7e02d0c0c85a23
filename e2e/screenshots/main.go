// Command screenshots makes the pictures under docs/images from what internal/report renders: GitHub's look by cmark-gfm
// and github-markdown-css, drawn by a headless Chromium. It needs the Debian packages cmark-gfm, chromium and
// fonts-noto-color-emoji, and e2e/node_modules.
//
//	go run ./screenshots [-out FOLDER] [-width COLUMNS]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", "../docs/images", "folder for the pictures")
	width := flag.Int("width", 0, "width of the page in CSS pixels, to see how it reads on a narrow window (default: each picture's own)")
	flag.Parse()
	os.Exit(run(*out, *width))
}

func run(out string, width int) int {
	for _, p := range pictures() {
		if width > 0 {
			p.width = width
		}
		path := filepath.Join(out, p.name+".png")
		if err := draw(p, path); err != nil {
			fmt.Fprintf(os.Stderr, "screenshots: %s: %v\n", p.name, err)
			return 1
		}
		info, err := os.Stat(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, "screenshots:", err)
			return 1
		}
		fmt.Printf("%s  %d kB\n", path, info.Size()/1000)
	}
	return 0
}
