//go:build !race

package kernel

// raceEnabled tells whether the race detector is on.
const raceEnabled = false
