// Command action is the GitHub Action: it reads the step's inputs, verifies the lock's servers (SPEC §6) and tells the
// result where a reviewer looks: log, job summary, annotations, one comment on the pull request, outputs, report files.
//
// Exit codes: 0 every server matches, 1 drift or a server that could not be checked, 2 the check could not run. Nothing
// that happens after the verdict changes it.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/contractpin/verify/internal/sandbox"
)

func main() {
	if code, mine := sandbox.Main(os.Args); mine {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := action(ctx, os.LookupEnv, os.Stdout)
	stop()
	os.Exit(code)
}

// action is one run: inputs, verdict, everything that tells of it, exit code.
func action(ctx context.Context, lookup func(string) (string, bool), stdout io.Writer) int {
	j := newJob(lookup, stdout)
	defer j.close()
	r := j.verdict(ctx)
	return j.publish(ctx, r)
}
