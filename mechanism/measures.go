package mechanism

import "math"

// measures are what the frame makes of every row: what its record's proposal is verified with.
type measures struct {
	n2          []int64
	multipliers []float32 // nil: frame.unit
	betas       []int32   // nil: 1
	tails       []int32   // nil: there is no intercept
}

// measure computes the measures of all rows.
func (r *Rows) measure() error {
	r.measures = measures{n2: make([]int64, r.count)}
	if r.frame.Normalize != NormalizeNone {
		r.multipliers = make([]float32, r.count)
	}
	if r.frame.m != nil && r.frame.Normalize != NormalizeNone {
		r.betas = make([]int32, r.count)
	}
	if r.frame.Intercept > 0 {
		r.tails = make([]int32, r.count)
	}
	return r.eachBlock(func(x payload, from int) {
		for i := range x.count() {
			m := r.frame.measure(x.norm2(i), func() int64 { return x.dot(i, r.frame.m) })
			r.set(from+i, m)
		}
	})
}

// set keeps the measures of row i of the block.
func (r *Rows) set(i int, m measured) {
	r.n2[i] = m.n2
	if r.multipliers != nil {
		r.multipliers[i] = float32(m.multiplier)
	}
	if r.betas != nil {
		r.betas[i] = int32(m.beta)
	}
	if r.tails != nil {
		r.tails[i] = int32(m.tail)
	}
}

// beta is β of row i.
func (r *Rows) beta(i int) int64 {
	if r.betas == nil {
		return 1
	}
	return int64(r.betas[i-r.first])
}

// tail is the intercept of row i.
func (r *Rows) tail(i int) int64 {
	if r.tails == nil {
		return 0
	}
	return int64(r.tails[i-r.first])
}

// Seen returns the same records, in the same memory, seen from another frame.
func (r *Rows) Seen(f Frame) (*Rows, error) {
	out := *r
	var err error
	if out.frame, err = newFrame(f, r.kind, r.dim, r.step); err != nil {
		return nil, err
	}
	if r.limit > 0 && !f.own() {
		return nil, errLimit(r.kind)
	}
	return &out, out.measure()
}

// Scorer has the weights of scores in the form that rows multiply with.
type Scorer struct {
	rows    *Rows
	columns int
	weighed []float32
	centers []float64 // m·w of each column, in units of the grid times M
	tails   []float64 // the weight of the intercept
	scale   float64   // M
}

// Scorer prepares weights, which stand column after column, each Dim long.
func (r *Rows) Scorer(weights []float64, columns int) *Scorer {
	s := &Scorer{rows: r, columns: columns, centers: make([]float64, columns), tails: make([]float64, columns), scale: math.Ldexp(1, int(r.frame.bits))}
	narrow, dim := make([]float32, 0, columns*r.dim), r.Dim()
	for k := range columns {
		column := weights[k*dim : (k+1)*dim]
		for _, w := range column[:r.dim] {
			narrow = append(narrow, float32(w))
		}
		for j, m := range r.frame.m {
			s.centers[k] += float64(m) * column[j]
		}
		if dim > r.dim {
			s.tails[k] = column[r.dim]
		}
	}
	s.weighed = r.form.weigh(narrow, columns)
	return s
}

// Scores writes the products of the rows of a block, as they are seen, with the columns of the weights to
// dst, of length block length × columns, row-major. A row's scores have the same bits in every
// block. They differ from the exact ones as linalg.Margins says, scaled like the row.
func (s *Scorer) Scores(dst []float32, b Block) {
	b.x.margins(dst, s.weighed, s.columns)
	r := s.rows
	if r.frame.m == nil && r.tails == nil {
		s.scale1(dst, b)
		return
	}
	for i := range b.Len() {
		at := b.record(i)
		unit, beta, tail := b.rows.multiplier(at), float64(b.rows.beta(at)), float64(b.rows.tail(at))
		row := dst[i*s.columns : (i+1)*s.columns]
		for k, v := range row {
			row[k] = float32(unit * (s.scale*float64(v) - beta*s.centers[k] + tail*s.tails[k]))
		}
	}
}

// scale1 multiplies by the rows' multipliers alone.
func (s *Scorer) scale1(dst []float32, b Block) {
	for i := range b.Len() {
		unit := float32(b.rows.multiplier(b.record(i)))
		row := dst[i*s.columns : (i+1)*s.columns]
		for k := range row {
			row[k] *= unit
		}
	}
}
