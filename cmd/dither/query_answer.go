package main

import (
	"context"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/query"
)

// answerName is the name of the answer inside its folder.
const answerName = query.FileName

// readTrainingTable reads a table, or the training split of a built-in data set.
func readTrainingTable(ctx context.Context, s *data.Schema, name string, f tableFlags, o data.ReadOptions) (*data.Dataset, error) {
	setName, isBuiltin := strings.CutPrefix(name, builtinPrefix)
	if !isBuiltin {
		return readTable(ctx, s, name, f, o)
	}
	set, err := builtin.Open(setName)
	if err != nil {
		return nil, err
	}
	d, err := set.ReadTrain(ctx, s, o)
	return d, interruption(ctx, err)
}
