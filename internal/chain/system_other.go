//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package chain

import (
	"errors"
	"os"
)

const guarded, openFlags = false, 0

var errNoLocks = errors.New("this system has no locks that a ledger could rely on")

func (systemFile) tryLock() error      { return errNoLocks }
func (systemFile) unlock() error       { return nil }
func own(os.FileInfo) bool             { return false }
func roots(os.FileInfo) bool           { return false }
func checkLocal(string) error          { return errNoLocks }
func (system) syncFolder(string) error { return errNoLocks }
