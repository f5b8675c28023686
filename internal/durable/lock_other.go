//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package durable

import "os"

// Lock returns ErrNoLocks.
func Lock(*os.File) error { return ErrNoLocks }

// Own returns true, because the system does not tell whose a file is.
func Own(os.FileInfo) bool { return true }
