//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sweep

import (
	"fmt"
	"os"
	"syscall"
)

// lock takes a file for this process; the system gives it back when the process ends, however it does.
func lock(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("sweep: the file of results is in use, want one process at a time; wait for the other, or name another folder")
	}
	return nil
}
