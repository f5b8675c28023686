//go:build darwin || dragonfly || freebsd

package chain

import (
	"errors"

	"golang.org/x/sys/unix"
)

// checkLocal refuses a folder on another machine.
func checkLocal(path string) error {
	var info unix.Statfs_t
	if err := unix.Statfs(path, &info); err != nil {
		return err
	}
	if uint64(info.Flags)&unix.MNT_LOCAL == 0 {
		return errors.New("the folder is on another machine: want a local disk, or a PostgreSQL ledger")
	}
	return nil
}
