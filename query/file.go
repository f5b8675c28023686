package query

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
)

// FileName is the name of the answer inside its folder.
const FileName = "answer.json"

// File is the content of answer.json: the plan, the released answers and the certificate.
type File struct {
	// Plan is the question with all its public numbers.
	Plan Plan `json:"plan"`
	// Rows are the answers.
	Rows []fileRow `json:"rows"`
	// Method describes in words how the intervals are computed and how often they contain the true
	// value.
	Method string `json:"interval"`
	// Threshold is the noisy count above which a category is released. It is 0 for other
	// statistics.
	Threshold float64 `json:"threshold,omitempty"`
	// RankError is a bound on the error in the rank of a selected answer, which holds with the
	// confidence of the plan. It is in rows, or in blocks for the statistic aggregate. It is 0 if
	// the answer is not selected.
	RankError float64 `json:"rank-error,omitempty"`
	// PureEpsilon is the epsilon at delta 0, in nats. It is +Inf if the answer is not private at
	// delta 0.
	PureEpsilon certificate.Epsilon `json:"pure-epsilon"`
	// Certificate states the guarantee of the answers.
	Certificate *certificate.Certificate `json:"certificate,omitempty"`
}

// fileRow is one answer in a file. A pointer field is nil if the number does not apply to the
// answer.
type fileRow struct {
	// Name is the name of the level, bin, quantile or pair of columns to which the answer belongs.
	Name string `json:"name"`
	// Value is the estimate.
	Value float64 `json:"value"`
	// Noise is the standard deviation of the noise in Value.
	Noise *float64 `json:"noise,omitempty"`
	// Lower is the lower end of a confidence interval for the noiseless value of the same records.
	Lower *float64 `json:"lower,omitempty"`
	// Upper is the upper end of a confidence interval for the noiseless value of the same records.
	Upper *float64 `json:"upper,omitempty"`
	// Count is the noisy number of records by which a mean or another ratio is divided.
	Count *float64 `json:"count,omitempty"`
	// Rate states in words how often an interval computed in this way contains the true value. It
	// is empty if there is no interval.
	Rate string `json:"rate,omitempty"`
}

// NewFile returns the content of answer.json for a plan, its certificate and the answers. Numbers
// that follow from the plan are computed from the plan.
func NewFile(p Plan, c certificate.Certificate, rows []Row) File {
	a := File{Plan: p, Rows: []fileRow{}, PureEpsilon: certificate.Epsilon(p.pureEpsilon()), Certificate: &c}
	for _, r := range rows {
		row := fileRow{Name: r.Name, Value: r.Value, Noise: display.Finite(r.Deviation), Lower: display.Finite(r.Lower), Upper: display.Finite(r.Upper)}
		if r.Count != 0 {
			row.Count = display.Finite(r.Count)
		}
		if row.Lower != nil {
			row.Rate = rateText(p, r.AtLeast)
		}
		a.Rows = append(a.Rows, row)
	}
	a.Method = intervalMethod(p, rows)
	a.Threshold = p.threshold()
	a.RankError = p.rankError()
	return a
}

// rateText returns how often an interval holds.
func rateText(p Plan, atLeast bool) string {
	text := fmt.Sprintf("%g %%", 100*p.Confidence)
	if atLeast {
		return "at least " + text
	}
	return text
}

// intervalMethod returns what the intervals are, and how often they hold.
func intervalMethod(p Plan, rows []Row) string {
	how := "exact"
	switch p.Statistic {
	case meanStatistic:
		how = "exact, by Fieller's method; the noise of the count is in it"
	case varianceStatistic, covarianceStatistic, correlationStatistic:
		how = "to first order in the noise"
	case quantilesStatistic, boundsStatistic, radiusStatistic, aggregateStatistic:
		return fmt.Sprintf("none; with %s confidence each, the rank is wrong by at most the rank error, or by that much more than at the best point of the grid", rateText(p, true))
	}
	var some []string
	for _, r := range rows {
		if r.AtLeast {
			some = append(some, r.Name)
		}
	}
	all := len(some) > 0 && len(some) == len(rows)
	text := rateText(p, all) + " over the noise alone, for these rows: " + how
	switch {
	case all && how == "exact":
		text += " for whole steps of the noise"
	case !all && len(some) > 0:
		text += fmt.Sprintf("; %s for %s", rateText(p, true), shortList(some, len(rows)))
	}
	return text
}

// shortList returns the names of a few rows, and counts more.
func shortList(names []string, of int) string {
	if len(names) > 4 {
		return fmt.Sprintf("%d of %d rows", len(names), of)
	}
	return strings.Join(names, ", ")
}

// Check returns an error if a number in the file differs from the number that follows from the plan
// in the file.
func (a File) Check() error {
	rows := make([]Row, len(a.Rows))
	for i, r := range a.Rows {
		rows[i] = Row{Name: r.Name, Answer: Answer{Value: r.Value, Deviation: numberOr(r.Noise), Lower: numberOr(r.Lower), Upper: numberOr(r.Upper), Count: zeroOr(r.Count), AtLeast: r.Rate == rateText(a.Plan, true)}}
		if (r.Lower == nil) != (r.Upper == nil) || r.Lower != nil && !(*r.Lower <= *r.Upper) || r.Noise != nil && !(*r.Noise >= 0) {
			return fmt.Errorf("query: row %d of %s has an interval without ends in order, or noise below 0, want both", i+1, FileName)
		}
	}
	want := NewFile(a.Plan, certificate.Certificate{}, rows)
	want.Certificate = nil
	got, err := json.Marshal(a)
	if err != nil {
		return err
	}
	text, err := json.Marshal(want)
	if err != nil || !bytes.Equal(got, text) {
		return fmt.Errorf("query: %s states a threshold, a rank error, a pure epsilon or a rate of intervals that does not follow from the plan", FileName)
	}
	return nil
}

// numberOr returns a number, or NaN for one that was left out.
func numberOr(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// zeroOr returns a number, or 0 for one that was left out.
func zeroOr(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
