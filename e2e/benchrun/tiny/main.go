// Command tiny is a small MCP server in Go: against it, contractpin's own time and memory show most.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type input struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

func main() {
	s := mcp.NewServer(&mcp.Implementation{Name: "tiny", Version: "1"}, nil)
	for i := range 10 {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("search_%d", i), Description: "Searches."},
			func(context.Context, *mcp.CallToolRequest, input) (*mcp.CallToolResult, any, error) {
				return nil, nil, nil
			})
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
