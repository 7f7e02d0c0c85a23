//go:build !linux

package sandbox

import (
	"context"
	"os/exec"
)

type (
	host  struct{}
	state struct{}
)

func (s *Sandbox) init() {}

func (s *Sandbox) prepare(context.Context, *exec.Cmd) (func(), error) {
	return nil, &Error{
		Code:    NoIsolation,
		Message: "servers can only be isolated on Linux, in contractpin's image",
		Hint:    "set isolate: false if you trust the servers with everything this job can see",
	}
}

func (s *Sandbox) close() {}

func dispatch([]string) (int, bool) { return 0, false }
