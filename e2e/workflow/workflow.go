// Package workflow runs a GitHub Actions workflow as far as the recipes of our docs need: jobs in the order of their
// needs, matrices, conditions, expressions, outputs, artifacts, run: steps with bash, and our own action in its image
// through package runner. What it does not know is an error, never a step passed over.
package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"

	"github.com/contractpin/verify/e2e/runner"
)

// Run is one run of a workflow.
type Run struct {
	Source    []byte
	Dir       string            // where jobs and artifacts get their folders
	Files     map[string]string // what actions/checkout checks out
	Context   runner.Context
	Image     string   // of our action
	ActionYML string   // path of its action.yml, for the defaults of its inputs
	Options   []string // for docker run
	Setup     string   // folder that contractpin/verify/setup would put on the PATH
	Vars      map[string]string
	Secrets   map[string]string
	// Lost tells that a job's machine is lost before it does anything, as hosted ones sometimes are.
	Lost func(job string, matrix map[string]any) bool
}

// Job is what became of one job of a run, or of one cell of its matrix.
type Job struct {
	ID     string
	Matrix map[string]any
	Result string // success, failure, skipped
	Steps  []Step

	outputs map[string]any
}

// Step is one step that ran. Outcome is nil for those that the double does itself (checkout, artifacts).
type Step struct {
	Name    string
	Failed  bool
	Error   error // why the double could not do it
	Outcome *runner.Outcome
}

// Result is a run's jobs in the order in which they ran.
type Result struct {
	Jobs []*Job
}

// Job returns the job with that id; of a matrix, its first cell.
func (r *Result) Job(id string) *Job {
	for _, j := range r.Jobs {
		if j.ID == id {
			return j
		}
	}
	return nil
}

// Last is the outcome of the job's last step that has one.
func (j *Job) Last() *runner.Outcome {
	for _, s := range slices.Backward(j.Steps) {
		if s.Outcome != nil {
			return s.Outcome
		}
	}
	return nil
}

// Do runs the whole workflow. The error says what the workflow holds that this package does not know.
func Do(ctx context.Context, r Run) (*Result, error) {
	parsed, problems := actionlint.Parse(r.Source)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	out := &Result{}
	left := slices.Sorted(maps.Keys(parsed.Jobs))
	for len(left) > 0 {
		ready := slices.IndexFunc(left, func(id string) bool {
			return !slices.ContainsFunc(parsed.Jobs[id].Needs, func(n *actionlint.String) bool {
				return slices.Contains(left, strings.ToLower(n.Value))
			})
		})
		if ready < 0 {
			return nil, fmt.Errorf("jobs need one another: %v", left)
		}
		id := left[ready]
		left = slices.Delete(left, ready, ready+1)
		if err := r.job(ctx, parsed, parsed.Jobs[id], out); err != nil {
			return nil, fmt.Errorf("job %s: %w", id, err)
		}
	}
	return out, nil
}

// needs is the context of that name, and whether one of them did not succeed.
func needs(j *actionlint.Job, out *Result) (context map[string]any, failed bool) {
	context = map[string]any{}
	for _, n := range j.Needs {
		result, outputs := "success", map[string]any{}
		for _, done := range out.Jobs {
			if !strings.EqualFold(done.ID, n.Value) {
				continue
			}
			if done.Result != "success" {
				result = done.Result
			}
			maps.Copy(outputs, done.outputs)
		}
		context[n.Value] = map[string]any{"result": result, "outputs": outputs}
		failed = failed || result != "success"
	}
	return context, failed
}

func (r Run) job(ctx context.Context, w *actionlint.Workflow, j *actionlint.Job, out *Result) error {
	if j.WorkflowCall != nil || j.Container != nil {
		return errors.New("reusable workflows and job containers are not known here")
	}
	needed, failed := needs(j, out)
	s := scope{contexts: map[string]any{
		"github": r.github(j.ID.Value), "needs": needed, "vars": anyMap(r.Vars), "secrets": anyMap(r.Secrets),
	}, failed: failed}
	wanted, err := s.condition(j.If)
	if err != nil {
		return err
	}
	if !wanted {
		out.Jobs = append(out.Jobs, &Job{ID: j.ID.Value, Result: "skipped"})
		return nil
	}
	cells, err := matrix(j.Strategy, s)
	if err != nil {
		return err
	}
	for i, cell := range cells {
		s.contexts["matrix"] = cell
		s.contexts["strategy"] = map[string]any{"job-index": float64(i), "job-total": float64(len(cells))}
		s.failed = false
		done := &Job{ID: j.ID.Value, Matrix: cell, Result: "failure", outputs: map[string]any{}}
		out.Jobs = append(out.Jobs, done)
		if r.Lost != nil && r.Lost(j.ID.Value, cell) {
			continue
		}
		dir := filepath.Join(r.Dir, fmt.Sprintf("%s-%d", j.ID.Value, i))
		if err := r.steps(ctx, w, j, done, s, dir); err != nil {
			return err
		}
	}
	return nil
}

