package dither

import (
	"context"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/model"
)

// Predict returns the prediction of a model for each record. For two levels it is the probability
// of the second. For more levels it is the probability of each, in the schema's order. For a
// numeric target it is the value. It is nil for a record that the schema drops.
//
// Records are a slice of structs, a file name, or a data set of the model's schema. Structs and
// files need not have the target. Nothing is released or paid for. So predictions of private
// records reveal something of these records.
func Predict(ctx context.Context, m *model.Model, records any) ([][]float64, error) {
	if _, err := settled(ctx, nil); err != nil {
		return nil, err
	}
	if m == nil || m.Schema() == nil {
		return nil, errNoModel
	}
	d, err := read(ctx, m.Schema(), records, data.ReadOptions{WithoutTarget: true, KeepDropped: true, MaxRecords: mostPredicted})
	if err != nil {
		return nil, err
	}
	reader, all := m.NewReader(d), make([][]float64, d.Records())
	for i := range all {
		if err = ctx.Err(); err != nil {
			return nil, err
		}
		if !d.Dropped(i) {
			all[i] = make([]float64, m.Outputs())
			reader.Predict(all[i], i)
		}
	}
	return all, nil
}

// mostPredicted is the largest number of records that are predicted; the number costs nothing.
const mostPredicted = 1 << 30
