//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package journal

import (
	"fmt"
	"os"
	"syscall"
)

// lock reserves a file for this process. The system releases it when the process ends for any
// reason.
func lock(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("sweep: the file of results is in use, want one process at a time; wait for the other")
	}
	return nil
}
