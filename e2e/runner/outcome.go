package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Limits of the runner and of GitHub.
const (
	SummaryLimit    = 1 << 20 // bytes of a step's summary; a larger one is dropped whole
	AnnotationLimit = 10      // annotations of one type that a step can make
	MessageLimit    = 4096    // characters of an annotation; more are cut
)

// Outcome is what became of a step.
type Outcome struct {
	ExitCode int
	// Failed is the step's conclusion: a non-zero exit, or a command that the runner could not process.
	Failed  bool
	Outputs map[string]string
	State   map[string]string
	// Env and Path are what the step left for later steps.
	Env  map[string]string
	Path []string
	// Summary is the step's summary with masks applied; "" when it was too large.
	Summary     string
	Annotations []Annotation // those that reach GitHub
	// Dropped counts the annotations over the limit.
	Dropped int
	// Log is what a person sees: masks applied, commands taken out.
	Log string
	// Commands are the runner commands that were obeyed, in order, debug and groups included.
	Commands []Command
	// Problems are errors that the runner itself raises: bad file commands, disabled commands, a summary too large.
	Problems []string
}

// Annotation is one error, warning or notice of the step.
type Annotation struct {
	Type              string // error, warning, notice
	Message, Title    string
	File              string // relative to the workspace
	Line, EndLine     string
	Column, EndColumn string
}

// Count counts the annotations of one type.
func (o *Outcome) Count(kind string) int {
	n := 0
	for _, a := range o.Annotations {
		if a.Type == kind {
			n++
		}
	}
	return n
}

// run starts cmd, reads its output as the runner does, waits, and processes the file commands.
func (j *Job) run(ctx context.Context, cmd *exec.Cmd, files *fileCommands, started func()) (*Outcome, error) {
	out := &Outcome{Outputs: map[string]string{}, State: map[string]string{}, Env: map[string]string{}}
	log := &logReader{job: j, out: out}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	started()
	stop := context.AfterFunc(ctx, func() { cancel(cmd.Process) })
	var wg sync.WaitGroup
	wg.Go(func() { log.read(stdout) })
	wg.Go(func() { log.read(stderr) })
	wg.Wait()
	err = cmd.Wait()
	stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	out.ExitCode = cmd.ProcessState.ExitCode()
	out.Failed = out.Failed || out.ExitCode != 0
	files.process(j, out)
	out.Log = log.text.String()
	return out, nil
}

// cancel ends a step as the runner does.
func cancel(p *os.Process) {
	for _, s := range []struct {
		signal os.Signal
		wait   time.Duration
	}{{syscall.SIGINT, 7500 * time.Millisecond}, {syscall.SIGTERM, 2500 * time.Millisecond}} {
		if p.Signal(s.signal) != nil {
			return
		}
		for end := time.Now().Add(s.wait); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if p.Signal(syscall.Signal(0)) != nil {
				return
			}
		}
	}
	p.Kill()
}

func (o *Outcome) problem(format string, args ...any) {
	o.Problems = append(o.Problems, fmt.Sprintf(format, args...))
	o.Failed = true
}
