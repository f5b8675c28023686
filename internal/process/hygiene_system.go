//go:build !unix

package process

// silenceStacks does nothing where a program cannot start itself over in its own process.
func silenceStacks() {}

// forbidCoreDumps does nothing: such systems keep no core files by default.
func forbidCoreDumps() {}
