package e2e

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contractpin/verify/e2e/fakegithub"
	"github.com/contractpin/verify/e2e/runner"
	"github.com/contractpin/verify/e2e/workflow"
)

// recipe gives the nth workflow under a heading of docs/recipes.md: what readers copy is what runs here.
func recipe(t *testing.T, heading string, n int) []byte {
	t.Helper()
	const page = "../docs/recipes.md"
	before, _, ok := strings.Cut(read(t, page), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", page, heading)
	}
	from := strings.Count(before, "\n") + 2
	for _, b := range blocks(t, page, "yaml") {
		if b.line > from {
			if n--; n == 0 {
				return []byte(b.text)
			}
		}
	}
	t.Fatalf("%s: section %q has too few workflows", page, heading)
	return nil
}

// fleet is a checkout with a lock of dumps alone: many servers that cost nothing to start.
func fleet(t *testing.T, servers int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	for i := range servers {
		name := fmt.Sprintf("server-%02d", i)
		files[name+".json"] = strings.ReplaceAll(invoices, "invoices", "invoices_"+fmt.Sprint(i))
		write(t, filepath.Join(dir, name+".json"), files[name+".json"], 0o644)
		if r := contractpin(t, dir, "init", name, "--file", name+".json"); r.code != 0 {
			t.Fatalf("init %s: %s", name, r)
		}
	}
	for _, name := range []string{"contractpin.lock", "contractpin.contracts.json"} {
		files[name] = read(t, filepath.Join(dir, name))
	}
	return files
}

// run is a run of a recipe in a repository with these files and one open pull request.
func (s *scene) workflow(source []byte, files map[string]string) workflow.Run {
	s.t.Helper()
	s.files, s.base = files, maps.Clone(files)
	c := s.job().Context
	return workflow.Run{
		Source: source, Dir: s.t.TempDir(), Files: files, Context: c, Image: image(s.t), ActionYML: "../action.yml",
		Options: []string{"--network", "host"},
	}
}

func TestRecipe_shardsWithOneLostAndOneDrifted(t *testing.T) {
	s := newScene(t)
	files := fleet(t, 12)
	r := s.workflow(recipe(t, "Thousands of servers: a matrix of shards", 1), files)
	drifted := inShard(t, files, 2)[0]
	r.Files = maps.Clone(files)
	r.Files[drifted+".json"] = strings.Replace(files[drifted+".json"], "Lists open", "Deletes all", 1)
	r.Lost = func(job string, m map[string]any) bool { return job == "verify" && m["shard"] == 3.0 }
	out, err := workflow.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var results []string
	for _, j := range out.Jobs {
		results = append(results, j.ID+" "+j.Result)
	}
	if want := []string{"verify success", "verify failure", "verify failure", "verify success", "merge failure"}; !slices.Equal(results, want) {
		t.Errorf("jobs: %q, want %q", results, want)
	}
	last := out.Job("merge").Last()
	if last == nil {
		t.Fatalf("the merging job did not get to its last step: %+v", out.Job("merge").Steps)
	}
	outputs(t, last, map[string]string{"exit-code": "1", "result": "drift", "drifted": "1"})
	contains(t, "summary", last.Summary, drifted, "shard 3 of 4")
	contains(t, "comment", s.comment().Body, drifted, "Deletes all")
}

func TestRecipe_shardsThatAllMatchAreGreen(t *testing.T) {
	s := newScene(t)
	out, err := workflow.Do(t.Context(), s.workflow(recipe(t, "Thousands of servers: a matrix of shards", 1), fleet(t, 5)))
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range out.Jobs {
		if j.Result != "success" {
			t.Errorf("job %s %v: %s\n%s", j.ID, j.Matrix, j.Result, logOf(j))
		}
	}
	outputs(t, out.Job("merge").Last(), map[string]string{"exit-code": "0", "servers-checked": "5"})
}

func TestRecipe_forkGetsItsCommentFromARunWithRights(t *testing.T) {
	s := newScene(t)
	s.github.AddPull(fakegithub.Pull{Number: pull, HeadSHA: headSHA, BaseSHA: baseSHA, HeadRepository: fakegithub.Fork, Author: "stranger"})
	files := fleet(t, 2)
	first := s.workflow(recipe(t, "Pull requests from forks", 1), files)
	first.Files = maps.Clone(files)
	first.Files["server-00.json"] = strings.Replace(files["server-00.json"], "Lists open", "Deletes all", 1)
	s.github.ReadOnly = true
	out, err := workflow.Do(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if j := out.Job("verify"); j.Result != "failure" {
		t.Errorf("the run without rights: %s\n%s", j.Result, logOf(j))
	}
	s.github.ReadOnly = false
	s.change = func(c *runner.Context) {
		c.EventName, c.Event = "workflow_run", s.github.WorkflowRunEvent(t, pull)
		c.SHA, c.Ref, c.HeadRef, c.BaseRef = baseSHA, "refs/heads/main", "", ""
	}
	second := s.workflow(recipe(t, "Pull requests from forks", 2), files)
	second.Dir = first.Dir // the artifacts of the first run
	if out, err = workflow.Do(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if j := out.Job("comment"); j.Result != "failure" {
		t.Errorf("the run with rights: %s, want the verdict of the report\n%s", j.Result, logOf(j))
	}
	contains(t, "comment", s.comment().Body, "server-00", "Deletes all")
}

// inShard lists the servers that shard i of four checks.
func inShard(t *testing.T, files map[string]string, i int) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text, 0o644)
	}
	var names []string
	for _, s := range verified(t, dir, 0, "--shard", fmt.Sprintf("%d/4", i)).Servers {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		t.Fatalf("shard %d/4 checks nothing: take more servers", i)
	}
	return names
}

