//go:build unix

package process

import (
	"os"
	"syscall"
)

// tracebackVariable is the variable that decides what the Go runtime prints after a panic. It is
// read before main, and a program cannot lower it for itself.
const tracebackVariable = "GOTRACEBACK"

// silenceStacks restarts the program with the variable set to "none", in the same process. A value
// that the user has set is kept.
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

// forbidCoreDumps permanently sets the largest size of a core dump to 0.
func forbidCoreDumps() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	forbidTracing()
}
