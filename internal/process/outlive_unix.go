//go:build unix

package process

import (
	"os/signal"
	"syscall"
)

// OutliveReaders keeps the process alive when the reader of its output ends. Writing then fails.
func OutliveReaders() { signal.Ignore(syscall.SIGPIPE) }
