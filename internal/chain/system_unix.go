//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package chain

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// guarded reports whether modes say who can write a file.
const guarded = true

// openFlags keep a name from leading elsewhere, and a pipe from waiting.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func (f systemFile) tryLock() error { return f.flock(syscall.LOCK_EX | syscall.LOCK_NB) }
func (f systemFile) unlock() error  { return f.flock(syscall.LOCK_UN) }

func (f systemFile) flock(how int) error {
	connection, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locking error
	err = connection.Control(func(fd uintptr) {
		for locking = syscall.EINTR; errors.Is(locking, syscall.EINTR); {
			locking = syscall.Flock(int(fd), how)
		}
	})
	if err != nil {
		return err
	}
	if errors.Is(locking, syscall.EWOULDBLOCK) {
		return errHeld
	}
	return locking
}

// owner returns the number of the user to whom a file belongs.
func owner(info os.FileInfo) int {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int(stat.Uid)
}

// own reports whether a file belongs to the user of this process.
func own(info os.FileInfo) bool { return owner(info) == os.Geteuid() }

// roots reports whether a file belongs to the system.
func roots(info os.FileInfo) bool { return owner(info) == 0 }

func (system) syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
