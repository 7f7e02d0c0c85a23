package mcp

import (
	"strings"
	"testing"
)

func TestIsPackageRunner(t *testing.T) {
	for command, want := range map[string]bool{
		"npx -y pkg": true, "npx": true, "/usr/bin/npx pkg": true, "npx.cmd pkg": true, `C:\node\NPX.CMD pkg`: true, "cmd /c npx -y pkg": true,
		"bunx pkg": true, "uvx pkg": true, "uvx.exe pkg": true, "pnpm dlx pkg": true, "yarn dlx pkg": true, "pipx run pkg": true,
		"pnpm --silent dlx pkg": true, "npm exec pkg": true, "npm x pkg": true, "bun x pkg": true, "uv tool run pkg": true, "pnpx pkg": true,
		"node npx": false, "pnpm start": false, "yarn start dlx": false, "npm run npx": false, "bun server.ts": false, "uv run server.py": false,
		"pipx list run": false, "docker run npx": false, "cmd /c node x": false, "./npx-server": false, "npxx": false,
	} {
		if got := isPackageRunner(strings.Fields(command)); got != want {
			t.Errorf("%s: %t", command, got)
		}
	}
}
