package mcp

import "errors"

// errSessionLost says that the server has forgotten our session.
var errSessionLost = errors.New("the server has forgotten the session")

func (r *reach) prepareHTTP() (func(), error) {
	return nil, &Error{Kind: Unreachable, Code: CodeBadURL, Message: "http is being written"}
}
