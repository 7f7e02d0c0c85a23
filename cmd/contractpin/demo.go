package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/demo"
	"github.com/contractpin/verify/internal/verify"
)

func (c *Command) demoCommand(do binder) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See a poisoned tool description being caught, in two seconds",
		Long: `demo pins a small MCP server that is part of contractpin, in a temporary folder, then lets that server
change behind the lock's back. It shows the commands, what they print and how they exit, and leaves
nothing behind. Exit 0 when all went as it says.`,
		Args: cobra.NoArgs,
		RunE: do(func(ctx context.Context, _ *cobra.Command, _ []string) (int, error) {
			if err := c.demo(ctx); err != nil {
				return 0, problemf("", "%v", err)
			}
			return verify.ExitMatch, nil
		}),
	}
}

// release is the file, in the folder that the demo's server runs in, whose presence makes it the poisoned one.
const release = "weather-server.poisoned"

func (c *Command) demoServerCommand(do binder) *cobra.Command {
	return &cobra.Command{
		Use: "demo-server", Short: "The MCP server that demo pins", Hidden: true, Args: cobra.NoArgs,
		RunE: do(func(ctx context.Context, _ *cobra.Command, _ []string) (int, error) {
			_, err := os.Stat(release)
			if err := demo.Serve(ctx, err == nil); err != nil && ctx.Err() == nil {
				return 0, err
			}
			return verify.ExitMatch, nil
		}),
	}
}

// stage is the temporary folder in which the demo runs contractpin as a person would.
type stage struct {
	*Command
	dir  string
	path string // PATH with contractpin on it
}

func (c *Command) demo(ctx context.Context) (err error) {
	s := &stage{Command: c}
	if s.dir, err = os.MkdirTemp("", "contractpin-demo-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	if err := s.install(); err != nil {
		return err
	}
	return s.play(ctx)
}

func (s *stage) play(ctx context.Context) error {
	s.say("You pin the tools of an MCP server as they read today, and commit the lock.")
	if err := s.expect(ctx, verify.ExitMatch, "init", "weather", "--", "contractpin", "demo-server"); err != nil {
		return err
	}
	s.say("Every pull request and every night, CI asks whether they still read so.")
	if err := s.expect(ctx, verify.ExitMatch, "verify"); err != nil {
		return err
	}
	s.say("Then the server changes. Its name, its version and its command stay the same: no package lock\nnotices. One description now carries an instruction to the model, one hint is flipped.")
	if err := os.WriteFile(filepath.Join(s.dir, release), nil, 0o644); err != nil {
		return err
	}
	if err := s.expect(ctx, verify.ExitDrift, "verify"); err != nil {
		return err
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	s.say("Caught. The check stays red until a person has read the change and pinned it again.\nNext, with a server of yours: contractpin init NAME -- COMMAND ARG...")
	return nil
}

// expect shows a command, what it prints and how it exits, which must be as foretold.
func (s *stage) expect(ctx context.Context, want int, args ...string) error {
	fmt.Fprintf(s.Stdout, "%s\n", s.paint("1", "$ contractpin "+strings.Join(args, " ")))
	got, err := s.run(ctx, s.Stdout, args...)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "%s\n", s.paint("2", fmt.Sprintf("[exit %d]", got)))
	if got != want {
		return fmt.Errorf("this should have been exit %d", want)
	}
	return nil
}

// check holds the report against what the demo tells.
func (s *stage) check(ctx context.Context) error {
	var out bytes.Buffer
	if _, err := s.run(ctx, &out, "verify", "--format", "json"); err != nil {
		return err
	}
	var r verify.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return err
	}
	if len(r.Servers) == 1 && len(r.Servers[0].Changes) == 1 {
		change := r.Servers[0].Changes[0]
		var fields []string
		for _, f := range change.Fields {
			fields = append(fields, f.Field)
		}
		if change.Tool == demo.Poisoned && slices.Equal(fields, []string{contract.FieldAnnotations, contract.FieldDescription}) {
			return nil
		}
	}
	return errors.New("the report does not name exactly the two fields that changed")
}

// run starts contractpin in the demo's folder and returns its exit code.
func (s *stage) run(ctx context.Context, stdout io.Writer, args ...string) (int, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(s.dir, "bin", program()), args...)
	// No terminal for stderr: what it says while servers run would only repeat the report.
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, stdout, struct{ io.Writer }{s.Stderr}
	cmd.Env = append(os.Environ(), "PATH="+s.path)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its servers then
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() && ctx.Err() == nil {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// install puts this very program on the demo's PATH as contractpin.
func (s *stage) install() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Join(s.dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	path, _ := s.LookupEnv("PATH")
	s.path = bin + string(os.PathListSeparator) + path
	to := filepath.Join(bin, program())
	if os.Symlink(self, to) == nil || os.Link(self, to) == nil {
		return nil
	}
	data, err := os.ReadFile(self) // Windows without the right to link
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}

func program() string {
	if runtime.GOOS == "windows" {
		return "contractpin.exe"
	}
	return "contractpin"
}

func (s *stage) say(text string) { fmt.Fprintf(s.Stdout, "\n%s\n\n", text) }

// paint gives a text an SGR attribute on a terminal that shows colour.
func (s *stage) paint(sgr, text string) string {
	if !s.textOptions(s.Stdout).Color {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}
