//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// outliveReaders keeps the process alive when whoever reads its output goes away: writing then fails.
func outliveReaders() { signal.Ignore(syscall.SIGPIPE) }
