package workflow

import (
	"strings"
	"testing"
)

func do(t *testing.T, source string, lost func(string, map[string]any) bool) *Result {
	t.Helper()
	r, err := Do(t.Context(), Run{Source: []byte(source), Dir: t.TempDir(), Files: map[string]string{"a.txt": "a\n"}, Lost: lost})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const fanOut = `
on: push
env: { GREETING: hi }
jobs:
  plan:
    runs-on: ubuntu-latest
    outputs: { parts: "${{ steps.count.outputs.parts }}" }
    steps:
      - id: count
        run: echo 'parts=[1, 2, 3]' >>"$GITHUB_OUTPUT"
  work:
    needs: plan
    runs-on: ubuntu-latest
    strategy: { matrix: { part: "${{ fromJSON(needs.plan.outputs.parts) }}" } }
    steps:
      - uses: actions/checkout@v7
      - run: echo "$GREETING ${{ matrix.part }}/${{ strategy.job-total }}" >out-${{ matrix.part }}.txt; cat a.txt; [ ${{ matrix.part }} != 2 ]
      - if: always()
        uses: actions/upload-artifact@v7
        with: { name: "out-${{ matrix.part }}", path: out-*.txt }
      - run: echo unreached after a failure
  gather:
    needs: work
    if: always()
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v8
        with: { pattern: out-*, path: all, merge-multiple: true }
      - run: cat all/*; echo "work was ${{ needs.work.result }}"
`

func TestDo_fansOutAndGathers(t *testing.T) {
	r := do(t, fanOut, func(job string, m map[string]any) bool { return job == "work" && m["part"] == 3.0 })
	var got []string
	for _, j := range r.Jobs {
		got = append(got, j.ID+" "+j.Result)
	}
	if want := "plan success, work success, work failure, work failure, gather success"; strings.Join(got, ", ") != want {
		t.Errorf("jobs: %s", strings.Join(got, ", "))
	}
	if log := r.Job("gather").Last().Log; log != "hi 1/3\nhi 2/3\nwork was failure\n" {
		t.Errorf("log %q", log)
	}
	if n := len(r.Jobs[2].Steps); n != 3 {
		t.Errorf("the failed job ran %d steps, want 3: none after the failure but always()", n)
	}
}

func TestDo_jobAfterAFailureIsSkipped(t *testing.T) {
	r := do(t, strings.Replace(fanOut, "if: always()\n    runs-on", "runs-on", 1), nil)
	if got := r.Job("gather").Result; got != "skipped" {
		t.Errorf("gather: %s", got)
	}
}

func TestDo_whatItDoesNotKnowIsAnError(t *testing.T) {
	for _, step := range []string{"uses: some/action@v1", "run: echo ${{ hashFiles('x') }}", "{run: dir, shell: cmd}"} {
		_, err := Do(t.Context(), Run{Dir: t.TempDir(), Source: []byte("on: push\njobs: {a: {runs-on: x, steps: [{" + strings.Trim(step, "{}") + "}]}}")})
		if err == nil {
			t.Errorf("%s: no error", step)
		}
	}
}
