package secret

// Public tells whether the variable of that name holds no secret although a lock may refer to it. To hide a home folder in
// every path would only make errors unreadable.
func Public(name string) bool { return public[name] }

var public = map[string]bool{
	"HOME": true, "LANG": true, "LOGNAME": true, "PATH": true, "PWD": true, "SHELL": true, "TERM": true, "TMPDIR": true, "USER": true,
	"USERNAME": true, "USERPROFILE": true, "GITHUB_WORKSPACE": true, "GITHUB_REPOSITORY": true, "RUNNER_TEMP": true,
	"WORKSPACE_FOLDER": true, "WORKSPACE_FOLDER_BASENAME": true,
}
