// Package tabular holds what the command does with tables by name: files and built-in data sets. It
// lists and exports them, drafts their schemas, reports what disagrees with a schema, and makes
// tables of predictions.
package tabular

import (
	"context"
	"fmt"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
)

// Prefix marks the name of a built-in data set where a table is wanted.
const Prefix = "builtin:"

// ReadTest reads a table for a model: a file, or the public test split of a built-in data set.
func ReadTest(ctx context.Context, s *data.Schema, src data.Source, o data.ReadOptions) (*data.Dataset, error) {
	return read(ctx, s, src, o, builtin.Set.ReadTest)
}

// ReadTrain reads a table of records: a file, or the training split of a built-in data set.
func ReadTrain(ctx context.Context, s *data.Schema, src data.Source, o data.ReadOptions) (*data.Dataset, error) {
	return read(ctx, s, src, o, builtin.Set.ReadTrain)
}

func read(ctx context.Context, s *data.Schema, src data.Source, o data.ReadOptions,
	split func(builtin.Set, context.Context, *data.Schema, data.ReadOptions) (*data.Dataset, error)) (*data.Dataset, error) {
	name, isBuiltin := strings.CutPrefix(src.Path, Prefix)
	if !isBuiltin {
		return data.Read(ctx, s, src, o)
	}
	if len(src.Related) > 0 {
		return nil, fmt.Errorf("--related is given with the built-in data set %q, want it with a table whose schema has related tables", name)
	}
	set, err := builtin.Open(name)
	if err != nil {
		return nil, err
	}
	return split(set, ctx, s, o)
}
