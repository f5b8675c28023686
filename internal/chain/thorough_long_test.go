//go:build long

package chain

const thorough = true
