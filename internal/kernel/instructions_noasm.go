//go:build !amd64 || noasm

package kernel

// offered returns the only level there is without assembly.
func offered() instructions { return portable }
