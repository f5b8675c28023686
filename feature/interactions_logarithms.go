package feature

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/ditherml/dither/data"
)

// columnNames are names of columns: ["age", "pay"], or on one line "age+pay".
type columnNames []string

// UnmarshalJSON accepts a list or a text.
func (c *columnNames) UnmarshalJSON(text []byte) error {
	var line string
	if json.Unmarshal(text, &line) != nil {
		return json.Unmarshal(text, (*[]string)(c))
	}
	*c = strings.Split(line, "+")
	return nil
}

// cutLogarithms gives a number bins of equal width on the scale of log(1 + x - lower). The ends of the finest
// bins are single-precision shares of the declared range. So the last digits of logarithms, which processors round
// differently, do not change a cell.
func (c *celled) cutLogarithms() error {
	of := c.column
	switch {
	case !c.number || of.Ordered:
		return fmt.Errorf("logarithmic names %q, want a column of numbers without declared bins", of.Name)
	case of.Transform == data.TransformLog1p:
		return fmt.Errorf("logarithmic names %q, which has the transform log1p; remove it from one of the two", of.Name)
	}
	c.finest = maxBins
	for k := 1; k < maxBins; k++ {
		c.cuts = append(c.cuts, float64(float32((c.logarithmicEnd(k)-of.Lower)/(of.Upper-of.Lower))))
	}
	return nil
}

// logarithmicEnd returns the end of the k-th of the finest bins in the units of the table.
func (c *celled) logarithmicEnd(k int) float64 {
	width := c.column.Upper - c.column.Lower
	return c.column.Lower + min(width, math.Expm1(math.Log1p(width)*(float64(k)/maxBins)))
}

// cutsUpTo returns the number of ends of the finest bins that are at most an encoded number. This is its
// place among the finest bins.
func (c *celled) cutsUpTo(x float64) int {
	return sort.Search(len(c.cuts), func(k int) bool { return c.cuts[k] > x })
}
