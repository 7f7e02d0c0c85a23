package run

import "runtime/debug"

// Version is set by the release's build; see BuildVersion.
var Version string

// BuildVersion is contractpin's version: the release's, else what the Go tool knows of the module.
func BuildVersion() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
