// Package noise attacks the noise that releases of this program let out. It reads released numbers
// alone, of sums over records that add nothing, and knows what each release claims. It looks for
// another distribution, and for numbers that depend on each other in any way that it lists.
//
// Every test here has a proven bound on its false alarms: the probability that it alarms on noise
// that is as claimed. Bounds are stated as natural logarithms, since they are far below what a
// float64 holds. No test draws on an approximation by large numbers.
package noise

import "math"

// Finding is the outcome of one test of one series of numbers.
type Finding struct {
	Test    string // what the test looks for
	Numbers int    // the number of released numbers that were read
	// LogP is an upper bound on the logarithm of a probability: that noise as claimed gives an
	// outcome at least as extreme. It is at most 0.
	LogP float64
	// Seen states the outcome in numbers.
	Seen string
	// Detects describes in words the faults that the test detects in nearly every run of this size.
	Detects string
}

// Alarms reports whether a test with this false-alarm probability rejects the outcome.
func (f Finding) Alarms(probability float64) bool { return f.LogP <= math.Log(probability) }

// logBoth returns the logarithm of twice a probability, at most 0: of a test with two sides.
func logBoth(logP float64) float64 { return min(0, logP+math.Ln2) }

// logUnion returns the logarithm of a probability times a number of tests, at most 0.
func logUnion(logP float64, tests int) float64 { return min(0, logP+math.Log(float64(tests))) }
