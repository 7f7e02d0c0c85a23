// Package sandbox keeps pinned servers apart from the token, the runner's files and one another, inside the action's
// image on Linux.
//
// A server that is only listed is still somebody else's program, and it runs beside a token that may write to the
// repository. So each one gets a user of its own, and a launcher (this binary again) that gives up every right before it
// becomes the server: capabilities, limits on processes and files, groups, user, the ways back (no_new_privs), the file
// system (Landlock) and every open file but stdin, stdout and stderr. Where the kernel offers no Landlock, the folders that
// matter are closed to all but root for the length of the run, and the log says what stays visible. Network access is not
// restricted.
//
// Main must come first in a program that uses this package: process 1 of the image, the launcher and what ends a server
// and removes its files are the same binary, told apart by the name that it was started under.
package sandbox

import (
	"context"
	"os/exec"
)

// Config says what is around the servers. The zero value is the action's image with no checkout.
type Config struct {
	// Workspace is the checkout: servers may read it, except every .git, and write nothing in it. "": none.
	Workspace string
	// DockerServers gives each server whose command is docker a private relay of the Docker socket, and removes its
	// containers when it has ended. Who chooses such a command is root on the Docker host.
	DockerServers bool
	// Log is told, once each, what a person must know: what this kernel cannot hide, what could not be cleaned up.
	// Nil: nobody.
	Log func(line string)

	host host // the places and users around us; the zero value is the image's
}

// Error says why a server cannot be isolated: it must not be started then.
type Error struct {
	Code    string // "no-isolation"
	Message string // one line, lower case
	Hint    string // what a person can do
}

func (e *Error) Error() string { return e.Message }

// NoIsolation is the code of every Error.
const NoIsolation = "no-isolation"

// Users is how many servers can run at once.
const Users = 64

// Sandbox isolates the servers of one run. It does nothing before the first Prepare.
type Sandbox struct {
	cfg Config
	state
}

// New returns a sandbox. What is missing around us (root, the image, Linux) is Prepare's error, so that servers that are
// not started still get checked.
func New(c Config) *Sandbox {
	if c.Log == nil {
		c.Log = func(string) {}
	}
	s := &Sandbox{cfg: c}
	s.init()
	return s
}

// Prepare turns a command that is ready to be started into one that starts isolated: as a user of its own, in a session of
// its own, with HOME, TMPDIR, USER and LOGNAME of that user unless the command's environment differs from ours there. It
// waits for a free user until ctx is done. A command whose folder is an empty one below os.TempDir starts in an empty folder
// of its own instead. cleanup ends every process of that user, however it hid, and must be called once, after the command
// was waited for, whether or not it was started. An error is an *Error, or ctx's.
func (s *Sandbox) Prepare(ctx context.Context, cmd *exec.Cmd) (cleanup func(), err error) {
	return s.prepare(ctx, cmd)
}

// Close ends every server that still runs and puts back what was changed for the run. It may be called more than once,
// also while Prepare runs elsewhere, which then fails.
func (s *Sandbox) Close() { s.close() }

// Main runs the part that this process was started as: process 1 of the image (argv[0] is contractpin-init), or one of
// those that Prepare and its cleanup start. mine is false in every other process, which then goes on.
func Main(argv []string) (code int, mine bool) { return dispatch(argv) }
