package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/verify"
)

// TestLabels_onRealPairs holds the labels to what two versions of real servers differ by: how many tools bear each.
func TestLabels_onRealPairs(t *testing.T) {
	dir := os.Getenv("CONTRACTPIN_CORPUS")
	if dir == "" {
		t.Skip("CONTRACTPIN_CORPUS names no folder of real listings")
	}
	const (
		hint                                      = contract.LabelHint
		wider, narrower, input                    = contract.LabelWidened, contract.LabelNarrowed, contract.LabelInput
		output, text, sdk, instruction, namesTool = contract.LabelOutput, contract.LabelText, contract.LabelSDK, contract.LabelInstruction, contract.LabelNamesTool
	)
	for _, c := range []struct {
		old, new string
		want     map[string]int
	}{
		{"mcp-server-kubernetes@4.1.6", "mcp-server-kubernetes@4.1.7", map[string]int{}},
		{"server-filesystem@2025.11.25", "server-filesystem@2026.8.31", map[string]int{hint: 1, output: 1, text: 1, sdk: 12}},
		{"github-mcp-server@v1.5.0", "github-mcp-server@v1.6.0", map[string]int{wider: 4, narrower: 1, text: 7, sdk: 104}},
		{"playwright-mcp@0.0.82", "playwright-mcp@0.0.83", map[string]int{wider: 1, text: 1}},
		{"chrome-devtools-mcp@1.10.1", "chrome-devtools-mcp@1.11.0", map[string]int{wider: 3, narrower: 6, input: 1, text: 4, sdk: 24}},
		{"tavily-mcp@0.2.10", "tavily-mcp@0.2.21", map[string]int{}},
		{"server-memory@2025.9.25", "server-memory@2026.8.31", map[string]int{wider: 9, output: 9}},
		{"desktop-commander@0.2.48", "desktop-commander@0.2.52", map[string]int{text: 4}},
		{"firecrawl-mcp@3.25.3", "firecrawl-mcp@3.26.0", map[string]int{wider: 1, output: 29, text: 4, instruction: 2, namesTool: 6}},
	} {
		o := verify.Options{Texts: textsOf(t, dir, c.old).Tool}
		r := verify.Run(t.Context(), lockOf(serverOf(t, dir, c.old)), serving(dump(t, dir, c.new)), o)
		if diff := cmp.Diff(c.want, countLabels(r)); diff != "" {
			t.Errorf("%s → %s (-want +got):\n%s", c.old, c.new, diff)
		}
	}
}

func countLabels(r *verify.Report) map[string]int {
	n := map[string]int{}
	for _, s := range r.Servers {
		for _, c := range s.Changes {
			for _, l := range c.Labels {
				n[l]++
			}
		}
	}
	return n
}

func dump(t *testing.T, dir, name string) *contract.Listing {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := contract.ParseDump(raw)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func serverOf(t *testing.T, dir, name string) *lock.Server {
	l := dump(t, dir, name)
	return &lock.Server{Name: "s", Transport: lock.File, Digest: l.Digest, Tools: l.Pins()}
}

func textsOf(t *testing.T, dir, name string) *lock.Contracts {
	c := &lock.Contracts{}
	c.Set("s", dump(t, dir, name).Tools)
	return c
}
