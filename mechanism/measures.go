package mechanism

import (
	"errors"
	"math"
	"sync"
)

// measures are what the frame makes of rows: what their records' proposals are verified with.
type measures struct {
	n2          []int64
	multipliers []float32 // nil: frame.unit
	betas       []int32   // nil: 1
	tails       []int32   // nil: there is no intercept
}

// newMeasures returns room for the measures of n rows, in the memory of old if there is enough.
func (f frame) newMeasures(n int, old measures) measures {
	m := measures{n2: room(old.n2, n)}
	if f.Normalize != NormalizeNone {
		m.multipliers = room(old.multipliers, n)
	}
	if f.m != nil && f.Normalize != NormalizeNone {
		m.betas = room(old.betas, n)
	}
	if f.Intercept > 0 {
		m.tails = room(old.tails, n)
	}
	return m
}

// measureAll computes the measures of the rows of x.
func (f frame) measureAll(m measures, x payload) {
	for i := range x.count() {
		m.set(i, f.measure(x.norm2(i), func() int64 { return x.dot(i, f.m, f.narrow) }))
	}
}

// set keeps the measures of row i.
func (m *measures) set(i int, v measured) {
	m.n2[i] = v.n2
	if m.multipliers != nil {
		m.multipliers[i] = float32(v.multiplier)
	}
	if m.betas != nil {
		m.betas[i] = int32(v.beta)
	}
	if m.tails != nil {
		m.tails[i] = int32(v.tail)
	}
}

// part returns the measures of n rows from first on.
func (m *measures) part(first, n int) measures {
	return measures{piece(m.n2, first, n), piece(m.multipliers, first, n), piece(m.betas, first, n), piece(m.tails, first, n)}
}

// piece returns n entries from first on; of nil, nil.
func piece[T any](s []T, first, n int) []T {
	if s == nil {
		return nil
	}
	return s[first : first+n]
}

// copyFrom copies the measures of row j of o to row i.
func (m *measures) copyFrom(i int, o measures, j int) {
	m.n2[i] = o.n2[j]
	if m.multipliers != nil {
		m.multipliers[i] = o.multipliers[j]
	}
	if m.betas != nil {
		m.betas[i] = o.betas[j]
	}
	if m.tails != nil {
		m.tails[i] = o.tails[j]
	}
}

// beta is β of row i.
func (m *measures) beta(i int) int64 {
	if m.betas == nil {
		return 1
	}
	return int64(m.betas[i])
}

// tail is the intercept of row i.
func (m *measures) tail(i int) int64 {
	if m.tails == nil {
		return 0
	}
	return int64(m.tails[i])
}

// multiplier is what one of the integers of row i stands for.
func (m *measures) multiplier(i int, f *frame) float64 {
	if m.multipliers == nil {
		return f.unit
	}
	return float64(m.multipliers[i])
}

// measure computes and keeps the measures of all rows, if they are to be kept. It reads all of them.
func (r *Rows) measure() error {
	r.measures = measures{}
	keep := r.file == nil || r.file.keepsMeasures()
	var all measures
	if keep {
		all = r.frame.newMeasures(r.count, measures{})
	}
	var lock sync.Mutex
	var failed error
	parallel(r.count, func(from, to int) {
		err := r.eachPayload(from, to, func(x payload, at int) {
			if keep {
				r.frame.measureAll(all.part(at, x.count()), x)
			}
		})
		lock.Lock()
		defer lock.Unlock()
		failed = errors.Join(failed, err)
	})
	r.measures = all
	return failed
}

// Seen returns the same records, in the same memory, seen from another frame.
func (r *Rows) Seen(f Frame) (*Rows, error) {
	out := *r // of the same origin
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
	narrow  []float32 // the weights of the rows' own coordinates, column after column
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
	s.narrow, s.weighed = narrow, r.form.weigh(narrow, columns)
	return s
}

// Scores writes the products of the rows of a block, as they are seen, with the columns of the weights to
// dst, of length block length × columns, row-major. A row's scores have the same bits in every
// block. They differ from the exact ones as linalg.Margins says, scaled like the row.
func (s *Scorer) Scores(dst []float32, b Block) {
	b.x.margins(dst, s.weighed, s.columns)
	s.finish(dst, b)
}

// finish turns the products with the rows' own integers into those with the rows as they are seen.
func (s *Scorer) finish(dst []float32, b Block) {
	r := s.rows
	if r.frame.m == nil && b.tails == nil {
		s.scale1(dst, b)
		return
	}
	for i := range b.Len() {
		unit, beta, tail := b.multiplier(i, &r.frame), float64(b.beta(i)), float64(b.tail(i))
		scale := unit * s.scale
		if s.columns == 1 {
			dst[i] = float32(float64(scale*float64(dst[i])) + float64(unit*(float64(tail*s.tails[0])-float64(beta*s.centers[0]))))
			continue
		}
		row := dst[i*s.columns : (i+1)*s.columns]
		for k, v := range row {
			row[k] = float32(float64(scale*float64(v)) + float64(unit*(float64(tail*s.tails[k])-float64(beta*s.centers[k]))))
		}
	}
}

// scale1 multiplies by the rows' multipliers alone.
func (s *Scorer) scale1(dst []float32, b Block) {
	for i := range b.Len() {
		unit := float32(b.multiplier(i, &s.rows.frame))
		row := dst[i*s.columns : (i+1)*s.columns]
		for k := range row {
			row[k] *= unit
		}
	}
}
