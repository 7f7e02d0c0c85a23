package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
)

// sdkServer is a real server with so many tools that it lists them on several pages.
func sdkServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "real", Version: "1"}, &sdk.ServerOptions{PageSize: 10})
	type input struct {
		Query string `json:"query" jsonschema:"what to look for"`
	}
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		sdk.AddTool(s, &sdk.Tool{Name: "look_" + name, Description: "Looks things up."},
			func(context.Context, *sdk.CallToolRequest, input) (*sdk.CallToolResult, struct{}, error) {
				return nil, struct{}{}, nil
			})
	}
	return s
}

func init() {
	if os.Getenv("CONTRACTPIN_TEST_SDK") != "" {
		_ = sdkServer().Run(context.Background(), &sdk.StdioTransport{})
		os.Exit(0)
	}
}

func TestList_oneServerReadsAlikeOverEveryTransport(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := func(*http.Request) *sdk.Server { return sdkServer() }
	servers := map[string]*lock.Server{
		"stdio": {Transport: lock.Stdio, Command: []string{exe}, Env: map[string]string{"CONTRACTPIN_TEST_SDK": "1"}},
	}
	for name, h := range map[string]http.Handler{
		"http with streams":       sdk.NewStreamableHTTPHandler(server, nil),
		"http with JSON":          sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{JSONResponse: true}),
		"http without a session":  sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{Stateless: true}),
		"the older SSE transport": sdk.NewSSEHandler(server, nil),
	} {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		servers[name] = &lock.Server{Transport: lock.HTTP, URL: s.URL}
	}
	var dump strings.Builder
	want := mustList(t, servers["stdio"], mcp.Options{Matches: anything})
	for i, tool := range want.Listing.Tools {
		dump.WriteString(map[bool]string{true: "[", false: ","}[i == 0])
		dump.Write(tool.Contract)
	}
	path := filepath.Join(t.TempDir(), "dump.json")
	if err := os.WriteFile(path, []byte(dump.String()+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	servers["file"] = &lock.Server{Transport: lock.File, Path: path}
	for name, s := range servers {
		for _, protocol := range []string{"legacy", "modern", "auto"} {
			if protocol == "modern" && s.Transport == lock.HTTP && name != "http without a session" {
				continue // the newer era knows no sessions
			}
			l := mustList(t, s, mcp.Options{Protocol: protocol, Matches: anything})
			if l.Listing.Digest != want.Listing.Digest || len(l.Listing.Tools) != 26 {
				t.Errorf("%s, %s: %d tools, %s; want %s", name, protocol, len(l.Listing.Tools), l.Listing.Digest, want.Listing.Digest)
			}
			era := map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28", "auto": "2025-11-25"}[protocol]
			if name != "file" && l.Protocol != era {
				t.Errorf("%s, %s: spoke %s, want %s", name, protocol, l.Protocol, era)
			}
		}
	}
}
