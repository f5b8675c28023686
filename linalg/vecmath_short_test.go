//go:build !long

package linalg

// doubleArguments is how many arguments the tests of the functions of float64 take.
const doubleArguments = 4000
