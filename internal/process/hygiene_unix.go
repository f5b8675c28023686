//go:build unix

package process

import (
	"os"
	"syscall"
)

// tracebackVariable is the variable by which the Go runtime decides what a panic prints. It is
// read before main, and a program cannot lower it for itself.
const tracebackVariable = "GOTRACEBACK"

// silenceStacks starts the program over with the variable set to "none", in the same process.
// Whoever sets the variable keeps their choice.
func silenceStacks() {
	if _, chosen := os.LookupEnv(tracebackVariable); chosen {
		return
	}
	program, err := os.Executable()
	if err != nil {
		return
	}
	_ = syscall.Exec(program, os.Args, append(os.Environ(), tracebackVariable+"=none"))
}

// forbidCoreDumps sets the largest size of a core dump to 0, for good.
func forbidCoreDumps() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	forbidTracing()
}
