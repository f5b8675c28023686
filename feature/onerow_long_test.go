//go:build long

package feature

// oneRowRows is how many rows TestTransformsLookAtOneRow maps.
const oneRowRows = 100000
