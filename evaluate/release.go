package evaluate

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// Records are private labelled rows with the predictions to be measured.
type Records struct {
	// Targets has one target for each row: the index of a level, or a number. A row with a NaN
	// target contributes nothing.
	Targets []float64
	// Predictions has the predictions of n rows. For two levels they are n probabilities of the
	// second level. For more levels they are probabilities of shape [n, levels]. For a numeric
	// target they are n numbers. A row with a NaN prediction contributes nothing.
	Predictions []float64
	// Groups has the group of each row: an index of Plan.Groups. Any other number means the group
	// of all other rows. Groups may be nil if the plan has no groups.
	Groups []int32
	// Persons has the row numbers of each person if a record is a person, and is nil otherwise. The
	// first MaxRows rows of each person are used, where MaxRows is Plan.Person.MaxRows.
	Persons [][]int
}

// check refuses records that do not fit the plan. Its error does not depend on their values.
func (p Plan) check(r Records) error {
	outputs := 1
	if len(p.Levels) > 2 {
		outputs = len(p.Levels)
	}
	n := len(r.Targets)
	if len(r.Predictions) != n*outputs || p.GroupColumn != "" && len(r.Groups) != n {
		return fmt.Errorf("evaluate: there are %d predictions and %d groups, want %d a row and one group a row", len(r.Predictions), len(r.Groups), outputs)
	}
	if (p.Person != nil) != (r.Persons != nil) {
		return fmt.Errorf("evaluate: the plan and the records do not agree on whether a record is a person")
	}
	return nil
}

// Release pays for the event of the plan, adds noise and returns the noisy numbers. A histogram is
// returned row by row. Measures computes everything else from these numbers. It is an error if the
// records do not fit the plan, or if the payer refuses.
func Release(payer mechanism.Payer, p Plan, r Records) ([]float64, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.check(r); err != nil {
		return nil, err
	}
	records := len(r.Targets)
	if p.Person != nil {
		records = len(r.Persons)
	}
	sample, err := release.Draw(release.Full(), records)
	if err != nil {
		return nil, err
	}
	sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: p.noise(), Norm: p.norm(), Dim: p.Numbers(), Bound: p.bound(), MaxRecords: p.MaxRecords})
	if err != nil {
		return nil, err
	}
	err = pass.Vectors(sum, sample, p.Numbers(), func(_ int, dst []float64, records []int) error {
		for k, i := range records {
			p.add(dst[k*p.Numbers():(k+1)*p.Numbers()], r, i)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	noisy, err := release.Release(payer, p.noise(), sum.Seal())
	return slices.Clone(noisy.Values()), err
}

// add adds the contribution of one record to dst, which is zero before.
func (p Plan) add(dst []float64, r Records, record int) {
	if p.Person == nil {
		p.addRow(dst, r, record)
		return
	}
	rows := r.Persons[record]
	rows = rows[:min(len(rows), p.Person.MaxRows)]
	for _, i := range rows {
		p.addRow(dst, r, i)
	}
	if p.paired() {
		p.addPairs(dst, r, rows)
	}
}

// groupOf returns the group of a row.
func (p Plan) groupOf(r Records, i int) int {
	if p.GroupColumn == "" {
		return 0
	}
	g := len(p.Groups)
	if code := int(r.Groups[i]); code >= 0 && code < g {
		return code
	}
	return g
}

// addRow adds one row to its cell, or its moments.
func (p Plan) addRow(dst []float64, r Records, i int) {
	base := p.groupOf(r, i) * p.perGroup()
	if p.regression() {
		if a, t, ok := p.residual(r, i); ok {
			p.addMoments(dst[base:base+p.perGroup()], a, t)
		}
		return
	}
	outputs := len(r.Predictions) / len(r.Targets)
	if cell := p.cell(r.Targets[i], r.Predictions[i*outputs:(i+1)*outputs]); cell >= 0 {
		dst[base+cell]++
	}
}

// cell returns the place of a row inside its group, -1 for a row without a place. The places are
// [true level][bin] for two levels, and [true level][predicted level][bin] for more.
func (p Plan) cell(target float64, prediction []float64) int {
	k := len(p.Levels)
	if !(target >= 0 && target < float64(k)) || slices.ContainsFunc(prediction, math.IsNaN) {
		return -1
	}
	place, score := int(target), prediction[0]
	if k > 2 {
		best := 0
		for j, v := range prediction {
			if v > prediction[best] {
				best = j
			}
		}
		place, score = place*k+best, prediction[best]
	}
	// The first inner end that is at least the score ends its bin. A score at the threshold is not
	// above the threshold.
	inner := p.Edges[1 : len(p.Edges)-1]
	return place*p.bins() + sort.SearchFloat64s(inner, score)
}

// residual returns the magnitude of a row's residual in units of ResidualBound, cut at 1, and its
// target between -1 and 1. It returns false for a row without one of them.
func (p Plan) residual(r Records, i int) (a, t float64, ok bool) {
	target, prediction := r.Targets[i], r.Predictions[i]
	if math.IsNaN(target) || math.IsNaN(prediction) {
		return 0, 0, false
	}
	target = max(p.Lower, min(p.Upper, target))
	a = min(1, math.Abs(target-prediction)/p.ResidualBound)
	return a, max(-1, min(1, (2*target-p.Lower-p.Upper)/(p.Upper-p.Lower))), true
}
