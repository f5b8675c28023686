//go:build mpi && cgo && unix && !linux

package ranks

import "os"

// watched starts nothing: here no process can learn in which order others ended.
func watched(rank, size int, peers map[int]int) (*os.Process, error) { return nil, nil }

func dismiss(watcher *os.Process) {}