// machine is one job while it runs.
type machine struct {
	Run
	job   *runner.Job
	env   map[string]string // of workflow and job
	scope scope
	steps map[string]any // the steps context
}

func (r Run) steps(ctx context.Context, w *actionlint.Workflow, j *actionlint.Job, done *Job, s scope, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	c := r.Context
	c.Job = j.ID.Value
	job, err := runner.NewJob(dir, c)
	if err != nil {
		return err
	}
	for _, secret := range r.Secrets {
		job.AddMask(secret)
	}
	m := &machine{Run: r, job: job, env: map[string]string{}, scope: s, steps: map[string]any{}}
	s.contexts["steps"], s.contexts["env"] = m.steps, anyMap(m.env)
	s.contexts["runner"] = map[string]any{"os": "Linux", "arch": "X64", "temp": job.Temp}
	for _, env := range []*actionlint.Env{w.Env, j.Env} {
		if m.env, err = m.withEnv(m.env, env); err != nil {
			return err
		}
		s.contexts["env"] = anyMap(m.env)
	}
	done.Result = "success"
	for i, step := range j.Steps {
		if err := m.step(ctx, step, done); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	for _, o := range j.Outputs {
		text, err := m.scope.text(o.Value.Value)
		if err != nil {
			return err
		}
		done.outputs[o.Name.Value] = text
	}
	return nil
}

// withEnv adds an env: block to the variables.
func (m *machine) withEnv(to map[string]string, env *actionlint.Env) (map[string]string, error) {
	out := maps.Clone(to)
	if env == nil {
		return out, nil
	}
	if env.Expression != nil {
		return nil, errors.New("env as one expression is not known here")
	}
	for _, v := range env.Vars {
		text, err := m.scope.text(v.Value.Value)
		if err != nil {
			return nil, err
		}
		out[v.Name.Value] = text
	}
	return out, nil
}

func (m *machine) step(ctx context.Context, step *actionlint.Step, done *Job) error {
	wanted, err := m.scope.condition(step.If)
	if err != nil || !wanted {
		return err
	}
	env, err := m.withEnv(m.env, step.Env)
	if err != nil {
		return err
	}
	var did Step
	switch exec := step.Exec.(type) {
	case *actionlint.ExecRun:
		did, err = m.shell(ctx, exec, env)
	case *actionlint.ExecAction:
		did, err = m.action(ctx, exec, env)
	}
	if err != nil {
		return err
	}
	if step.Name != nil {
		did.Name = step.Name.Value
	}
	done.Steps = append(done.Steps, did)
	conclusion, outputs := "success", map[string]any{}
	if did.Failed {
		conclusion = "failure"
		if step.ContinueOnError == nil || !step.ContinueOnError.Value {
			m.scope.failed = true
			done.Result = "failure"
		}
	}
	if did.Outcome != nil {
		outputs = anyMap(did.Outcome.Outputs)
	}
	if step.ID != nil {
		m.steps[step.ID.Value] = map[string]any{"outputs": outputs, "outcome": conclusion, "conclusion": conclusion}
	}
	return nil
}

func (m *machine) shell(ctx context.Context, exec *actionlint.ExecRun, env map[string]string) (Step, error) {
	if exec.Shell != nil && exec.Shell.Value != "bash" {
		return Step{}, fmt.Errorf("shell %s is not known here", exec.Shell.Value)
	}
	script, err := m.scope.text(exec.Run.Value)
	if err != nil {
		return Step{}, err
	}
	dir := ""
	if exec.WorkingDirectory != nil {
		dir = exec.WorkingDirectory.Value
	}
	o, err := m.job.Shell(ctx, runner.ShellStep{Script: script, Env: env, Dir: dir})
	if err != nil {
		return Step{}, err
	}
	return Step{Name: "run", Failed: o.Failed, Outcome: o}, nil
}

// github is the context of that name.
func (r Run) github(job string) map[string]any {
	c := r.Context
	var event any
	if json.Unmarshal(c.Event, &event) != nil {
		event = map[string]any{}
	}
	return map[string]any{
		"token": c.Token, "event": event, "event_name": c.EventName, "ref": c.Ref, "sha": c.SHA, "repository": c.Repository,
		"actor": c.Actor, "head_ref": c.HeadRef, "base_ref": c.BaseRef, "run_id": c.RunID, "run_attempt": c.RunAttempt,
		"workflow": c.Workflow, "job": job, "server_url": c.ServerURL, "api_url": c.APIURL,
	}
}

func anyMap(in map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range in {
		out[k] = v
	}
	return out
}
