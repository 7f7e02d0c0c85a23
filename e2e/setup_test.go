package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/contractpin/verify/e2e/runner"
)

// releases serves one release as GitHub does: /v9.9.9/FILE.
func releases(t *testing.T) (url string, files map[string][]byte) {
	t.Helper()
	exe, err := os.ReadFile(binary(t, "contractpin"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zip)
	if err := archive.WriteHeader(&tar.Header{Name: "contractpin", Mode: 0o755, Size: int64(len(exe))}); err != nil {
		t.Fatal(err)
	}
	archive.Write(exe)
	archive.Close()
	zip.Close()
	name := fmt.Sprintf("contractpin_9.9.9_linux_%s.tar.gz", runtime.GOARCH)
	files = map[string][]byte{
		name:            packed.Bytes(),
		"checksums.txt": fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(packed.Bytes()), name),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[strings.TrimPrefix(r.URL.Path, "/v9.9.9/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	return server.URL, files
}

// setUp runs the step of setup/action.yml in a job.
func setUp(t *testing.T, job *runner.Job, given map[string]string) *runner.Outcome {
	t.Helper()
	data, err := os.ReadFile("../setup/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs("../setup")
	if err != nil {
		t.Fatal(err)
	}
	arch := map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
	env := map[string]string{"GITHUB_ACTION_PATH": path, "RUNNER_OS": "Linux", "RUNNER_ARCH": arch}
	step := action.Runs.Steps[0]
	for name, value := range step.Env {
		value = strings.TrimSuffix(strings.TrimPrefix(value, "${{ "), " }}")
		if input, ok := strings.CutPrefix(value, "inputs."); ok {
			if _, known := action.Inputs[input]; !known {
				t.Fatalf("setup/action.yml uses an input %s that it does not have", input)
			}
			value = action.Inputs[input].Default
			if v, ok := given[input]; ok {
				value = v
			}
		} else {
			value = given[value]
		}
		if strings.HasPrefix(value, "${{") {
			value = ""
		}
		env[name] = value
	}
	out, err := job.Shell(t.Context(), runner.ShellStep{Script: step.Run, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSetup_putsTheReleaseOnThePath(t *testing.T) {
	url, _ := releases(t)
	for how, given := range map[string]map[string]string{
		"by its input": {"version": "v9.9.9"},
		"by its ref":   {"github.action_ref": "v9.9.9"},
	} {
		job, err := runner.NewJob(t.TempDir(), runner.Context{})
		if err != nil {
			t.Fatal(err)
		}
		given["releases-url"] = url
		out := setUp(t, job, given)
		if out.Failed || out.Outputs["version"] != "v9.9.9" {
			t.Fatalf("%s: outputs %v\n%s", how, out.Outputs, out.Log)
		}
		next, err := job.Shell(t.Context(), runner.ShellStep{Script: "contractpin --version"})
		if err != nil || next.Failed || !strings.HasPrefix(next.Log, "contractpin ") {
			t.Errorf("%s: the next step: %v %s", how, err, next.Log)
		}
	}
}

func TestSetup_installsNothingThatItCannotVouchFor(t *testing.T) {
	for want, c := range map[string]struct {
		given map[string]string
		spoil func(files map[string][]byte)
	}{
		"is not what checksums.txt":     {spoil: func(f map[string][]byte) { f[archiveOf(f)] = append(f[archiveOf(f)], 0) }},
		"has no line for contractpin_":  {spoil: func(f map[string][]byte) { f["checksums.txt"] = []byte("00  other.tar.gz\n") }},
		"cannot download checksums.txt": {given: map[string]string{"version": "v9.9.8"}},
		"not of the form v1.2.3":        {given: map[string]string{"version": "latest; id"}},
		"no release to install":         {given: map[string]string{"version": "", "github.action_ref": "main"}},
		"needs gh and a token":          {given: map[string]string{"attestation": "require"}},
		"takes auto, require or skip":   {given: map[string]string{"attestation": "maybe"}},
	} {
		url, files := releases(t)
		if c.spoil != nil {
			c.spoil(files)
		}
		given := map[string]string{"version": "v9.9.9", "releases-url": url}
		for k, v := range c.given {
			given[k] = v
		}
		job, err := runner.NewJob(t.TempDir(), runner.Context{})
		if err != nil {
			t.Fatal(err)
		}
		out := setUp(t, job, given)
		if !out.Failed || len(out.Annotations) != 1 || !strings.Contains(out.Annotations[0].Message, want) {
			t.Errorf("%s: failed %v, annotations %+v\n%s", want, out.Failed, out.Annotations, out.Log)
		}
		next, err := job.Shell(t.Context(), runner.ShellStep{Script: "! command -v contractpin"})
		if err != nil || next.Failed {
			t.Errorf("%s: contractpin is on the PATH all the same", want)
		}
	}
}

func archiveOf(files map[string][]byte) string {
	for name := range files {
		if strings.HasSuffix(name, ".tar.gz") {
			return name
		}
	}
	return ""
}
