package feature

import (
	"math"
	"strconv"

	"github.com/ditherml/dither/data"
)

// level returns the words for a cell of a column.
func (c *celled) level(cell, bins int) string {
	switch {
	case !c.number:
		return c.levels[cell]
	case cell == bins:
		return "missing"
	}
	return c.edge(cell, bins) + " to " + c.edge(cell+1, bins)
}

// edge returns the lower end of a bin in the units of the table.
func (c *celled) edge(cell, bins int) string {
	low, high, of := c.column.Lower, c.column.Upper, func(v float64) float64 { return v }
	if c.column.Transform == data.TransformLog1p {
		low, high, of = math.Log1p(low), math.Log1p(high), math.Expm1
	}
	share := float64(cell) / float64(bins)
	return strconv.FormatFloat(of(low+float64(share*(high-low))), 'g', 5, 64)
}
