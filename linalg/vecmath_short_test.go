//go:build !long

package linalg

// doubleArguments is how many arguments TestDoubleFunctionsKeepTheirBounds takes.
const doubleArguments = 4000
