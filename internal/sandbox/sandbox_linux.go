package sandbox

import (
	"context"
	"os/exec"
)

type (
	host  struct{}
	state struct{}
)

func (s *Sandbox) prepare(context.Context, *exec.Cmd) (func(), error) {
	return nil, &Error{Code: NoIsolation, Message: "not written yet"}
}

func (s *Sandbox) close() {}

func dispatch([]string) (int, bool) { return 0, false }
