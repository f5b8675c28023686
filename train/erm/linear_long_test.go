//go:build long

package erm

import (
	"math"
	"testing"

	"github.com/ditherml/dither/privacy"
)

// TestIntervalsCoverAtLength repeats every case 1000 times: the share must be 0.95 ± 0.02. Records and noise come
// from a fixed seed, so there are no false alarms; with another seed the share would be beyond with a
// probability of at most 0.004 (2.9 deviations of 0.007).
func TestIntervalsCoverAtLength(t *testing.T) {
	for _, c := range coverageCases {
		if got, _ := coverage(t, 1000, c.noise, c.equal); math.Abs(got-0.95) > 0.02 {
			t.Errorf("%s: %.4f of the intervals cover, want 0.95 ± 0.02", c.name, got)
		} else {
			t.Logf("%s: %.4f cover", c.name, got)
		}
	}
}

// TestRecordMovesSumsOfManyTables looks at 1000 tables of each method and schema, the ordinary run at 100.
func TestRecordMovesSumsOfManyTables(t *testing.T) { checkMoves(t, 1000) }

// TestSecondOrderClassifiers holds means on the course book's split of Adult at delta 1e-5. Single runs deviate by
// less than 0.003 (least squares) and 0.004 (Newton); floors are 5 deviations of the mean or more below the
// means that were measured.
func TestSecondOrderClassifiers(t *testing.T) {
	s, train, test := adultBook(t)
	for _, c := range []struct {
		method         string
		epsilon, floor float64
		runs           int
	}{{"least-squares", 1, 0.82, 5}, {"least-squares", 0.5, 0.81, 5}, {"newton", 1, 0.81, 2}} {
		sum := 0.0
		for range c.runs {
			sum += accuracy(fitted(t, Request{Method: c.method, Epsilon: c.epsilon, Delta: 1e-5, Neighboring: privacy.AddOrRemoveOne}, s, train), test)
		}
		t.Logf("%s, epsilon %v: mean accuracy %.4f", c.method, c.epsilon, sum/float64(c.runs))
		if !(sum/float64(c.runs) >= c.floor) {
			t.Errorf("%s, epsilon %v: mean accuracy is %.4f, want at least %v", c.method, c.epsilon, sum/float64(c.runs), c.floor)
		}
	}
}
