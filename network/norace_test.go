//go:build !race

package network_test

// raceEnabled tells whether the race detector is on.
const raceEnabled = false
