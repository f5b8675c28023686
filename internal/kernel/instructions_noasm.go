//go:build !amd64 || noasm

package kernel

// offered returns the only level without assembly.
func offered() instructions { return portable }
