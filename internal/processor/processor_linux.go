package processor

import (
	"syscall"
	"time"
)

// Time is what this process has taken of all processors so far, in user and system mode; 0 where the system
// does not tell.
func Time() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
