package training

import (
	"fmt"
	"io"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/model"
)

// WriteExact writes exact metrics of a model on records that are not public, after a banner that says so. It
// measures on the test table, or on the training records if that table is absent or public. Metrics are split by the
// levels of the column group, unless it is "".
func (r *Run) WriteExact(w io.Writer, banner string, m *model.Model, group string) error {
	set, name := r.Test, r.Tables.TestName
	if set == nil || r.Tables.TestPublic {
		set, name = r.Records, "the training records"
	}
	classification, regression, err := measures.Under(m, set, group)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\nmeasured on %s:\n", banner, display.OneLine(name))
	return measures.WriteText(w, classification, regression)
}
