package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGenerate_committedFileIsWhatTheCasesMake(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../../../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("testdata/vectors.json is not current: run go generate ./internal/contract")
	}
}
