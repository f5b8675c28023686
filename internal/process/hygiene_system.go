//go:build !unix

package process

// silenceStacks does nothing, because a program cannot restart itself in its own process here.
func silenceStacks() {}

// forbidCoreDumps does nothing: such systems keep no core files by default.
func forbidCoreDumps() {}
