//go:build !unix

package main

func wrapper([]string) int { return 1 }
