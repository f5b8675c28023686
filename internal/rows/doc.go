// Package rows is where the integers of records are kept: in memory in four forms, and in files that
// are read block by block, copied or seen in place. It adds rows times integers, and multiplies rows
// with weights.
//
// The trusted core, package release, works with rows through Storage and File. It keeps numbers of
// each row that it computed itself, and holds the sums that it releases to them (docs/release.md).
package rows

import "slices"

// grow returns a slice of n entries, in the memory of s if there is enough.
func grow[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
