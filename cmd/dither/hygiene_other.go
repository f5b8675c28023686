//go:build unix && !linux

package main

// forbidTracing does nothing where the system has no such switch.
func forbidTracing() {}
