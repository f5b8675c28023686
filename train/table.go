package train

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
)

// Table contains the private records of one data set, encoded once for several trainings. An
// encoded record has the features after the transforms, rounded to a grid of integers. A Table is
// immutable and safe for concurrent use.
type Table struct {
	table
	chain  *feature.Pipeline
	groups *groups // of a table from a file for persons
}

// NewTable returns a table of the records of d, encoded with the columns and transforms of the
// setup. Other parts of the setup have no effect. The argument featureBits has the meaning of
// Options.FeatureBits. The table keeps d.
func NewTable(s Setup, d *data.Dataset, featureBits int) (*Table, error) {
	if err := checkFeatureBits(featureBits); err != nil {
		return nil, err
	}
	if d.Target() == nil {
		return nil, fmt.Errorf("train: the data set has no target, want one; it is kept beside the features")
	}
	rows, err := s.encodeRows(d, d.Records(), s.rowType(d, featureBits))
	return &Table{table: table{rows: rows, records: d.Records(), data: d}, chain: s.Features.Pipeline}, err
}

// ReadTable returns the table in a file of the given size in bytes. An Encoder must have written
// the file for a setup with the same columns and transforms.
func ReadTable(s Setup, file io.ReaderAt, size int64) (*Table, error) {
	rows, err := release.ReadRows(file, size, frame(before(s.Features)))
	if err != nil {
		return nil, err
	}
	if rows.Dim() != before(s.Features).Dim() {
		return nil, errOtherTable
	}
	of, err := groupsOf(file, size)
	return &Table{table{rows: rows, records: rows.Len()}, s.Features.Pipeline, of}, err
}

var errOtherTable = fmt.Errorf("train: the table was encoded with other columns or transforms, want those of the plan; encode it again")

// Records returns the number of records. It is private unless the schema declares it.
func (t *Table) Records() int { return t.records }

// Fit is the function Fit on the records of the table. The plan must have the columns and
// transforms with which the table was encoded. A table from a file contains no weights of rows, so a
// plan that needs them is an error. It contains persons only if it was encoded for them. A plan with
// a holdout is an error too. Several processes cannot draw some batches of fixed
// size, such as those for a private radius. They are drawn from the records in memory, which are encoded again.
func (t *Table) Fit(ctx context.Context, l *ledger.Ledger, s Setup, o Options) (*Result, error) {
	given := ctx
	ctx, err := s.share(ctx)
	if err == nil && t.data != nil && together.From(given) == nil && s.checkShared(ctx, o) != nil {
		if err = t.check(s); err != nil {
			return nil, err
		}
		return Fit(given, l, s, t.data, o)
	}
	if err == nil {
		err = s.check(o)
	}
	if err != nil {
		return nil, err
	}
	own, err := t.seen(s)
	if err != nil {
		return nil, err
	}
	return s.fit(ctx, l, own, o)
}

// seen returns the table under a plan, before anything is spent.
func (t *Table) seen(s Setup) (own table, err error) {
	own = t.table
	if err = t.check(s); err != nil {
		return own, err
	}
	switch {
	case own.data == nil:
		own.persons, err = s.Plan.Person.personsIn(t.groups, own.rows.Len())
	case s.Plan.Person != nil:
		own.persons, err = s.Plan.Person.persons(own.data)
	}
	if err != nil {
		return own, err
	}
	own.rows, err = own.rows.Standardized(frame(before(s.Features)))
	return own, err
}

// check refuses a plan that does not match the table.
func (t *Table) check(s Setup) error {
	_, err := s.slots(t.records)
	switch {
	case err != nil:
		return err
	case t.records > s.Plan.MaxRecords:
		return fmt.Errorf("train: the table does not hold the declared number of records, want at most max-records %d", s.Plan.MaxRecords)
	case s.Features.Pipeline.Encoder().Dim() != t.chain.Encoder().Dim() || !reflect.DeepEqual(s.Features.Pipeline.Specs(), t.chain.Specs()):
		return errOtherTable
	case s.Plan.learns():
		return errLearning
	case s.Plan.Holdout != nil:
		return fmt.Errorf("train: a part of an encoded table is to be held out, want none; train on the data set")
	case t.data == nil && s.Plan.SampleWeights != nil:
		return fmt.Errorf("train: weights of rows are in the plan, want none with a table from a file, which does not hold them")
	case t.data == nil && slices.ContainsFunc(s.Plan.Preparation, func(p PreparationStep) bool { return p.Kind == option.LabelsStatistic }):
		return fmt.Errorf("train: weights by the frequencies of levels are asked for with a table from a file, want weights that are declared")
	}
	return nil
}

// Predict returns a model's prediction for each record, like model.Model.Predict, and the target of
// each record. Targets are class indices, or numbers scaled to [-1, 1]. The features of the table
// are rounded to a grid, so predictions differ slightly from predictions for unrounded features. If
// the records are private, the predictions and targets are private too.
func (t *Table) Predict(m *model.Model) (predictions []float64, targets []float32, err error) {
	const rows = 64
	f, k := m.Features(), m.Outputs()
	if f.Pipeline.Dim() != t.chain.Dim() {
		return nil, nil, errOtherTable
	}
	predictions, targets = make([]float64, t.records*k), t.targets()
	parallel.Items((t.records+rows-1)/rows, func(block int) {
		first := block * rows
		n := min(rows, t.records-first)
		x := make([]float64, n*f.Pipeline.Dim())
		t.features(x, first, n)
		m.PredictFeatures(predictions[first*k:(first+n)*k], x, n, f.NewScratch(n))
	})
	return predictions, targets, nil
}
