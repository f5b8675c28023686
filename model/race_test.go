//go:build race

package model

// raceEnabled tells whether the race detector is on.
const raceEnabled = true
