package feature

// chainRows is the number of rows that go through a pipeline together.
const chainRows = 32

// rowsTransform is a transform that maps many rows together faster than one by one. A row's result
// has the same bits as the result of Apply.
type rowsTransform interface {
	// ApplyRows does what Apply does, for rows that stand one after the other in x and in dst.
	ApplyRows(dst, x []float64, rows int, scratch any)
}

// FeaturesOf writes the features of several rows to dst, of length rows·Dim, one row after the
// other. The function row returns the values of row r in the form of Dataset.Row. The features of a
// row do not depend on the other rows, not even in their last bit.
func (c *Pipeline) FeaturesOf(dst []float64, rows int, s *PipelineScratch, row func(r int) []float32) {
	dim := c.Dim()
	if len(c.transforms) == 0 {
		for r := range rows {
			c.encoder.Encode(dst[r*dim:(r+1)*dim], row(r))
		}
		return
	}
	for first := 0; first < rows; first += chainRows {
		n := min(chainRows, rows-first)
		c.featuresOf(dst[first*dim:(first+n)*dim], n, s, func(r int) []float32 { return row(first + r) })
	}
}

func (c *Pipeline) featuresOf(dst []float64, rows int, s *PipelineScratch, row func(r int) []float32) {
	in := c.encoder.Dim()
	x, y := s.room(rows)
	for r := range rows {
		c.encoder.Encode(x[r*in:(r+1)*in], row(r))
	}
	for i, t := range c.transforms {
		to := y
		if i == len(c.transforms)-1 {
			to = dst
		}
		applyRows(t, to[:rows*t.Out()], x[:rows*t.In()], rows, s.parts[i])
		x, y = to, x
	}
}

// room returns two arrays for rows of the largest width.
func (s *PipelineScratch) room(rows int) (x, y []float64) {
	if n := rows * s.widest; len(s.many) < 2*n {
		s.many = make([]float64, 2*n)
	}
	half := len(s.many) / 2
	return s.many[:half], s.many[half:]
}

func applyRows(t transform, dst, x []float64, rows int, scratch any) {
	if many, ok := t.(rowsTransform); ok {
		many.ApplyRows(dst, x, rows, scratch)
		return
	}
	for r := range rows {
		t.Apply(dst[r*t.Out():(r+1)*t.Out()], x[r*t.In():(r+1)*t.In()], scratch)
	}
}
