//go:build !unix

package main

import "os"

// owner has no meaning here.
type owner struct{}

func ownerOf(string) owner { return owner{} }

func (owner) give(*os.Root, string) error { return nil }
