package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/contractpin/verify/internal/github"
	"github.com/contractpin/verify/internal/verify"
)

//go:generate go test . -run TestDocs_tablesAreActionYML -update

var updateFiles = flag.Bool("update", false, "rewrite the tables of inputs and outputs in the docs")

// actionYML is the part of action.yml that a user sees, in the file's order.
type actionYML struct {
	Inputs  entries `yaml:"inputs"`
	Outputs entries `yaml:"outputs"`
	Runs    struct {
		Using string `yaml:"using"`
	} `yaml:"runs"`
	Branding map[string]string `yaml:"branding"`
}

type entry struct {
	Name        string
	Description string  `yaml:"description"`
	Default     *string `yaml:"default"`
	Required    bool    `yaml:"required"`
}

type entries []entry

func (e *entries) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i < len(n.Content); i += 2 {
		v := entry{Name: n.Content[i].Value}
		if err := n.Content[i+1].Decode(&v); err != nil {
			return err
		}
		*e = append(*e, v)
	}
	return nil
}

func (e entries) names() []string {
	var out []string
	for _, v := range e {
		out = append(out, v.Name)
	}
	slices.Sort(out)
	return out
}

func readActionYML(t *testing.T) actionYML {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a actionYML
	d := yaml.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestActionYML_namesTheInputsThatTheCodeReads(t *testing.T) {
	read := map[string]bool{}
	if _, err := readInputs(func(name string) string { read[name] = true; return "" }); err != nil {
		t.Fatalf("the defaults alone are refused: %v", err)
	}
	a := readActionYML(t)
	if d := cmp.Diff(slices.Sorted(maps.Keys(read)), a.Inputs.names()); d != "" {
		t.Errorf("(-read +action.yml)\n%s", d)
	}
	for _, in := range a.Inputs {
		switch {
		case in.Default == nil || in.Required:
			t.Errorf("%s: wants a default and no required", in.Name)
		case in.Name == "github-token":
			if *in.Default != "${{ github.token }}" || defaults[in.Name] != "" {
				t.Errorf("%s: default %q, in the code %q", in.Name, *in.Default, defaults[in.Name])
			}
		case *in.Default != defaults[in.Name]:
			t.Errorf("%s: default %q, in the code %q", in.Name, *in.Default, defaults[in.Name])
		}
	}
}

func TestActionYML_namesTheOutputsThatTheCodeWrites(t *testing.T) {
	var written []string
	r := &verify.Report{}
	r.Finish()
	for _, p := range append(github.Outputs(r, ""), github.CommentOutputs(github.Posted{})...) {
		written = append(written, p[0])
	}
	slices.Sort(written)
	a := readActionYML(t)
	if d := cmp.Diff(written, a.Outputs.names()); d != "" {
		t.Errorf("(-written +action.yml)\n%s", d)
	}
}

func TestActionYML_describesEverythingInASentence(t *testing.T) {
	a := readActionYML(t)
	for _, e := range append(a.Inputs, a.Outputs...) {
		if d := e.Description; len(d) < 30 || !strings.HasSuffix(d, ".") || d[0] < '0' || strings.Contains(d, "\n") {
			t.Errorf("%s: %q", e.Name, d)
		}
	}
	if a.Runs.Using != "docker" || a.Branding["icon"] == "" || a.Branding["color"] == "" {
		t.Errorf("runs %+v, branding %v", a.Runs, a.Branding)
	}
}

// table renders inputs or outputs as a table in Markdown.
func table(kind string, list entries) string {
	var b strings.Builder
	withDefault := kind == "inputs"
	if withDefault {
		b.WriteString("| input | default | what it does |\n|---|---|---|\n")
	} else {
		b.WriteString("| output | what it says |\n|---|---|\n")
	}
	for _, e := range list {
		fmt.Fprintf(&b, "| `%s` | ", e.Name)
		if withDefault {
			if e.Default != nil && *e.Default != "" {
				fmt.Fprintf(&b, "`%s`", *e.Default)
			}
			b.WriteString(" | ")
		}
		fmt.Fprintf(&b, "%s |\n", strings.ReplaceAll(e.Description, "|", `\|`))
	}
	return b.String()
}

func TestDocs_tablesAreActionYML(t *testing.T) {
	a := readActionYML(t)
	found := map[string]bool{}
	for _, file := range []string{"README.md", filepath.Join("docs", "inputs.md")} {
		path := filepath.Join("..", "..", file)
		was, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		is := string(was)
		for kind, list := range map[string]entries{"inputs": a.Inputs, "outputs": a.Outputs} {
			begin, end := "<!-- "+kind+":begin, made from action.yml by go generate ./cmd/action -->\n", "<!-- "+kind+":end -->\n"
			between := regexp.MustCompile(`(?s)` + regexp.QuoteMeta(begin) + `.*?` + regexp.QuoteMeta(end))
			if between.MatchString(is) {
				found[kind] = true
				is = between.ReplaceAllLiteralString(is, begin+table(kind, list)+end)
			}
		}
		switch {
		case is == string(was):
		case *updateFiles:
			if err := os.WriteFile(path, []byte(is), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s does not hold action.yml's tables: run go generate ./cmd/action", file)
		}
	}
	if !found["inputs"] || !found["outputs"] {
		t.Errorf("no document holds the tables: %v", found)
	}
}
