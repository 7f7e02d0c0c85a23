// Package e2e runs contractpin against what it meets in the world: released MCP servers, the protocol's conformance suite,
// a container engine, GitHub's runner (package runner) and GitHub's API (package fakegithub). `make e2e` installs what it
// needs; a test that lacks something fails and says what to install, none is skipped.
package e2e
