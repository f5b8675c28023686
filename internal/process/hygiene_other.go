//go:build unix && !linux

package process

// forbidTracing does nothing, because the system has no such switch.
func forbidTracing() {}
