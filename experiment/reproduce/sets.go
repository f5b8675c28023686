package reproduce

import (
	"context"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
)

// health is the data set that comes with the program: will a person see a doctor in a year?
type health struct {
	schema         *data.Schema
	training, test *data.Dataset
}

// readHealth reads it. Without a number of records that the schema declares, n declares it, unless n is 0: the
// first n rows of persons are taken, one row a person.
func readHealth(ctx context.Context, n int) (health, error) {
	var h health
	set, err := builtin.Open("randhie")
	if err != nil {
		return h, err
	}
	if h.schema, err = set.Schema(); err != nil {
		return h, err
	}
	if h.training, err = set.ReadTrain(ctx, h.schema, data.ReadOptions{Extra: []string{"person"}}); err != nil {
		return h, err
	}
	if h.test, err = set.ReadTest(ctx, h.schema, data.ReadOptions{}); err != nil || n == 0 {
		return h, err
	}
	persons, _, err := h.training.Group("person")
	if err != nil {
		return h, err
	}
	var rows []int
	seen := map[int32]bool{}
	for i, person := range persons {
		if !seen[person] && len(rows) < n {
			rows, seen[person] = append(rows, i), true
		}
	}
	h.training = h.training.Take(rows)
	h.schema.Records, h.schema.MaxRecords, h.schema.RowsPerPerson = len(rows), len(rows), 1
	return h, nil
}
