//go:build unix && !linux

package process

// forbidTracing does nothing where the system has no such switch.
func forbidTracing() {}
