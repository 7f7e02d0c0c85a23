package mcp_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
	"github.com/contractpin/verify/internal/mcp"
)

func TestList_fileOfEachShape(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := tool("a")
	for text, w := range map[string]want{
		`{"tools":[` + a + `]}`: {names: "a"},
		`[` + a + `]`:           {names: "a"},
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + a + `]}}`:    {names: "a"},
		`{"tools":[` + a + `],"nextCursor":"2"}`:                     {code: contract.CodeIncomplete},
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}`: {code: contract.CodeRPCError},
		`not JSON`: {code: contract.CodeSyntax},
		``:         {code: contract.CodeSyntax},
	} {
		if err := os.WriteFile(filepath.Join(dir, "dump.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &lock.Server{Name: "s", Transport: lock.File, Path: "dump.json"}
		if w.code == "" {
			if l := mustList(t, s, mcp.Options{Dir: dir}); names(l) != w.names {
				t.Errorf("%s: %q", text, names(l))
			}
			continue
		}
		mustFail(t, s, mcp.Options{Dir: dir}, mcp.Malformed, w.code)
	}
}

func TestList_fileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{"missing.json", ".", os.DevNull} {
		s := &lock.Server{Name: "s", Transport: lock.File, Path: path}
		e := mustFail(t, s, mcp.Options{Dir: dir}, mcp.Unreachable, mcp.CodeFile)
		if !strings.Contains(e.Message, `"`+path+`"`) {
			t.Error(e.Message)
		}
	}
}

func TestList_restrictedFileIsNeverQuoted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte(`{"jsonrpc":"2.0","error":{"code":1,"message":"not-a-secret"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &lock.Server{Name: "s", Transport: lock.File, Path: "link"}
	follow := func(string) (string, error) { return filepath.Join(dir, "secret"), nil }
	e := mustFail(t, s, mcp.Options{Dir: dir, CheckFile: follow}, mcp.Malformed, contract.CodeRPCError)
	if strings.Contains(e.Message+e.Hint, "not-a-secret") {
		t.Error(e.Message)
	}
	refuse := func(string) (string, error) { return "", errors.New("outside the workspace") }
	mustFail(t, s, mcp.Options{Dir: dir, CheckFile: refuse}, mcp.Blocked, mcp.CodeFile)
}
