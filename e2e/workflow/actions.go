package workflow

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"

	"github.com/contractpin/verify/e2e/runner"
)

func (m *machine) action(ctx context.Context, exec *actionlint.ExecAction, env map[string]string) (Step, error) {
	with := map[string]string{}
	for name, in := range exec.Inputs {
		text, err := m.scope.text(in.Value.Value)
		if err != nil {
			return Step{}, err
		}
		with[name] = text
	}
	did := Step{Name: exec.Uses.Value}
	name, _, _ := strings.Cut(exec.Uses.Value, "@")
	switch name {
	case "./", "contractpin/verify":
		return m.contractpin(ctx, did, with, env)
	case "./setup", "contractpin/verify/setup":
		m.job.AddPath(m.Setup)
	case "actions/checkout":
		did.Error = m.job.Checkout(m.Files)
	case "actions/setup-go", "actions/setup-node":
	case "actions/upload-artifact":
		did.Error = m.upload(with)
	case "actions/download-artifact":
		did.Error = m.download(with)
	default:
		return Step{}, fmt.Errorf("action %s is not known here", exec.Uses.Value)
	}
	did.Failed = did.Error != nil
	return did, nil
}

// contractpin runs our action in its image, with action.yml's defaults for the inputs that are not given.
func (m *machine) contractpin(ctx context.Context, did Step, with, env map[string]string) (Step, error) {
	defaults, err := Defaults(m.ActionYML)
	if err != nil {
		return did, err
	}
	inputs := map[string]string{}
	for name, value := range defaults {
		if inputs[name], err = m.scope.text(value); err != nil {
			return did, err
		}
	}
	for name, value := range with {
		if _, known := defaults[name]; !known {
			return did, fmt.Errorf("action.yml has no input %q", name)
		}
		inputs[name] = value
	}
	did.Outcome, err = m.job.Docker(ctx, runner.DockerStep{Image: m.Image, Inputs: inputs, Env: env, Options: m.Options})
	if err != nil {
		return did, err
	}
	did.Failed = did.Outcome.Failed
	return did, nil
}

// Defaults reads the inputs of an action.yml with their defaults.
func Defaults(actionYML string) (map[string]string, error) {
	data, err := os.ReadFile(actionYML)
	if err != nil {
		return nil, err
	}
	var action struct {
		Inputs map[string]struct {
			Default string `yaml:"default"`
		} `yaml:"inputs"`
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		return nil, fmt.Errorf("%s: %w", actionYML, err)
	}
	out := map[string]string{}
	for name, in := range action.Inputs {
		out[name] = in.Default
	}
	return out, nil
}

// artifacts is where all jobs of the run leave theirs.
func (m *machine) artifacts(elem ...string) string {
	return filepath.Join(append([]string{m.Dir, "artifacts"}, elem...)...)
}

// upload keeps files, by paths or globs, one a line. Their least common folder is the artifact's root.
func (m *machine) upload(with map[string]string) error {
	name := with["name"]
	if name == "" {
		name = "artifact"
	}
	if _, err := os.Stat(m.artifacts(name)); err == nil && with["overwrite"] != "true" {
		return fmt.Errorf("an artifact named %q exists already", name)
	}
	found := 0
	for pattern := range strings.FieldsSeq(with["path"]) {
		matches, err := filepath.Glob(filepath.Join(m.job.Workspace, pattern))
		if err != nil {
			return err
		}
		for _, p := range matches {
			found++
			if err := copyInto(p, m.artifacts(name)); err != nil {
				return err
			}
		}
	}
	if found == 0 && with["if-no-files-found"] == "error" {
		return fmt.Errorf("no files were found with the path %q", with["path"])
	}
	return nil
}

// download gives one artifact by name, or all that match a pattern: each in a folder of its own unless merge-multiple.
func (m *machine) download(with map[string]string) error {
	to := filepath.Join(m.job.Workspace, with["path"])
	if name := with["name"]; name != "" {
		if _, err := os.Stat(m.artifacts(name)); err != nil {
			return fmt.Errorf("artifact not found for name: %s", name)
		}
		return os.CopyFS(to, os.DirFS(m.artifacts(name)))
	}
	entries, err := os.ReadDir(m.artifacts())
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range entries {
		if ok, err := path.Match(with["pattern"], e.Name()); err != nil || !ok && with["pattern"] != "" {
			continue
		}
		at := filepath.Join(to, e.Name())
		if with["merge-multiple"] == "true" {
			at = to
		}
		if err := os.CopyFS(at, os.DirFS(m.artifacts(e.Name()))); err != nil {
			return err
		}
	}
	return nil
}

// copyInto copies a file, or what a folder holds, into a folder.
func copyInto(from, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		if rel == "." {
			rel = filepath.Base(p)
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}
