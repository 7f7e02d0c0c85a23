// Command benchrun prints what contractpin costs beside the servers that it verifies: wall time of verify against bare
// clients started in parallel, in pairs that alternate, and contractpin's own peak memory without its children.
// `make bench-run` runs it. It asserts nothing: the machine decides what the figures are worth.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 5, "pairs of runs for each line")
	flag.Parse()
	if err := bench(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "benchrun:", err)
		os.Exit(1)
	}
}

func bench(rounds int) error {
	dir, err := os.MkdirTemp("", "contractpin-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for what, from := range map[string]string{"contractpin": "..", "bare": ".", "tiny": "."} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, what), map[string]string{
			"contractpin": "./cmd/contractpin", "bare": "./benchrun/bare", "tiny": "./benchrun/tiny",
		}[what])
		build.Dir = from
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", what, err, out)
		}
	}
	node := func(elem ...string) ([]string, error) {
		p, err := filepath.Abs(filepath.Join(append([]string{"node_modules"}, elem...)...))
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(p); err != nil {
			return nil, fmt.Errorf("%w: run `make e2e-tools` first", err)
		}
		return []string{"node", p}, nil
	}
	servers := map[string][]string{"tiny": {filepath.Join(dir, "tiny")}}
	for _, name := range []string{"memory", "everything", "filesystem"} {
		argv, err := node("@modelcontextprotocol", "server-"+name, "dist", "index.js")
		if err != nil {
			return err
		}
		servers[name] = argv
	}
	servers["filesystem"] = append(servers["filesystem"], dir)

	fmt.Printf("%d cores, %d pairs a line\n\n", runtime.NumCPU(), rounds)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "verify of\tcontractpin\tbare clients\tratio (median)\tlowest\thighest\town peak memory\t")
	for _, names := range [][]string{{"tiny"}, {"memory"}, {"memory", "everything", "filesystem"}} {
		if err := line(w, dir, names, servers, rounds); err != nil {
			return err
		}
	}
	if err := fileLine(w, dir, rounds); err != nil {
		return err
	}
	return w.Flush()
}

// line compares verify of some servers with as many bare clients.
func line(w *tabwriter.Writer, dir string, names []string, servers map[string][]string, rounds int) error {
	at := filepath.Join(dir, "of-"+strings.Join(names, "-"))
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	var bare [][]string
	for _, name := range names {
		init := exec.Command(filepath.Join(dir, "contractpin"), append([]string{"init", name, "--no-contracts", "--"}, servers[name]...)...)
		init.Dir = at
		if out, err := init.CombinedOutput(); err != nil {
			return fmt.Errorf("init %s: %w\n%s", name, err, out)
		}
		bare = append(bare, append([]string{filepath.Join(dir, "bare")}, servers[name]...))
	}
	verify := [][]string{{filepath.Join(dir, "contractpin"), "verify", "--format", "json"}}
	var ours, theirs []time.Duration
	var ratios []float64
	var memory int
	for i := range rounds + 1 {
		first, second := verify, bare
		if i%2 == 1 {
			first, second = bare, verify
		}
		a, ma, err := together(at, first)
		if err != nil {
			return err
		}
		b, mb, err := together(at, second)
		if err != nil {
			return err
		}
		if i%2 == 1 {
			a, b, ma = b, a, mb
		}
		if i == 0 {
			continue // the first pair warms the caches
		}
		ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, float64(a)/float64(b))
		memory = max(memory, ma)
	}
	fmt.Fprintf(w, "%s\t%d ms\t%d ms\t%.2f\t%.2f\t%.2f\t%.1f MB\t\n", strings.Join(names, ", "),
		median(ours).Milliseconds(), median(theirs).Milliseconds(), median(ratios), slices.Min(ratios), slices.Max(ratios), float64(memory)/1024)
	return nil
}

// fileLine times verify of a small dump, where nothing but contractpin itself runs.
func fileLine(w *tabwriter.Writer, dir string, rounds int) error {
	at := filepath.Join(dir, "file")
	if err := os.Mkdir(at, 0o755); err != nil {
		return err
	}
	dump := `{"tools":[{"name":"a","description":"b","inputSchema":{"type":"object"}}]}`
	if err := os.WriteFile(filepath.Join(at, "dump.json"), []byte(dump), 0o644); err != nil {
		return err
	}
	init := exec.Command(filepath.Join(dir, "contractpin"), "init", "dump", "--file", "dump.json")
	init.Dir = at
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("init --file: %w\n%s", err, out)
	}
	var times []time.Duration
	var memory int
	for range rounds {
		took, kb, err := together(at, [][]string{{filepath.Join(dir, "contractpin"), "verify"}})
		if err != nil {
			return err
		}
		times, memory = append(times, took), max(memory, kb)
	}
	fmt.Fprintf(w, "a small file\t%.1f ms\t\t\t\t\t%.1f MB\t\n", float64(median(times).Microseconds())/1000, float64(memory)/1024)
	return nil
}

// together runs all commands at once and gives the time until the last has ended, and the highest peak memory of one
// of them in KiB, their children not counted.
func together(dir string, commands [][]string) (time.Duration, int, error) {
	type done struct {
		kb  int
		err error
	}
	results := make(chan done, len(commands))
	began := time.Now()
	for _, argv := range commands {
		go func() {
			kb, err := run(dir, argv)
			results <- done{kb, err}
		}()
	}
	var problems []error
	memory := 0
	for range commands {
		d := <-results
		problems, memory = append(problems, d.err), max(memory, d.kb)
	}
	return time.Since(began), memory, errors.Join(problems...)
}

func run(dir string, argv []string) (kb int, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	peak := make(chan int)
	go func() {
		// The kernel's own high-water mark, read until the process is gone; the usage that wait gives has its children in it.
		most := 0
		for {
			most = max(most, highWater(cmd.Process.Pid))
			select {
			case <-ended:
				peak <- most
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	err = cmd.Wait()
	close(ended)
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, stderr.String())
	}
	return <-peak, err
}

// highWater is a process's VmHWM in KiB; 0 when it is gone.
func highWater(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	kb, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return kb
}

func median[T cmp.Ordered](of []T) T {
	return slices.Sorted(slices.Values(of))[len(of)/2]
}
