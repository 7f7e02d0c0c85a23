// Command contractpin pins the contracts of MCP tools in a lock file, and says which field of which tool drifted.
//
// Exit codes (SPEC §6): 0 every selected server matches the lock, 1 something drifted or could not be checked, 2 the
// command could not run.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(contractpin(os.Args[1:])) }

func contractpin(args []string) int {
	ctx, stop := untilSignal()
	defer stop()
	c := &Command{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv}
	return c.Main(ctx, args)
}

// untilSignal ends the context on the first signal that asks us to end. Later ones change nothing: what follows the first
// takes two seconds at most, and must not be cut short, or servers would outlive us.
func untilSignal() (context.Context, context.CancelFunc) {
	// A closed pipe behind stdout or stderr must not kill us while servers run. Being told of it is enough for that, and
	// unlike ignoring it, is not inherited by the servers.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		ends = append(ends, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.Background(), ends...)
}
