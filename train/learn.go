package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
)

// begin encodes the records of a data set and reserves the plan. Bounds and levels are learned
// after the reservation and before rows are encoded. The returned setup has them in its schema.
func (s Setup) begin(l *ledger.Ledger, d *data.Dataset, featureBits int) (Setup, table, *ledger.Grant, error) {
	var t table
	var err error
	if !s.Plan.learns() {
		if t, err = s.encode(d, featureBits); err != nil {
			return s, t, nil, err
		}
		grant, failed := l.Reserve(s.Plan.Event(), s.Plan.Method())
		return s, t, grant, failed
	}
	persons, err := s.readyToLearn(d)
	if err != nil {
		return s, t, nil, err
	}
	grant, err := l.Reserve(s.Plan.Event(), s.Plan.Method())
	if err != nil {
		return s, t, nil, err
	}
	if s, err = s.learn(grant, d, persons); err != nil {
		return s, t, nil, err
	}
	if d, err = d.Under(s.Schema); err != nil {
		return s, t, nil, err
	}
	t, err = s.encode(d, featureBits)
	return s, t, grant, err
}

// readyToLearn makes all refusals that precede the reservation. It returns the rows of persons, nil
// if a record is a row.
func (s Setup) readyToLearn(d *data.Dataset) (persons [][]int, err error) {
	if d.Sparse() {
		return nil, fmt.Errorf("train: bounds or levels are to be learned from a sparse table, want a table with a cell for each column, such as CSV; or declare them")
	}
	for _, statistic := range s.Plan.Preparation {
		if statistic.Kind == option.LevelsStatistic {
			if _, _, err = d.Group(statistic.Column); err != nil {
				return nil, err
			}
		}
	}
	if _, err = s.slots(d.Records()); err != nil || s.Plan.Person == nil {
		return nil, err
	}
	return s.Plan.Person.persons(d)
}

// checkLearns refuses a setup whose plan does not learn exactly what its schema leaves private.
func (s Setup) checkLearns() error {
	want := learned(s.Schema)
	var got []PreparationStep
	for _, statistic := range s.Plan.Preparation {
		if ofColumn(statistic.Kind) {
			got = append(got, statistic)
		}
	}
	same := slices.EqualFunc(got, want, func(a, b PreparationStep) bool {
		return a.Kind == b.Kind && a.Column == b.Column && a.Lower == b.Lower && a.Upper == b.Upper && a.Numbers == b.Numbers
	})
	if !same {
		return fmt.Errorf("train: the plan learns %d columns and the schema has %d with private bounds or levels, want the plan of this schema", len(got), len(want))
	}
	return nil
}

// learn pays for the statistics of columns and returns the setup under the schema that they make.
// Everything else in the plan stays. Places for levels are declared, so the width of the model is
// declared too.
func (s Setup) learn(payer mechanism.Payer, d *data.Dataset, persons [][]int) (Setup, error) {
	of := records{d: d, persons: persons}
	schema := s.Schema
	for _, statistic := range s.Plan.Preparation {
		if !ofColumn(statistic.Kind) {
			continue
		}
		learn := statistic.learnBounds
		switch statistic.Kind {
		case option.LevelsStatistic:
			learn = statistic.learnLevels
		case option.BinsStatistic:
			learn = statistic.learnBins
		}
		next, err := learn(payer, s.Plan.MaxRecords, of, schema)
		if err != nil {
			return s, err
		}
		schema = next
	}
	return s.under(schema)
}

// under returns the setup with learned bounds and levels in its schema and its feature map.
func (s Setup) under(schema *data.Schema) (Setup, error) {
	files := s.Features.Pipeline.Files()
	open := func(name string) ([]byte, error) { return files[name], nil }
	chain, err := feature.NewPipeline(open, schema, s.Features.Pipeline.Specs()...)
	if err != nil {
		return s, err
	}
	m := *s.Features
	if m.Pipeline = chain; m.Dim() != s.Features.Dim() {
		return s, fmt.Errorf("train: the model would have %d features and the plan has %d, want transforms whose features do not hang on learned levels", m.Dim(), s.Features.Dim())
	}
	s.Schema, s.Features = schema, &m
	return s, nil
}

// records are the records of a plan, rows or persons, with one value of a column each. A person's
// value is that of the person's first row with one. So one record is one value, on which no other
// record has an effect.
type records struct {
	d       *data.Dataset
	persons [][]int
}

