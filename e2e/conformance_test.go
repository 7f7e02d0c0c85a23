package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
)

// The protocol's own conformance suite plays the server; contractpin init is the client.
func TestConformance_clientScenariosPass(t *testing.T) {
	suite := nodeModule(t, ".bin", "conformance")
	for _, scenario := range []string{"initialize", "request-metadata", "json-schema-ref-no-deref", "http-standard-headers"} {
		t.Run(scenario, func(t *testing.T) {
			dir := t.TempDir()
			client := filepath.Join(dir, "client")
			// The suite adds the server's URL as the last argument.
			write(t, client, fmt.Sprintf("#!/bin/sh\ncd '%s' && exec '%s' init conformance --url \"$1\"\n", dir, binary(t, "contractpin")), 0o755)
			r := command(t, dir, nil, suite, "client", "--scenario", scenario, "--command", client)
			if r.code != 0 {
				t.Errorf("%s", r)
			}
			noOrphans(t)
		})
	}
}
