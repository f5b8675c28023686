package process

import "syscall"

// forbidTracing makes the process not dumpable. Its memory is then not readable through /proc or by
// a debugger of the same user.
func forbidTracing() {
	const setDumpable = 4 // PR_SET_DUMPABLE of prctl(2)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
}
