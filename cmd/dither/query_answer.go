package main

import (
	"context"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/query"
)

// answerName is the name of the answer inside its folder.
const answerName = query.FileName

// readTrainingTable reads a table, or the training split of a built-in data set.
func readTrainingTable(ctx context.Context, s *data.Schema, name string, f tableFlags, o data.ReadOptions) (*data.Dataset, error) {
	source, err := f.source(name)
	if err != nil {
		return nil, err
	}
	d, err := tabular.ReadTrain(ctx, s, source, o)
	return d, interruption(ctx, err)
}
