package runner

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// fileCommands are the files of one step's GITHUB_ENV, GITHUB_OUTPUT, GITHUB_PATH, GITHUB_STATE, GITHUB_STEP_SUMMARY.
type fileCommands struct{ dir, suffix string }

// prefixes name the files by their variable.
var prefixes = map[string]string{
	"GITHUB_PATH": "add_path_", "GITHUB_ENV": "set_env_", "GITHUB_STEP_SUMMARY": "step_summary_",
	"GITHUB_STATE": "save_state_", "GITHUB_OUTPUT": "set_output_",
}

func (j *Job) newFileCommands() (*fileCommands, error) {
	f := &fileCommands{j.fileCommands(), strings.ToLower(rand.Text())}
	for name := range prefixes {
		if err := os.WriteFile(f.path(name), nil, 0o644); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *fileCommands) path(name string) string { return filepath.Join(f.dir, prefixes[name]+f.suffix) }

func (f *fileCommands) env() map[string]string {
	out := map[string]string{}
	for name := range prefixes {
		out[name] = f.path(name)
	}
	return out
}

// process reads what the step wrote and removes the files, as the runner does before the next step.
func (f *fileCommands) process(j *Job, out *Outcome) {
	read := func(name string) string {
		data, err := os.ReadFile(f.path(name))
		if err != nil && !os.IsNotExist(err) {
			out.problem("%s: %v", name, err)
		}
		os.Remove(f.path(name))
		return string(data)
	}
	pairs := func(name string, to map[string]string) {
		// What stands before a bad line counts: the runner reads and obeys in one pass.
		if err := readPairs(read(name), func(k, v string) { to[k] = v }); err != nil {
			out.problem("unable to process file command '%s' successfully: %v", strings.ToLower(strings.TrimPrefix(name, "GITHUB_")), err)
		}
	}
	for line := range strings.Lines(read("GITHUB_PATH")) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			out.Path = append(out.Path, line)
		}
	}
	pairs("GITHUB_ENV", out.Env)
	for name, value := range out.Env {
		if strings.EqualFold(name, "NODE_OPTIONS") {
			out.Problems = append(out.Problems, "can't store NODE_OPTIONS by GITHUB_ENV")
			delete(out.Env, name)
			continue
		}
		j.env[name] = value
	}
	j.path = append(j.path, out.Path...)
	summary := read("GITHUB_STEP_SUMMARY")
	if len(summary) > SummaryLimit {
		text := fmt.Sprintf("GITHUB_STEP_SUMMARY: upload aborted, supports content up to a size of %dk, got %dk", SummaryLimit>>10, len(summary)>>10)
		out.Problems = append(out.Problems, text) // an error in the log that does not fail the step
		out.add(Annotation{Type: "error", Message: text})
	} else {
		out.Summary = j.masker.mask(summary)
	}
	pairs("GITHUB_STATE", out.State)
	outputs := map[string]string{}
	pairs("GITHUB_OUTPUT", outputs)
	for name, value := range outputs { // names of outputs know no case
		out.Outputs[strings.ToLower(name)] = value
	}
}

// readPairs reads NAME=VALUE lines and NAME<<DELIMITER blocks.
func readPairs(text string, set func(name, value string)) error {
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		if line == "" {
			continue
		}
		equals, heredoc := strings.Index(line, "="), strings.Index(line, "<<")
		switch {
		case equals >= 0 && (heredoc < 0 || equals < heredoc):
			set(line[:equals], line[equals+1:])
		case heredoc >= 0:
			name, delimiter := line[:heredoc], line[heredoc+2:]
			if name == "" || delimiter == "" {
				return fmt.Errorf("invalid format %q: name and delimiter must not be empty", line)
			}
			value, after, err := block(text, delimiter)
			if err != nil {
				return err
			}
			set(name, value)
			text = after
		default:
			return fmt.Errorf("invalid format %q", line)
		}
	}
	return nil
}

// block reads up to the line that is the delimiter.
func block(text, delimiter string) (value, rest string, err error) {
	end := 0
	for end < len(text) {
		line, after, found := strings.Cut(text[end:], "\n")
		if line == delimiter {
			return strings.TrimSuffix(text[:end], "\n"), after, nil
		}
		if !found {
			break
		}
		end += len(line) + 1
	}
	return "", "", fmt.Errorf("invalid value: matching delimiter not found %q", delimiter)
}
