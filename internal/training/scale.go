package training

import "github.com/ditherml/dither/data"

// withHalfLogarithms returns a resolution with the columns whose bins are half-logarithmic: numbers that may be small
// or more than a thousand times larger, such as amounts of money. Most of them are usually near the lower end of the
// declared range, where bins of equal width are too wide. Bounds that are learned fit the numbers, so their bins keep
// equal width.
func withHalfLogarithms(s *data.Schema, cells resolution) resolution {
	for _, c := range s.Features() {
		number := c.Kind == data.Numeric && c.Slots() == 0 && c.Date == nil && c.Transform != data.TransformLog1p && c.Learning == data.Declared
		if number && c.Lower >= 0 && c.Lower <= mostLowEnd*c.Upper && c.Upper-c.Lower >= leastWide {
			cells.halfLogarithmic = append(cells.halfLogarithmic, c.Name)
		}
	}
	return cells
}
