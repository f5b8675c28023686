package evaluate

import (
	"fmt"
	"math"
)

// Regression contains exact measures of predicted numbers.
type Regression struct {
	// Records is the number of records.
	Records int `json:"records"`
	// Undefined is the number of records whose prediction is NaN or infinite. If it is not 0, the
	// measures over all records are NaN. Leaving such records out would make the model look better
	// than it is.
	Undefined int `json:"undefined,omitempty"`
	// RMSE is the root of the mean squared error, in the unit of the labels.
	RMSE Measure `json:"rmse"`
	// MAE is the mean absolute error, in the unit of the labels.
	MAE Measure `json:"mae"`
	// R2 is 1 minus a ratio. The numerator is the sum of squared errors. The denominator is the sum
	// of squared deviations of the labels from their mean. R2 is NaN if all labels are equal.
	R2 Measure `json:"r2"`
	// GroupColumn is the name of the column by which Groups is split, or "".
	GroupColumn string `json:"group-column,omitempty"`
	// Groups contains the measures for each level of the group column. It is nil if no group column
	// was given.
	Groups []RegressionGroup `json:"groups,omitempty"`
}

// RegressionGroup contains measures for the records of one level of the group column. The measures
// are NaN if the level has no records.
type RegressionGroup struct {
	// Level is the level of the group column.
	Level string `json:"level"`
	// Records is the number of records of this level.
	Records int `json:"records"`
	// RMSE is Regression.RMSE for these records.
	RMSE Measure `json:"rmse"`
	// MAE is Regression.MAE for these records.
	MAE Measure `json:"mae"`
	// R2 is Regression.R2 for these records.
	R2 Measure `json:"r2"`
}

// Regress returns measures that compare predicted numbers with true labels. Both slices have one
// number for each record. The argument groups may be nil. It is an error if there are no records,
// if the lengths differ, or if a label is not finite. Errors state the number of the record, from
// 0, and never its values.
func Regress(labels, predictions []float64, groups *Grouping) (Regression, error) {
	if len(labels) == 0 {
		return Regression{}, errNoRecords
	}
	if len(predictions) != len(labels) {
		return Regression{}, fmt.Errorf("evaluate: there are %d predictions, want %d; give one prediction a record", len(predictions), len(labels))
	}
	for i, label := range labels {
		if math.IsNaN(label) || math.IsInf(label, 0) {
			return Regression{}, fmt.Errorf("evaluate: the label of record %d is not finite, want a number; leave out records without a label", i)
		}
	}
	if groups != nil {
		if err := groups.check(len(labels)); err != nil {
			return Regression{}, err
		}
	}
	return regression(labels, predictions, groups), nil
}

// regression returns the measures of checked inputs.
func regression(labels, predictions []float64, groups *Grouping) Regression {
	all := make([]int, len(labels))
	for i := range all {
		all[i] = i
	}
	whole := regressionGroup(labels, predictions, group{records: all})
	r := Regression{Records: whole.Records, RMSE: whole.RMSE, MAE: whole.MAE, R2: whole.R2}
	for _, p := range predictions {
		if !Measure(p).Defined() {
			r.Undefined++
		}
	}
	if groups == nil {
		return r
	}
	r.GroupColumn = groups.Column
	for _, g := range groups.split() {
		r.Groups = append(r.Groups, regressionGroup(labels, predictions, g))
	}
	return r
}

// regressionGroup returns the measures of the records of one group. The deviation is summed about
// the group's mean in a second pass, which does not cancel.
func regressionGroup(labels, predictions []float64, g group) RegressionGroup {
	out := RegressionGroup{Level: g.level, Records: len(g.records), RMSE: noMeasure(), MAE: noMeasure(), R2: noMeasure()}
	if len(g.records) == 0 {
		return out
	}
	n := float64(len(g.records))
	var mean, absolute, squared, deviation float64
	for _, i := range g.records {
		mean += labels[i] / n
	}
	constant := true
	for _, i := range g.records {
		miss, off := predictions[i]-labels[i], labels[i]-mean
		absolute += math.Abs(miss)
		squared += miss * miss
		deviation += off * off
		constant = constant && labels[i] == labels[g.records[0]]
	}
	out.RMSE, out.MAE = Measure(math.Sqrt(squared/n)), Measure(absolute/n)
	if !constant {
		out.R2 = Measure(1 - squared/deviation)
	}
	return out.definedOnly()
}

// definedOnly returns undefined measures in place of infinities from an infinite prediction.
func (g RegressionGroup) definedOnly() RegressionGroup {
	for _, m := range []*Measure{&g.RMSE, &g.MAE, &g.R2} {
		if !m.Defined() {
			*m = noMeasure()
		}
	}
	return g
}
