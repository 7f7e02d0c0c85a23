package mcp

import (
	"fmt"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"github.com/contractpin/verify/internal/lock"
)

// The variables of ours that a stdio server sees without being asked for. Nothing else is passed on but what the lock's
// env sets and what PassEnv names: a server must not find our tokens in its environment.
var (
	// What the MCP SDKs pass by default (TypeScript's getDefaultEnvironment, Python's get_default_environment).
	unixEnv    = []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
	windowsEnv = []string{
		"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES",
		"SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
		// Batch files, which npx and most of npm's commands are there, run in it.
		"COMSPEC", "TMP",
	}
	commonEnv = []string{
		// Language and temporary files: without them some runtimes fail on names or paths that are not ASCII. LC_* too.
		"LANG", "TMPDIR",
		// The way out of a company's network.
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		// Its certificates: OpenSSL and Go, Node.js, Python's requests, curl, pip, git.
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO",
		// Where package runners fetch packages, and keep them between runs.
		"NPM_CONFIG_REGISTRY", "npm_config_registry", "NPM_CONFIG_CACHE", "npm_config_cache",
		"PIP_INDEX_URL", "PIP_CACHE_DIR", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_CACHE_DIR",
	}
)

// childEnv makes the environment of a stdio server, sorted. Warnings name variables that were held back.
func (o *Options) childEnv(s *lock.Server) (env, warnings []string, err error) {
	values := map[string]string{}
	for _, name := range o.allowed() {
		value, ok := o.Lookup(name)
		switch {
		case !ok, strings.HasPrefix(value, "()"): // an exported shell function
		case holdsPassword(value):
			warnings = append(warnings, fmt.Sprintf("%s holds a password and is kept from the server; name it in pass-env to pass it on", name))
		default:
			values[name] = value
		}
	}
	for _, name := range o.PassEnv {
		if value, ok := o.Lookup(name); ok {
			values[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if values[name], err = o.expand("env."+name, s.Env[name]); err != nil {
			return nil, warnings, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		env = append(env, name+"="+values[name])
	}
	return env, warnings, nil
}

func (o *Options) allowed() []string {
	system := unixEnv
	if runtime.GOOS == "windows" {
		system = windowsEnv
	}
	names := slices.Concat(system, commonEnv)
	for _, category := range []string{"ALL", "COLLATE", "CTYPE", "MESSAGES", "MONETARY", "NUMERIC", "TIME"} {
		names = append(names, "LC_"+category)
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(o.PassEnv, name) })
}

// holdsPassword finds the user-info of a URL such as http://user:password@proxy:8080.
func holdsPassword(value string) bool {
	if !strings.Contains(value, "@") {
		return false
	}
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	return err != nil || u.User != nil
}