func (r records) len() int {
	if r.persons != nil {
		return len(r.persons)
	}
	return r.d.Records()
}

// first returns the first row of a record for which has is true, or -1.
func (r records) first(record int, has func(row int) bool) int {
	if r.persons == nil {
		if has(record) {
			return record
		}
		return -1
	}
	at := slices.IndexFunc(r.persons[record], has)
	if at < 0 {
		return -1
	}
	return r.persons[record][at]
}

// number returns the number of each record, or NaN.
func (r records) number(column []float32) func(record int) float64 {
	return func(record int) float64 {
		at := r.first(record, func(row int) bool { return column[row] == column[row] })
		if at < 0 {
			return math.NaN()
		}
		return float64(column[at])
	}
}

// text returns the text of each record that can be a level, or "".
func (r records) text(codes []int32, texts []string, usable []bool) func(record int) string {
	return func(record int) string {
		at := r.first(record, func(row int) bool { return codes[row] >= 0 && usable[codes[row]] })
		if at < 0 {
			return ""
		}
		return texts[codes[at]]
	}
}

// learnBounds pays for two quantiles of a column and takes these as its bounds.
func (statistic PreparationStep) learnBounds(payer mechanism.Payer, maxRecords int, r records, s *data.Schema) (*data.Schema, error) {
	terms, number := statistic.quantiles(payer, maxRecords, r, s)
	lower, upper, err := pick.Bounds(terms, pick.EachRow(r.len()), number, option.BoundsOutside)
	if err != nil {
		return nil, err
	}
	lower, upper = apart(terms.Grid, lower, upper)
	return s.WithBounds(statistic.Column, lower, upper)
}

// learnBins pays for quantiles of a column at equal distances and takes these as its cut points.
func (statistic PreparationStep) learnBins(payer mechanism.Payer, maxRecords int, r records, s *data.Schema) (*data.Schema, error) {
	terms, number := statistic.quantiles(payer, maxRecords, r, s)
	at := make([]float64, statistic.Numbers)
	for k := range at {
		at[k] = math.Round(1000*float64(k+1)/float64(len(at)+1)) / 1000
	}
	chosen, err := pick.Quantiles(terms, pick.EachRow(r.len()), number, at)
	if err != nil {
		return nil, err
	}
	return s.WithBins(statistic.Column, cuts(terms.Grid, chosen))
}

// quantiles returns the terms for choosing quantiles, and the number of each record.
func (statistic PreparationStep) quantiles(payer mechanism.Payer, maxRecords int, r records, s *data.Schema) (pick.QuantileTerms, func(record int) float64) {
	at := slices.IndexFunc(s.Features(), func(c data.Column) bool { return c.Name == statistic.Column })
	return pick.QuantileTerms{Payer: payer, Choice: statistic.choice(), Grid: candidates(statistic.Lower, statistic.Upper), MaxRecords: maxRecords}, r.number(r.d.Column(at))
}

// learnLevels pays for the texts beyond the threshold. The texts with the largest noisy counts
// become the levels of the column, sorted. The others stay among "other".
func (statistic PreparationStep) learnLevels(payer mechanism.Payer, maxRecords int, r records, s *data.Schema) (*data.Schema, error) {
	codes, texts, err := r.d.Group(statistic.Column)
	if err != nil {
		return nil, err
	}
	marks, usable := s.Marks(), make([]bool, len(texts))
	for i, text := range texts {
		usable[i] = data.IsLevel(text, marks)
	}
	terms := pick.CategoryTerms{Payer: payer, PartitionTerms: statistic.partitionTerms(), MaxRecords: maxRecords}
	found, err := pick.Categories(terms, pick.EachRow(r.len()), r.text(codes, texts, usable))
	if err != nil {
		return nil, err
	}
	return s.WithLevels(statistic.Column, largest(found, statistic.Numbers))
}

// largest returns the names of the categories with the largest noisy counts, at most this many,
// sorted.
func largest(found []pick.Category, most int) []string {
	byCount := slices.Clone(found)
	slices.SortStableFunc(byCount, func(a, b pick.Category) int {
		switch {
		case a.Count > b.Count:
			return -1
		case a.Count < b.Count:
			return 1
		}
		return 0
	})
	var names []string
	for _, c := range byCount[:min(most, len(byCount))] {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}
