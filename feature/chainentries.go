package feature

import "sync"

// Entries returns a function that appends the features of one row that are not 0, in ascending
// order, to index and x, and returns them. Their number is at most most, where no column is text. The
// argument values is a row of Dataset.Row. Several goroutines may call the function. Entries returns
// nil if the rows are not mostly 0: if a transform is not made for such rows, or if there is none.
func (c *Pipeline) Entries() (of func(values []float32, index []uint32, x []float64) ([]uint32, []float64), most int) {
	if len(c.transforms) != 1 {
		return nil, 0
	}
	t, ok := c.transforms[0].(sparseTransform)
	if !ok {
		return nil, 0
	}
	encoded := sync.Pool{New: func() any { row := make([]float64, c.encoder.Dim()); return &row }}
	return func(values []float32, index []uint32, x []float64) ([]uint32, []float64) {
		row := encoded.Get().(*[]float64)
		defer encoded.Put(row)
		c.encoder.Encode(*row, values)
		return t.Entries(*row, index, x)
	}, t.mostEntries()
}
