package train

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
)

// checkLearned compares the learned columns in a model's schema with the statistics of a plan. It
// returns every disagreement, joined. Each learned column needs a statistic, and each statistic a
// column. Bounds must be two candidates of the declared range, in order; cut points must be
// candidates. Levels must be distinct sorted texts, at most as numerous as their places.
func checkLearned(p Plan, s *data.Schema) error {
	columns := map[string]data.Column{}
	for _, c := range s.Learned() {
		columns[c.Name] = c
	}
	var wrong []error
	for _, c := range s.Private() {
		wrong = append(wrong, fmt.Errorf("train: column %q of the model is still to be learned, want bounds or levels", c.Name))
	}
	for _, statistic := range p.Preparation {
		if !ofColumn(statistic.Kind) {
			continue
		}
		c, there := columns[statistic.Column]
		if !there {
			wrong = append(wrong, fmt.Errorf("train: the plan learns the %s of column %q, which the model does not say, want the schema that was learned", statistic.Kind, statistic.Column))
			continue
		}
		delete(columns, statistic.Column)
		wrong = append(wrong, statistic.check(c, s.Marks()))
	}
	for _, c := range s.Learned() {
		if _, unpaid := columns[c.Name]; unpaid {
			wrong = append(wrong, fmt.Errorf("train: the model rests on learned bounds or levels of column %q that the plan does not pay for, want all of them in the plan", c.Name))
		}
	}
	return errors.Join(wrong...)
}

// check refuses a learned column that the statistic cannot have released.
func (statistic PreparationStep) check(c data.Column, marks data.MissingSet) error {
	if statistic.Kind == option.BinsStatistic {
		grid := candidates(statistic.Lower, statistic.Upper)
		strange := slices.ContainsFunc(c.Bins, func(v float64) bool { _, known := slices.BinarySearch(grid, v); return !known })
		if c.Kind != data.Numeric || strange || c.MaxBins != statistic.Numbers+1 || len(c.Bins) > statistic.Numbers || c.Lower != statistic.Lower || c.Upper != statistic.Upper {
			return fmt.Errorf("train: column %q has %d learned cut points between %v and %v for %d bins, want at most %d candidates of the range [%v, %v]", c.Name, len(c.Bins), c.Lower, c.Upper, c.MaxBins, statistic.Numbers, statistic.Lower, statistic.Upper)
		}
		return nil
	}
	if statistic.Kind == option.BoundsStatistic {
		grid := candidates(statistic.Lower, statistic.Upper)
		_, low := slices.BinarySearch(grid, c.Lower)
		_, high := slices.BinarySearch(grid, c.Upper)
		if c.Kind != data.Numeric || c.MaxBins != 0 || !low || !high || !(c.Lower < c.Upper) {
			return fmt.Errorf("train: the bounds of column %q are [%v, %v], want two candidates of the range [%v, %v] in order", c.Name, c.Lower, c.Upper, statistic.Lower, statistic.Upper)
		}
		return nil
	}
	sorted := slices.IsSorted(c.Levels) && len(slices.Compact(slices.Clone(c.Levels))) == len(c.Levels)
	usable := !slices.ContainsFunc(c.Levels, func(level string) bool { return !data.IsLevel(level, marks) })
	if c.Kind != data.Categorical || c.MaxLevels != statistic.Numbers || len(c.Levels) > statistic.Numbers || !sorted || !usable {
		return fmt.Errorf("train: column %q has %d learned levels in %d places, want at most the %d of the plan, distinct and sorted", c.Name, len(c.Levels), c.MaxLevels, statistic.Numbers)
	}
	return nil
}

// Released returns the learned bounds, bins and levels of a schema, in the form of a certificate.
func Released(s *data.Schema) []certificate.Learned {
	var out []certificate.Learned
	for _, c := range s.Learned() {
		l := certificate.Learned{Column: c.Name, Levels: c.Levels}
		switch {
		case c.MaxBins > 0:
			l.Bins = c.Bins
		case c.Kind == data.Numeric:
			l.Bounds = []float64{c.Lower, c.Upper}
		}
		out = append(out, l)
	}
	return out
}
