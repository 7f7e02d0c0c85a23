package runner

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// DockerStep is one `uses:` of a Docker action whose image is built.
type DockerStep struct {
	Image  string
	Inputs map[string]string // as in `with:`, with action.yml's defaults filled in
	Env    map[string]string // the step's `env:`
	// Options go to `docker run` before the image. The engine of a closed machine needs ["--network", "host"].
	Options []string
	// Started, if set, is called with the container's name as soon as `docker run` was started.
	Started func(container string)
}

// Docker runs the action and returns when its container has ended. The error says why it could not be run at all; what
// the action itself did stands in the Outcome. When ctx ends the step is cancelled as the runner does it: SIGINT, 7.5 s
// later SIGTERM, 2.5 s later SIGKILL.
func (j *Job) Docker(ctx context.Context, s DockerStep) (*Outcome, error) {
	files, err := j.newFileCommands()
	if err != nil {
		return nil, err
	}
	env := j.environment(s.Env, s.Inputs, "__self", files.env())
	maps.Copy(env, j.runtime())
	env["HOME"] = j.home()
	for name, value := range env {
		env[name] = j.toContainer(value)
	}
	name := "contractpin_" + strings.ToLower(rand.Text())
	argv := []string{"run", "--name", name, "--label", "contractpin-e2e", "--workdir", "/github/workspace", "--rm"}
	for _, key := range slices.Sorted(maps.Keys(env)) {
		argv = append(argv, "-e", key)
	}
	argv = append(argv, "-e", "GITHUB_ACTIONS=true")
	if _, set := env["CI"]; !set {
		argv = append(argv, "-e", "CI=true")
	}
	argv = append(argv, "-v", engineSocket()+":/var/run/docker.sock")
	for _, m := range slices.Backward(j.mounts()) {
		argv = append(argv, "-v", m.host+":"+m.container)
	}
	argv = append(argv, s.Options...)
	argv = append(argv, s.Image)

	cmd := exec.Command("docker", argv...)
	cmd.Env = os.Environ()
	for key, value := range env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	// docker needs its own HOME and PATH; the container's stand in front of it only by -e.
	if _, err := exec.LookPath("docker"); err != nil {
		return nil, fmt.Errorf("docker is not installed: %w", err)
	}
	started := func() {
		if s.Started != nil {
			s.Started(name)
		}
	}
	return j.run(ctx, cmd, files, started)
}

// mount is one folder of the runner inside a container, most specific first: the order in which paths are translated.
type mount struct{ host, container string }

func (j *Job) mounts() []mount {
	return []mount{
		{j.Workspace, "/github/workspace"},
		{j.fileCommands(), "/github/file_commands"},
		{j.Temp + "/_github_workflow", "/github/workflow"},
		{j.home(), "/github/home"},
		{j.Temp, "/github/runner_temp"},
	}
}

func (j *Job) toContainer(value string) string {
	for _, m := range j.mounts() {
		if rest, ok := strings.CutPrefix(value, m.host); ok && (rest == "" || rest[0] == '/') {
			return m.container + rest
		}
	}
	return value
}

func (j *Job) toHost(value string) string {
	for _, m := range j.mounts() {
		if rest, ok := strings.CutPrefix(value, m.container); ok && (rest == "" || rest[0] == '/') {
			return m.host + rest
		}
	}
	return value
}

// engineSocket is the path of the engine's socket on this machine.
func engineSocket() string {
	if path, ok := strings.CutPrefix(os.Getenv("DOCKER_HOST"), "unix://"); ok {
		return path
	}
	return "/var/run/docker.sock"
}
