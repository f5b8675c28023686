//go:build !long

package train

// everyPair says that slow statistics are tested on as many pairs as others.
const everyPair = false
