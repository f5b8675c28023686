package feature

import "sync"

// Entries returns a function that appends the nonzero features of one row to index and x, and
// returns both slices. The argument values is a row of Dataset.Row. The indices are ascending.
// Several goroutines may call the function at the same time. If no column is text, the function
// appends at most most features.
//
// Entries returns nil unless the pipeline has exactly one transform, and that transform makes rows
// that are mostly 0.
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
