package train

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// forget takes a file that is on the disk out of the page cache.
func forget(file *os.File) error {
	return unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// processorTime is what this process took of the processors, in user and system mode, so far.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
