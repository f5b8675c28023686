//go:build mpi && cgo && linux

package ranks

import "os"

// StartWatcher starts a watcher as Connect does, and returns its process and what Join needs to know.
func StartWatcher(size int, processes map[int]int, out *os.File) (process int, address string) {
	process, name := startWatcher(size, processes, out)
	return process, string(name)
}

// Join connects this process to a watcher.
var Join = join
