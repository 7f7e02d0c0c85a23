// Package verify holds no code, only the tests of the tree itself: who imports whom, and that files are formatted.
package verify

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/contractpin/verify/"

// arrows names, for each package, the packages that it may import; what those may import it may import too.
// cmd/ may import everything. A package that is not named here fails the test: give it its place first.
var arrows = map[string][]string{
	"internal/canon":                {},
	"internal/visible":              {},
	"internal/pattern":              {},
	"internal/sandbox":              {},
	"internal/secret":               {"internal/pattern"},
	"internal/contract":             {"internal/canon", "internal/pattern", "internal/visible"},
	"internal/contract/vectors":     {"internal/contract"},
	"internal/contract/conformance": {"internal/contract/vectors"},
	"internal/lock":                 {"internal/contract", "internal/secret"},
	"internal/clientconfig":         {"internal/lock"},
	"internal/mcp":                  {"internal/lock"},
	"internal/verify":               {"internal/lock"},
	"internal/report":               {"internal/verify"},
	"internal/github":               {"internal/report"},
	"internal/github/fakegithub":    {},
	"internal/demo":                 {},
	"internal/run":                  {"internal/clientconfig", "internal/mcp", "internal/sandbox", "internal/report", "internal/github"},
}

// onlyIn names the packages that alone may know a library (by the prefix of its import path).
var onlyIn = map[string][]string{
	"github.com/modelcontextprotocol/": {"internal/mcp", "internal/demo"},
	"github.com/google/go-github/":     {"internal/github"},
	"github.com/sethvargo/":            {"internal/github"},
	"github.com/owenrumney/go-sarif/":  {"internal/report"},
	"github.com/aymanbagabas/go-udiff": {"internal/contract"},
	"github.com/BurntSushi/toml":       {"internal/clientconfig"},
	"github.com/tailscale/hujson":      {"internal/clientconfig"},
	"github.com/spf13/cobra":           {"internal/run", "cmd"},
}

func TestImports_pointDownwardOnly(t *testing.T) {
	for file, imports := range importsOf(t) {
		pkg := path.Dir(file)
		if strings.HasPrefix(pkg, "cmd/") || !strings.HasPrefix(pkg, "internal/") {
			continue
		}
		below, known := reachable(pkg)
		if !known {
			t.Errorf("%s: package %s has no place in the table of arrows", file, pkg)
			continue
		}
		for _, imp := range imports {
			to, ours := strings.CutPrefix(imp, module)
			if ours && to != pkg && !below[to] && !strings.HasPrefix(to, pkg+"/") {
				t.Errorf("%s imports %s: no arrow points there", file, to)
			}
		}
	}
}

func TestImports_librariesStayInTheirPackage(t *testing.T) {
	for file, imports := range importsOf(t) {
		for _, imp := range imports {
			if strings.HasPrefix(file, "internal/canon/") && strings.Contains(imp, ".") {
				t.Errorf("%s imports %s: canon is the standard library alone", file, imp)
			}
			for prefix, homes := range onlyIn {
				at := func(home string) bool { return strings.HasPrefix(file, home+"/") }
				if strings.HasPrefix(imp, prefix) && !slices.ContainsFunc(homes, at) {
					t.Errorf("%s imports %s: only %s may", file, imp, strings.Join(homes, " and "))
				}
			}
		}
	}
}

func TestFiles_areFormatted(t *testing.T) {
	for _, file := range goFiles(t) {
		have, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := format.Source(have)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if !bytes.Equal(have, want) {
			t.Errorf("%s: gofmt would change it", file)
		}
	}
}

// reachable is every package that the arrows lead to from pkg. A package below a known one (internal/x/testserver) has
// that one's arrows and may import it.
func reachable(pkg string) (below map[string]bool, known bool) {
	at := pkg
	for arrows[at] == nil && at != "." {
		at = path.Dir(at)
	}
	if at == "." {
		return nil, false
	}
	below = map[string]bool{at: true}
	next := slices.Clone(arrows[at])
	for len(next) > 0 {
		p := next[0]
		next = next[1:]
		if !below[p] {
			below[p] = true
			next = append(next, arrows[p]...)
		}
	}
	return below, true
}

// importsOf maps the product's own Go files (no tests, no deps_hold) to what they import.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, file := range goFiles(t) {
		if strings.HasPrefix(file, "e2e/") || strings.HasSuffix(file, "_test.go") || file == "internal/deps_hold.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.Imports {
			imp, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			out[file] = append(out[file], imp)
		}
	}
	return out
}

// goFiles lists every Go file of the tree, with slashes, but those of other people's packages.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "node_modules" || name == "testdata" || strings.HasPrefix(name, ".") && p != ".") {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, ".go") {
			files = append(files, filepath.ToSlash(p))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no Go file found: the test must run in the module's root")
	}
	return files
}
