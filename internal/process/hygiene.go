// Package process keeps the memory of a process out of core dumps and other remains. It lets the
// process outlive its readers, and says what program it is.
package process

// KeepMemoryPrivate keeps records and keys in memory out of the remains of a crash: no core dump,
// no reading by other processes of the user where the system can forbid it, and no stacks, which
// show arguments, after a panic. A failure of the system to comply is not an error. Not covered are
// fatal errors of the Go runtime, such as an overflow of the stack, lack of memory or an illegal
// instruction: it prints their stacks whatever it is told, and these hold arguments as numbers,
// such as lengths and addresses. SIGQUIT stops a run in order and prints no stack.
func KeepMemoryPrivate() {
	silenceStacks()
	forbidCoreDumps()
}
