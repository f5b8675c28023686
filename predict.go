package dither

import (
	"context"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/model"
)

// Predict returns the prediction of a model for each record. If the target has two levels, a
// prediction is the probability of the second level. If the target has more levels, a prediction
// has the probability of each level, in the order of m.Schema().Target.Levels. If the target is
// numeric, a prediction is a number. The prediction is nil for a record that the schema drops. The
// predicted level is the most probable level. If the target has two levels, the second level is
// predicted if its probability is above m.Threshold().
//
// Records are a slice of structs, a file name, a data.Source or a data set of the model's schema. Structs and
// files may lack the target. Predict adds no noise and spends no budget, so predictions for private
// records reveal information about those records.
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
