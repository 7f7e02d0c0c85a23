// Command scaling measures how the cost of a run grows with tools, servers and shards, and writes the tables of
// docs/performance.md. It builds the command, makes locks of file servers, and runs verify on each as a process of its own.
//
//	go run ./tools/scaling            print the tables
//	go run ./tools/scaling -write     and put them into docs/performance.md
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const page = "docs/performance.md"

func main() {
	log.SetFlags(0)
	write := flag.Bool("write", false, "put the tables into "+page)
	runs := flag.Int("runs", 5, "runs of each row; the median is shown")
	flag.Parse()
	dir, err := os.MkdirTemp("", "scaling")
	if err != nil {
		log.Fatal(err)
	}
	tables, err := measure(dir, *runs)
	os.RemoveAll(dir)
	if err == nil && *write {
		err = insert(page, tables)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(tables)
}

// bench is where the binaries and locks of one measurement lie.
type bench struct {
	dir  string
	runs int
}

func measure(dir string, runs int) (string, error) {
	b := &bench{dir, runs}
	for _, pkg := range []string{"./cmd/contractpin", "./internal/run/biglock"} {
		build := exec.Command("go", "build", "-trimpath", "-o", dir+string(filepath.Separator), pkg)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return "", fmt.Errorf("go build %s: %w", pkg, err)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Measured on %d cores, %s; medians of %d runs, each a process of its own.\n", runtime.NumCPU(), runtime.Version(), runs)
	for _, table := range []func(*strings.Builder) error{b.tools, b.servers, b.shards} {
		if err := table(&out); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

func (b *bench) tools(out *strings.Builder) error {
	out.WriteString("\n### One server, more tools\n\n| tools | wall | peak memory | wall for each tool |\n| ---: | ---: | ---: | ---: |\n")
	for _, n := range []int{1, 10, 100, 1000, 10000} {
		c, err := b.lock(1, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %d | %s | %s | %s |\n", n, wall(c.wall), memory(c.rss), wall(c.wall/time.Duration(n)))
	}
	return nil
}

func (b *bench) servers(out *strings.Builder) error {
	out.WriteString("\n### More servers\n\n| servers | tools of each | wall | peak memory | wall for each server |\n| ---: | ---: | ---: | ---: | ---: |\n")
	for _, n := range [][2]int{{1, 10}, {10, 10}, {100, 10}, {1000, 10}, {2000, 10}, {2000, 50}} {
		c, err := b.lock(n[0], n[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %d | %d | %s | %s | %s |\n", n[0], n[1], wall(c.wall), memory(c.rss), wall(c.wall/time.Duration(n[0])))
	}
	return nil
}

// shards runs every shard of the largest lock, one after the other, as jobs of their own would.
func (b *bench) shards(out *strings.Builder) error {
	out.WriteString("\n### 2,000 servers with 50 tools each, in shards\n\nEach shard runs alone, as in a job of its own; merge reads all their reports.\n\n| shards | slowest shard | its peak memory | servers in the smallest and largest | merge |\n| ---: | ---: | ---: | ---: | ---: |\n")
	dir, err := b.generate(2000, 50)
	if err != nil {
		return err
	}
	for _, n := range []int{1, 4, 16, 64} {
		var slowest, merged cost
		var sizes []int
		var reports []string
		for i := 1; i <= n; i++ {
			report := filepath.Join(dir, fmt.Sprintf("report-%d-%d.json", i, n))
			c, err := b.run("verify", "--lock", filepath.Join(dir, "contractpin.lock"), "--shard", fmt.Sprintf("%d/%d", i, n), "--format", "json", "--output", report)
			if err != nil {
				return err
			}
			slowest = cost{max(slowest.wall, c.wall), max(slowest.rss, c.rss)}
			data, err := os.ReadFile(report)
			if err != nil {
				return err
			}
			sizes = append(sizes, bytes.Count(data, []byte(`"transport"`)))
			reports = append(reports, report)
		}
		if merged, err = b.median(append([]string{"merge", "--output", os.DevNull}, reports...)...); err != nil {
			return err
		}
		fmt.Fprintf(out, "| %d | %s | %s | %d, %d | %s |\n", n, wall(slowest.wall), memory(slowest.rss), slices.Min(sizes), slices.Max(sizes), wall(merged.wall))
	}
	return nil
}

// cost is what one process took: wall time, and peak memory in bytes (0 where the system does not say).
type cost struct {
	wall time.Duration
	rss  int64
}

// lock measures verify on a lock with so many servers and tools.
func (b *bench) lock(servers, tools int) (cost, error) {
	dir, err := b.generate(servers, tools)
	if err != nil {
		return cost{}, err
	}
	return b.median("verify", "--lock", filepath.Join(dir, "contractpin.lock"))
}

func (b *bench) generate(servers, tools int) (string, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("%dx%d", servers, tools))
	make := exec.Command(filepath.Join(b.dir, "biglock"), "-servers", fmt.Sprint(servers), "-tools", fmt.Sprint(tools), dir)
	make.Stderr = os.Stderr
	return dir, make.Run()
}

func (b *bench) median(args ...string) (cost, error) {
	var all []cost
	for range b.runs {
		c, err := b.run(args...)
		if err != nil {
			return cost{}, err
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b cost) int { return cmp.Compare(a.wall, b.wall) })
	return all[len(all)/2], nil
}

func (b *bench) run(args ...string) (cost, error) {
	cmd := exec.Command(filepath.Join(b.dir, "contractpin"), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("contractpin %s: %w: %s", strings.Join(args[:1], " "), err, stderr.String())
	}
	return cost{time.Since(began), peak(cmd.ProcessState)}, nil
}

func wall(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.0f µs", float64(d)/1e3)
}

func memory(bytes int64) string {
	if bytes == 0 {
		return "not known"
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}

// insert replaces what stands between the two markers of a page.
func insert(file, tables string) error {
	const begin, end = "<!-- made by tools/scaling: begin -->\n", "<!-- made by tools/scaling: end -->"
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(data), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s: the two markers are not there", file)
	}
	return os.WriteFile(file, []byte(head+begin+"\n"+tables+"\n"+end+tail), 0o644)
}
