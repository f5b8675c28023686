package feature

import (
	"cmp"
	"math"
	"strconv"

	"github.com/ditherml/dither/data"
)

// finestOf returns the largest number of bins of a column. It is the least power of two, from 2 on,
// for which a bin is narrower than 1, if the bins divide integers: then no two integers share a bin. For
// other numbers it is maxBins, which is the limit for all. Ordered levels have that limit too, so that
// models that other versions saved keep their features.
func finestOf(c data.Column) int {
	integers, bins := c.Integer && c.Transform != data.TransformLog1p, 2
	for bins < maxBins && !(integers && c.Upper-c.Lower < float64(bins)) {
		bins *= 2
	}
	return bins
}

// refines reports whether the column has more cells at a resolution than at the next coarser one.
func (c *celled) refines(bins int) bool { return c.number && bins <= c.finest }

// level returns the words for a cell of a column.
func (c *celled) level(cell, bins int) string {
	bins = min(bins, c.finest)
	switch {
	case !c.number:
		return c.levels[cell]
	case cell == bins:
		return "missing"
	case c.column.Ordered:
		if name := c.ordered(cell, bins); name != "" {
			return name
		}
	}
	return c.edge(cell, bins) + " to " + c.edge(cell+1, bins)
}

// ordered returns the levels in a cell of ordered levels, "" for none.
func (c *celled) ordered(cell, bins int) string {
	var first, last string
	for k, level := range c.column.Levels {
		if min(bins-1, int(float64(k)*(1/c.column.Upper)*float64(bins))) == cell {
			first, last = cmp.Or(first, level), level
		}
	}
	if first == last {
		return first
	}
	return first + " to " + last
}

// edge returns the lower end of a bin in the units of the table.
func (c *celled) edge(cell, bins int) string {
	if c.cuts != nil {
		return strconv.FormatFloat(c.halfLogarithmicEnd(cell*(maxBins/bins)), 'g', 5, 64)
	}
	low, high, of := c.column.Lower, c.column.Upper, func(v float64) float64 { return v }
	if c.column.Transform == data.TransformLog1p {
		low, high, of = math.Log1p(low), math.Log1p(high), math.Expm1
	}
	share := float64(cell) / float64(bins)
	return strconv.FormatFloat(of(low+float64(share*(high-low))), 'g', 5, 64)
}

// aside returns the name of a state that is a missing cell or an unknown level, or an empty text. Of learned levels
// and bins, places that none of them takes are such states too.
func (c *celled) aside(state, bins int) string {
	declared := c.column.Slots()
	switch {
	case c.column.Learning != data.Learned:
	case c.column.Kind == data.Categorical:
		declared = len(c.column.Levels)
	case c.column.MaxBins > 0:
		declared = len(c.column.Bins) + 1
	}
	if c.number && state < min(bins, c.finest) || !c.number && state < declared {
		return ""
	}
	return c.level(state, bins)
}
