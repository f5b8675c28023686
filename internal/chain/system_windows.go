package chain

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// guarded is false: modes do not say who can write a file.
const guarded = false

const openFlags = 0

// lockedAt is the byte that is locked. It is beyond every record, since nobody else may read what
// is locked.
var lockedAt = windows.Overlapped{OffsetHigh: 1 << 30}

func (f systemFile) tryLock() error {
	place := lockedAt
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}

func (f systemFile) unlock() error {
	place := lockedAt
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &place)
}

func own(os.FileInfo) bool   { return true }
func roots(os.FileInfo) bool { return true }

// syncFolder does nothing: the system has no such call, and writes names in order.
func (system) syncFolder(string) error { return nil }

func checkLocal(path string) error {
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(whole) + `\`)
	if err != nil {
		return err
	}
	if windows.GetDriveType(root) != windows.DRIVE_FIXED {
		return errors.New("the folder is on no fixed disk of this machine")
	}
	return nil
}
