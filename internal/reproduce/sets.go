package reproduce

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
)

// health is the data set that comes with the program: will a person see a doctor in a year?
type health struct {
	schema         *data.Schema
	training, test *data.Dataset
}

// readHealth reads one row of each person. The rows of n persons are for training, and n is
// declared. The rows of all others are for testing. The choice of persons and rows follows from
// their numbers alone, as if at random.
func readHealth(ctx context.Context, n int) (health, error) {
	var h health
	set, err := builtin.Open("randhie")
	if err != nil {
		return h, err
	}
	if h.schema, err = set.Schema(); err != nil {
		return h, err
	}
	all, err := set.ReadTrain(ctx, h.schema, data.ReadOptions{Extra: []string{"person"}})
	if err != nil {
		return h, err
	}
	codes, persons, err := all.Group("person")
	if err != nil {
		return h, err
	}
	rows := make([][]int, len(persons))
	for i, person := range codes {
		rows[person] = append(rows[person], i)
	}
	if n < 1 || n >= len(persons) {
		return h, fmt.Errorf("reproduce: %d persons are asked for, want 1 to %d", n, len(persons)-1)
	}
	const stride = 1597 // a prime, which visits every person once unless it divides their number
	var one []int
	for i := range persons {
		own := rows[i*stride%len(persons)]
		one = append(one, own[i%len(own)])
	}
	h.training, h.test = all.Take(one[:n]), all.Take(one[n:])
	h.schema.Records, h.schema.MaxRecords, h.schema.RowsPerPerson = n, n, 1
	return h, nil
}
