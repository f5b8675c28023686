package main

// keepMemoryPrivate keeps records and keys that are in memory out of what a crash leaves
// behind: no core dump, no reading by other processes of the user where the system can forbid
// it, and no stacks, which show arguments, behind a panic. A failure of the system to comply is
// not an error.
func keepMemoryPrivate() {
	silenceStacks()
	forbidCoreDumps()
}
