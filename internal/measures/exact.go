package measures

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/model"
)

// ExactNotice is the notice above every number that describes a table exactly.
const ExactNotice = "not private: these numbers describe this table exactly; publish them only if the table is public"

// Exact is what an evaluation without privacy prints as JSON.
type Exact struct {
	Notice string `json:"notice"`
	// DroppedRows is the number of rows that the schema drops.
	DroppedRows    int                      `json:"dropped-rows"`
	Classification *evaluate.Classification `json:"classification,omitempty"`
	Regression     *evaluate.Regression     `json:"regression,omitempty"`
}

// ErrEmpty is the error about a table whose rows are all dropped by the schema.
var ErrEmpty = errors.New("the table has no row that the schema keeps, want at least 1 with a usable target")

// ExactOf returns the measures of a model on a data set, by the levels of a column unless group is
// empty. The data set must have been read with the rows that the schema drops.
func ExactOf(ctx context.Context, m *model.Model, d *data.Dataset, group string) (Exact, error) {
	out := Exact{Notice: ExactNotice}
	for i := range d.Records() {
		if d.Dropped(i) {
			out.DroppedRows++
		}
	}
	if out.DroppedRows == d.Records() {
		return out, ErrEmpty
	}
	var err error
	out.Classification, out.Regression, err = Dataset(ctx, m, d, group)
	return out, err
}

// WriteText writes the evaluation for a terminal.
func (e Exact) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, e.Notice+"\n\n")
	if err == nil {
		err = WriteText(w, e.Classification, e.Regression)
	}
	if err == nil && e.DroppedRows > 0 {
		_, err = fmt.Fprintf(w, "\nrows that the schema drops, left out: %d\n", e.DroppedRows)
	}
	return err
}

// GroupColumns returns the names of the columns that must be read besides the features to group by
// this one.
func GroupColumns(s *data.Schema, group string) ([]string, error) {
	if group == "" {
		return nil, nil
	}
	for _, column := range s.Columns {
		switch {
		case column.Name != group:
		case column.Kind == data.Categorical:
			return nil, nil
		case column.Kind == data.Ignored:
			return []string{group}, nil
		default:
			return nil, fmt.Errorf("--group %q is a numeric column, want a categorical one or one that the schema ignores", group)
		}
	}
	return nil, fmt.Errorf("--group is %q, want a column of the model's schema other than the target", group)
}
