package train

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget takes a file that is on the disk out of the page cache.
func forget(file *os.File) error {
	return unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
}
