package evaluate

import (
	"errors"
	"fmt"
	"math"
)

// errNoRecords is the error of an empty set, whose measures would all be undefined.
var errNoRecords = errors.New("evaluate: the number of records is 0, want at least 1; give a set with labels")

// undefinedGuess is the guess for a record with a NaN probability.
const undefinedGuess = -1

// scores are labels and probabilities that were checked against each other.
type scores struct {
	levels  int       // number of levels, K
	width   int       // probabilities a record: 1 or K
	labels  []int     // shape [n]
	rows    []float64 // shape [n, width]
	guesses []int     // shape [n], predicted level or undefinedGuess
	// threshold is the probability of the second of two levels above which it is predicted.
	threshold float64
}

func newScores(levels int, labels []int, probabilities []float64, threshold float64) (*scores, error) {
	n := len(labels)
	switch {
	case levels < 2:
		return nil, fmt.Errorf("evaluate: the number of levels is %d, want at least 2; name every class of the target", levels)
	case n == 0:
		return nil, errNoRecords
	case !(threshold > 0 && threshold < 1):
		return nil, fmt.Errorf("evaluate: the threshold is %v, want more than 0 and less than 1", threshold)
	}
	s := &scores{levels: levels, width: levels, labels: labels, rows: probabilities, threshold: threshold}
	if levels == 2 && len(probabilities) == n {
		s.width = 1
	}
	if len(probabilities) != n*s.width {
		return nil, fmt.Errorf("evaluate: there are %d probabilities, want %d for %d records; give a row of probabilities a record", len(probabilities), n*s.width, n)
	}
	for i := range labels {
		if err := s.check(i); err != nil {
			return nil, err
		}
	}
	s.guess()
	return s, nil
}

// check refuses record i when its label is no level or its numbers are no probabilities. NaN
// passes: it is a wrong answer, not a malformed one.
func (s *scores) check(i int) error {
	if s.labels[i] < 0 || s.labels[i] >= s.levels {
		return fmt.Errorf("evaluate: the label of record %d is outside the levels, want an index below %d; leave out records without a label", i, s.levels)
	}
	sum := 0.0
	for _, p := range s.row(i) {
		if p < -rangeSlack || p > 1+rangeSlack {
			return fmt.Errorf("evaluate: a probability of record %d is outside 0 to 1; apply the model's link function first", i)
		}
		sum += p
	}
	if s.width > 1 && math.Abs(sum-1) > sumSlack {
		return fmt.Errorf("evaluate: the probabilities of record %d do not sum to 1; apply the model's link function first", i)
	}
	return nil
}

func (s *scores) row(i int) []float64 { return s.rows[i*s.width : (i+1)*s.width] }

// undefined reports whether record i has a probability that is NaN.
func (s *scores) undefined(i int) bool {
	for _, p := range s.row(i) {
		if math.IsNaN(p) {
			return true
		}
	}
	return false
}

// guess sets the predicted levels.
func (s *scores) guess() {
	s.guesses = make([]int, len(s.labels))
	for i := range s.guesses {
		switch {
		case s.undefined(i):
			s.guesses[i] = undefinedGuess
		case s.levels == 2:
			if s.second(i) > s.threshold {
				s.guesses[i] = 1
			}
		default:
			s.guesses[i] = firstMaximum(s.row(i))
		}
	}
}

// firstMaximum returns the least index of a greatest element.
func firstMaximum(row []float64) int {
	best := 0
	for k, p := range row {
		if p > row[best] {
			best = k
		}
	}
	return best
}

// second returns the probability of level 1 of two, 0.5 when it is undefined.
func (s *scores) second(i int) float64 {
	if s.undefined(i) {
		return 0.5
	}
	row := s.row(i)
	return row[len(row)-1]
}

// truth returns the probability that record i gives to its true level. It is as if all levels were
// equally probable when the probability is undefined.
func (s *scores) truth(i int) float64 {
	label := s.labels[i]
	switch {
	case s.undefined(i):
		return 1 / float64(s.levels)
	case s.width > 1:
		return s.row(i)[label]
	case label == 1:
		return s.second(i)
	}
	return 1 - s.second(i)
}
