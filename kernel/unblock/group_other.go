//go:build !unix

package unblock

import "os/exec"

// leadGroup does nothing: without process groups a program is ended alone.
func leadGroup(*exec.Cmd) {}
