//go:build unix

package process

import (
	"os/signal"
	"syscall"
)

// OutliveReaders keeps the process alive when whoever reads its output goes away: writing then
// fails.
func OutliveReaders() { signal.Ignore(syscall.SIGPIPE) }
