//go:build !race

package linalg

// raceEnabled tells whether the race detector is on.
const raceEnabled = false
