//go:build deps_hold

// Package internal only holds the modules that the packages being written will need. It goes when they are.
package internal

import (
	_ "github.com/BurntSushi/toml"
	_ "github.com/aymanbagabas/go-udiff"
	_ "github.com/creack/pty"
	_ "github.com/go-json-experiment/json/jsontext"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/go-github/v62/github"
	_ "github.com/google/renameio/v2"
	_ "github.com/gowebpki/jcs"
	_ "github.com/hashicorp/go-retryablehttp"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/sethvargo/go-githubactions"
	_ "github.com/spf13/cobra"
	_ "github.com/spf13/cobra/doc"
	_ "github.com/tailscale/hujson"
	_ "github.com/wI2L/jsondiff"
	_ "github.com/yuin/goldmark"
	_ "github.com/yuin/goldmark/extension"
	_ "golang.org/x/net/html"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
)
