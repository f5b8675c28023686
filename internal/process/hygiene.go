// Package process keeps the memory of a process out of core dumps and other remains. It also keeps
// the process alive when its readers end, and describes the program.
package process

// KeepMemoryPrivate keeps records and keys in memory out of the remains of a crash. There is no
// core dump, and no stack, which shows arguments, after a panic. If the system can forbid it, other
// processes of the user cannot read the memory. If the system refuses, there is no error.
//
// Fatal errors of the Go runtime are not covered, such as an overflow of the stack, lack of memory
// or an illegal instruction. The runtime always prints their stacks, which hold arguments as
// numbers, such as lengths and addresses. SIGQUIT stops a run in order and prints no stack.
func KeepMemoryPrivate() {
	silenceStacks()
	forbidCoreDumps()
}
