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

// File is the content of answer.json: the plan, its price and the released answers.
type File struct {
	Plan        Plan                     `json:"plan"`
	Rows        []FileRow                `json:"rows"`
	Method      string                   `json:"interval"`
	Threshold   float64                  `json:"threshold,omitempty"`
	RankError   float64                  `json:"rank-error,omitempty"`
	PureEpsilon certificate.Epsilon      `json:"pure-epsilon"`
	Certificate *certificate.Certificate `json:"certificate,omitempty"`
}

// FileRow is one answer in a file. Numbers that do not apply to the answer are omitted.
type FileRow struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Noise *float64 `json:"noise,omitempty"`
	Lower *float64 `json:"lower,omitempty"`
	Upper *float64 `json:"upper,omitempty"`
	Count *float64 `json:"count,omitempty"`
	// Rate is how often such an interval contains the true value, in words. It is empty without an
	// interval.
	Rate string `json:"rate,omitempty"`
}

// NewFile returns the file of an answer. Its derived numbers are computed from the plan.
func NewFile(p Plan, c certificate.Certificate, rows []Row) File {
	a := File{Plan: p, Rows: []FileRow{}, PureEpsilon: certificate.Epsilon(p.pureEpsilon()), Certificate: &c}
	for _, r := range rows {
		row := FileRow{Name: r.Name, Value: r.Value, Noise: display.Finite(r.Deviation), Lower: display.Finite(r.Lower), Upper: display.Finite(r.Upper)}
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

// Check returns an error if a number in the file does not follow from its plan.
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
