package feature

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

// columnNames are names of columns: ["age", "pay"], or on one line "age+pay".
type columnNames []string

// UnmarshalJSON accepts a list, a text, or a number that is a name.
func (c *columnNames) UnmarshalJSON(text []byte) error {
	line, number := "", json.Number("")
	if json.Unmarshal(text, &number) == nil && string(number) == string(text) {
		*c = columnNames{string(number)}
		return nil
	}
	if json.Unmarshal(text, &line) != nil {
		return json.Unmarshal(text, (*[]string)(c))
	}
	*c = namesIn(line, "+")
	return nil
}

// logarithmic returns the error of parameters that cannot be read. If they have the key logarithmic of earlier versions, it
// names the key of today.
func logarithmic(parameters json.RawMessage, err error) error {
	var keys map[string]json.RawMessage
	if json.Unmarshal(parameters, &keys) != nil || keys["logarithmic"] == nil {
		return err
	}
	return errors.New("parameters: logarithmic is a key of earlier versions, for bins of equal width on the logarithmic scale; want half-logarithmic, for the mean of the linear and the logarithmic scale; train again with it, since other bins make other predictions")
}

// cutHalfLogarithms gives a number bins of equal width on the half-logarithmic scale of package encoder. The ends
// of the finest bins are single-precision shares of the declared range. So the last digits of logarithms, which
// processors round differently, do not change a cell.
func (c *celled) cutHalfLogarithms() error {
	of := c.column
	switch {
	case !c.number || of.Ordered:
		return fmt.Errorf("half-logarithmic names %q, want a column of numbers without declared bins", of.Name)
	case of.Transform == data.TransformLog1p:
		return fmt.Errorf("half-logarithmic names %q, which has the transform log1p; remove it from one of the two", of.Name)
	}
	c.finest = maxBins
	for k := 1; k < maxBins; k++ {
		c.cuts = append(c.cuts, float64(float32((c.halfLogarithmicEnd(k)-of.Lower)/(of.Upper-of.Lower))))
	}
	return nil
}

// halfLogarithmicEnd returns the end of the k-th of the finest bins in the units of the table.
func (c *celled) halfLogarithmicEnd(k int) float64 {
	return encoder.HalfLogarithmic(c.column.Lower, c.column.Upper, float64(k)/maxBins)
}

// cutsUpTo returns the number of ends of the finest bins that are at most an encoded number. This is its
// place among the finest bins.
func (c *celled) cutsUpTo(x float64) int {
	return sort.Search(len(c.cuts), func(k int) bool { return c.cuts[k] > x })
}
