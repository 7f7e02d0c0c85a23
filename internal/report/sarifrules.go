package report

import "slices"

// rule is one kind of finding in SARIF.
type rule struct {
	id, name, level   string
	short, full, help string
}

// rules are all of them. Their ids are how code scanning recognises alerts, so they never change.
var rules = []rule{
	{"tool-drifted", "ToolDrifted", "error", "The contract of a tool differs from the lock",
		"What a model reads about this tool (description, schemas or behaviour hints) is no longer what was pinned.",
		"Read what changed. If it is wanted, pin it again with contractpin init --force SERVER and have the lock reviewed; if not, do not use the server."},
	{"tool-added", "ToolAdded", "error", "A server has a tool that the lock does not pin",
		"A new tool on a trusted server is the cheapest place for a description that nobody has read.",
		"Read the tool's description. If it is wanted, pin it with contractpin init --force SERVER."},
	{"tool-removed", "ToolRemoved", "warning", "A pinned tool is gone",
		"The server no longer serves this tool.",
		"If that is expected, pin the server again with contractpin init --force SERVER."},
	{"server-unreachable", "ServerUnreachable", "error", "A pinned server could not be reached",
		"Its tools could not be listed. Not checked is not the same as unchanged.",
		"Mend the cause that the message names and run again."},
	{"server-malformed", "ServerMalformed", "error", "A pinned server returned a malformed listing",
		"What the server returned for tools/list is no valid listing, so nothing could be compared.",
		"Report it to the server's maintainers, or pin another version of it."},
	{"server-blocked", "ServerBlocked", "error", "A pinned server was not started",
		"The lock of this event differs from the trusted one in how the server is started, so it was not started.",
		"Have the change of the lock reviewed and merged first."},
	{"could-not-run", "CouldNotRun", "error", "contractpin could not run",
		"The lock or the arguments are wrong, so nothing was checked.",
		"Mend what the message names."},
	{"left-out", "LeftOut", "note", "Some results are left out",
		"Code scanning stores a limited number of results of a run.",
		"The JSON report has all of them."},
	{"not-covered", "NotCovered", "warning", "A client starts what the lock does not pin as it is started",
		"A client's configuration names a server that the lock does not pin, or launches otherwise, or whose code can change from one start to the next.",
		"Pin it with contractpin init --from FILE, or give the package an exact version."},
}

func ruleIndex(id string) int {
	return slices.IndexFunc(rules, func(r rule) bool { return r.id == id })
}
