package train

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
)

// SampleWeights names the column with the weight of each row. The weight multiplies the row's
// gradient before clipping.
type SampleWeights struct {
	// Column is the name of a column that is categorical or that the schema ignores. Its texts are
	// read as numbers.
	Column string `json:"column"`
	// Lower is the declared lower bound on a weight. A smaller, missing or malformed weight is
	// replaced by Lower.
	Lower float64 `json:"lower"`
	// Upper is the declared upper bound on a weight. A larger weight is replaced by Upper. Weights
	// are divided by Upper, so no weight increases a gradient.
	Upper float64 `json:"upper"`
}

// validate returns an error that names the first fault.
func (w *SampleWeights) validate() error {
	if w != nil && (w.Column == "" || !(w.Lower >= 0 && w.Lower <= w.Upper) || !positive(w.Upper)) {
		return fmt.Errorf("train: weights of rows are in column %q between %v and %v, want a column and declared bounds of at least 0, the upper one more than that", w.Column, w.Lower, w.Upper)
	}
	return nil
}

// find refuses a column that the schema lacks or declares as a number.
func (w *SampleWeights) find(s *data.Schema) error {
	if w == nil {
		return nil
	}
	for _, c := range s.Columns {
		if c.Name == w.Column && (c.Kind == data.Ignored || c.Kind == data.Categorical) {
			return w.validate()
		}
	}
	return fmt.Errorf("train: the column of weights is %q, want one that the schema ignores, or one with levels; a column that is a feature and a number cannot be a weight too", w.Column)
}

// of returns the weight of each row, at most 1. It reads one row at a time and fails for no value.
func (w *SampleWeights) of(d *data.Dataset) ([]float64, error) {
	if w == nil {
		return nil, nil
	}
	if d == nil {
		return nil, fmt.Errorf("train: rows have weights and are in a file, want the rows in memory")
	}
	codes, texts, err := d.Group(w.Column)
	if err != nil {
		return nil, fmt.Errorf("train: the column of weights: %w", err)
	}
	out := make([]float64, len(codes))
	for i, code := range codes {
		v := w.Lower
		if code >= 0 && int(code) < len(texts) {
			if number, failed := strconv.ParseFloat(strings.TrimSpace(texts[code]), 64); failed == nil && number == number {
				v = max(w.Lower, min(w.Upper, number))
			}
		}
		out[i] = v / w.Upper
	}
	return out, nil
}

// weighRows multiplies the proposals of a block's records by the weights of their rows.
func (p *prepared) weighRows(c *kernel.Contributions, b *release.Block) {
	if p.rowWeights == nil {
		return
	}
	for i := range c.Records() {
		w := 0.0
		if at := b.Record(i); at < len(p.rowWeights) { // places beyond the records hold no record
			w = p.rowWeights[at]
		}
		residual := c.Coefficients[i*c.Columns : (i+1)*c.Columns]
		for k := range residual {
			residual[k] *= w
		}
	}
}
