package runner

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ShellStep is one `run:` with bash, on the runner's own machine.
type ShellStep struct {
	Script string
	Env    map[string]string
	Dir    string // below the workspace; "" is the workspace itself
}

// Shell runs the script as `shell: bash` does: bash --noprofile --norc -eo pipefail FILE.
func (j *Job) Shell(ctx context.Context, s ShellStep) (*Outcome, error) {
	files, err := j.newFileCommands()
	if err != nil {
		return nil, err
	}
	script, err := os.CreateTemp(j.Temp, "step-*.sh")
	if err != nil {
		return nil, err
	}
	defer os.Remove(script.Name())
	if _, err := script.WriteString(s.Script); err != nil {
		return nil, err
	}
	if err := script.Close(); err != nil {
		return nil, err
	}
	env := j.environment(s.Env, nil, "__run", files.env())
	maps.Copy(env, map[string]string{"CI": "true", "GITHUB_ACTIONS": "true"})
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script.Name())
	cmd.Dir = filepath.Join(j.Workspace, s.Dir)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GITHUB_") && !strings.HasPrefix(v, "RUNNER_") && !strings.HasPrefix(v, "PATH=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	var prepend string
	for _, p := range j.path {
		prepend = p + string(os.PathListSeparator) + prepend
	}
	cmd.Env = append(cmd.Env, "PATH="+prepend+os.Getenv("PATH"))
	for key, value := range env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	return j.run(ctx, cmd, files, func() {})
}
