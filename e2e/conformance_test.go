package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
)

// The protocol's own conformance suite plays the server; contractpin init is the client.
func TestConformance_clientScenariosPass(t *testing.T) {
	suite := nodeModule(t, ".bin", "conformance")
	for scenario, protocol := range map[string]string{
		"initialize":               "auto",
		"request-metadata":         "modern", // fails every client that tries initialize first, as auto does
		"json-schema-ref-no-deref": "auto",
		"http-standard-headers":    "auto",
	} {
		t.Run(scenario, func(t *testing.T) {
			dir := t.TempDir()
			client := filepath.Join(dir, "client")
			// The suite adds the server's URL as the last argument.
			write(t, client, fmt.Sprintf("#!/bin/sh\ncd '%s' && exec '%s' init conformance --protocol %s --url \"$1\"\n", dir, binary(t, "contractpin"), protocol), 0o755)
			r := command(t, dir, nil, suite, "client", "--scenario", scenario, "--command", client)
			if r.code != 0 {
				t.Errorf("%s", r)
			}
			noOrphans(t)
		})
	}
}
