// Command bare is the least that a client can do: it starts one stdio server with go-sdk, lists its tools once and ends.
// What contractpin takes longer than this is contractpin's own.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := list(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func list(ctx context.Context, argv []string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
	server := exec.Command(argv[0], argv[1:]...)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return err
	}
	// Some servers outlive their input by seconds: the least that a client can do is not to wait for them.
	defer server.Process.Kill()
	tools := 0
	for _, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		tools++
	}
	fmt.Println(tools)
	return nil
}
