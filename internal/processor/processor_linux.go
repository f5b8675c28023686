package processor

import (
	"syscall"
	"time"
)

// Time returns the time of this process on all processors so far, in user and system mode. It is 0
// if the system does not tell.
func Time() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