func logOf(j *workflow.Job) string {
	var out strings.Builder
	for _, s := range j.Steps {
		fmt.Fprintf(&out, "step %s: failed %v, %v\n", s.Name, s.Failed, s.Error)
		if s.Outcome != nil {
			out.WriteString(s.Outcome.Log)
		}
	}
	return out.String()
}

// act stands in for the runner where somebody tries a workflow at home. It lays out less than the real one. It builds the
// image itself, so the Dockerfile here is only the name of the one that is built.
func TestAct_runsTheActionOfTheTree(t *testing.T) {
	dir := t.TempDir()
	for name, text := range fleet(t, 1) {
		write(t, filepath.Join(dir, name), text, 0o644)
	}
	write(t, filepath.Join(dir, "action.yml"), read(t, "../action.yml"), 0o644)
	write(t, filepath.Join(dir, "Dockerfile"), "FROM "+image(t)+"\n", 0o644)
	write(t, filepath.Join(dir, "workflow.yml"), `on: push
jobs:
  verify:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - uses: ./
`, 0o644)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=o", "-c", "user.email=o@example.com", "commit", "-qm", "x"}} {
		if r := command(t, dir, nil, append([]string{"git"}, args...)...); r.code != 0 {
			t.Fatalf("git: %s", r)
		}
	}
	r := command(t, dir, []string{"HOME=" + dir}, tool(t, "act"), "push", "-W", "workflow.yml", "-P", "ubuntu-latest="+image(t),
		"--pull=false", "--container-daemon-socket", "-", "--network", "host")
	if r.code != 0 {
		t.Fatalf("act: %s", r)
	}
	contains(t, "log of act", r.stdout, "server-00", "Job succeeded")
}

// The repository verifies two released servers with its own action, on every pull request.
func TestOwnWorkflow_isGreen(t *testing.T) {
	s := newScene(t)
	files := map[string]string{"contractpin.lock": read(t, "../contractpin.lock")}
	out, err := workflow.Do(t.Context(), s.workflow([]byte(read(t, "../.github/workflows/contractpin.yml")), files))
	if err != nil {
		t.Fatal(err)
	}
	if j := out.Job("verify"); j.Result != "success" {
		t.Errorf("%s:\n%s", j.Result, logOf(j))
	}
}

func TestRecipe_nightlyOpensOneIssueAndClosesIt(t *testing.T) {
	s := newScene(t)
	s.change = func(c *runner.Context) {
		c.EventName, c.Event = "schedule", []byte(`{"schedule":"23 4 * * *"}`)
		c.SHA, c.Ref, c.HeadRef, c.BaseRef = baseSHA, "refs/heads/main", "", ""
	}
	files := fleet(t, 2)
	drifted := maps.Clone(files)
	drifted["server-00.json"] = strings.Replace(files["server-00.json"], "Lists open", "Deletes all", 1)
	for _, night := range []struct {
		checkout map[string]string
		want     string
	}{{drifted, "open"}, {drifted, "open"}, {files, "closed"}} {
		run := s.workflow(recipe(t, "Every night, with an issue", 1), files)
		run.Files = night.checkout
		out, err := workflow.Do(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		list := s.github.Issues()
		if len(list) != 1 || list[0].State != night.want {
			t.Fatalf("issues %+v, want one that is %s\n%s", list, night.want, logOf(out.Job("verify")))
		}
		if night.want == "open" {
			contains(t, "issue", list[0].Body, "server-00", "Deletes all")
		}
	}
}

func TestRecipe_renewalPassesOnTheLockAndItsReview(t *testing.T) {
	s := newScene(t)
	files := fleet(t, 2)
	run := s.workflow(recipe(t, "A renewal pull request", 1), files)
	run.Files = maps.Clone(files)
	run.Files["server-00.json"] = strings.Replace(files["server-00.json"], "Lists open", "Deletes all", 1)
	run.Setup = filepath.Dir(binary(t, "contractpin"))
	run.Lost = func(job string, _ map[string]any) bool { return job == "propose" } // from here on it is git push and gh
	out, err := workflow.Do(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if j := out.Job("renew"); j.Result != "success" {
		t.Fatalf("renew: %s\n%s", j.Result, logOf(j))
	}
	artifact := filepath.Join(run.Dir, "artifacts", "renewal")
	contains(t, "review", read(t, filepath.Join(artifact, "review.md")), "server-00", "Deletes all")
	if read(t, filepath.Join(artifact, "contractpin.lock")) == files["contractpin.lock"] {
		t.Error("the lock that was passed on is the old one")
	}
	if j := out.Job("propose"); j == nil || j.Result == "skipped" {
		t.Error("the job that opens the pull request was not asked for")
	}

	same := s.workflow(recipe(t, "A renewal pull request", 1), files)
	same.Setup = run.Setup
	if out, err = workflow.Do(t.Context(), same); err != nil {
		t.Fatal(err)
	}
	if j := out.Job("propose"); j.Result != "skipped" {
		t.Errorf("nothing to renew, but a pull request would be opened: %s\n%s", j.Result, logOf(out.Job("renew")))
	}
}
