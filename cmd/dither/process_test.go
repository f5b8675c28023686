package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// processVariable makes the test program a process of dither: its value are the arguments, a line each.
const processVariable = "DITHER_TEST_PROCESS"

// TestProcess is the process that other tests kill.
func TestProcess(t *testing.T) {
	args := os.Getenv(processVariable)
	if args == "" {
		t.Skip("this is a process of another test")
	}
	os.Exit(run(context.Background(), strings.Split(args, "\n"), os.Stdout, os.Stderr))
}

// process returns a process of dither that has not begun.
func process(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], "-test.run=^TestProcess$")
	c.Env = append(os.Environ(), processVariable+"="+strings.Join(args, "\n"))
	return c
}
