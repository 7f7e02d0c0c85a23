package main

import (
	"fmt"
	"html"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	tallest = 6000 // CSS pixels; what is below a page's end is cut off
	margin  = 24   // pixels
)

const style = `
body { margin: 0; padding: 16px; background: #fff }
.markdown-body { font-size: 14px; line-height: 1.5 }
.add { background: #dafbe1; color: #116329 } .del { background: #ffebe9; color: #82071e } .at { color: #8250df }
pre.term { margin: 0; white-space: pre-wrap; font: 13px/1.45 "Noto Sans Mono", "DejaVu Sans Mono", monospace; color: #1f2328 }
`

// draw writes a picture of a page.
func draw(p picture, path string) error {
	dir, err := os.MkdirTemp("", "screenshots")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	body := terminalHTML(p.terminal)
	css := []byte{}
	if p.markdown != "" {
		if css, err = os.ReadFile("node_modules/github-markdown-css/github-markdown-light.css"); err != nil {
			return err
		}
		if body, err = markdownHTML(p.markdown); err != nil {
			return err
		}
	}
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte("<!doctype html><meta charset=utf-8><style>"+string(css)+style+"</style>"+body), 0o600); err != nil {
		return err
	}
	shot := filepath.Join(dir, "page.png")
	cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--force-device-scale-factor="+p.scale, fmt.Sprintf("--window-size=%d,%d", p.width, tallest), "--screenshot="+shot, "file://"+page)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("chromium: %w: %s", err, out)
	}
	return crop(shot, path)
}

var diffBlock = regexp.MustCompile(`(?s)<pre lang="diff"><code>(.*?)</code></pre>`)

// markdownHTML renders as GitHub does, with a diff's lines coloured as GitHub's highlighter does.
func markdownHTML(md string) (string, error) {
	cmd := exec.Command("cmark-gfm", "--unsafe", "--github-pre-lang", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter")
	cmd.Stdin = strings.NewReader(md)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("cmark-gfm: %w", err)
	}
	coloured := diffBlock.ReplaceAllStringFunc(string(out), func(block string) string {
		lines := strings.Split(diffBlock.FindStringSubmatch(block)[1], "\n")
		for i, l := range lines {
			if class := map[byte]string{'+': "add", '-': "del", '@': "at"}[first(l)]; class != "" {
				lines[i] = `<span class="` + class + `">` + l + "</span>"
			}
		}
		return "<pre><code>" + strings.Join(lines, "\n") + "</code></pre>"
	})
	return `<article class="markdown-body">` + coloured + "</article>", nil
}

func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

var ansi = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// terminalHTML turns the few ANSI codes that we print into styles.
func terminalHTML(text string) string {
	styles := map[string]string{"1": "font-weight:bold", "2": "color:#6e7781", "9": "text-decoration:line-through", "31": "color:#cf222e", "32": "color:#116329", "33": "color:#9a6700"}
	out := ansi.ReplaceAllStringFunc(html.EscapeString(text), func(code string) string {
		codes := ansi.FindStringSubmatch(code)[1]
		if codes == "0" {
			return "</span>"
		}
		var css []string
		for c := range strings.SplitSeq(codes, ";") {
			css = append(css, styles[c])
		}
		return `<span style="` + strings.Join(css, ";") + `">`
	})
	return `<pre class="term">` + out + "</pre>"
}

// crop cuts off the empty end of a page and writes it with few colours, so that the file stays small.
func crop(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return err
	}
	b := img.Bounds()
	last := b.Max.Y - 1
	for ; last > b.Min.Y && emptyRow(img, last); last-- {
	}
	b.Max.Y = min(b.Max.Y, last+margin)
	small := image.NewPaletted(image.Rect(0, 0, b.Dx(), b.Dy()), palette(img, b))
	imagedraw.Draw(small, small.Bounds(), img, b.Min, imagedraw.Src)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(out, small); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

func emptyRow(img image.Image, y int) bool {
	b := img.Bounds()
	for x := b.Min.X; x < b.Max.X; x++ {
		if img.At(x, y) != img.At(b.Min.X, y) {
			return false
		}
	}
	return true
}

// palette is the 256 commonest colours.
func palette(img image.Image, b image.Rectangle) color.Palette {
	seen := map[color.RGBA]int{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			seen[color.RGBA{uint8(r>>8) | 3, uint8(g>>8) | 3, uint8(bl>>8) | 3, 255}]++
		}
	}
	var all []color.RGBA
	for c := range seen {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		if d := seen[b] - seen[a]; d != 0 {
			return d
		}
		return int(a.R)<<16 + int(a.G)<<8 + int(a.B) - int(b.R)<<16 - int(b.G)<<8 - int(b.B)
	})
	p := color.Palette{}
	for _, c := range all[:min(len(all), 256)] {
		p = append(p, c)
	}
	return p
}
