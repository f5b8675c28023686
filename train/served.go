package train

import (
	"errors"
	"math"
	"runtime"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/model"
)

// servedRows is the largest number of rows that are mapped together, and servedNumbers that of their features.
const servedRows, servedNumbers = 64, 1 << 20

// servedScorer computes the scores that a linear model gives rows of a table when it serves. It is for one
// goroutine. The scores of a row have the same bits whatever rows stand next to it.
type servedScorer struct {
	m      *model.Model
	step   float64   // of the grid of the table
	scores []float64 // of one row
	x      []float64 // features, one row after the other
	// For rows of all features.
	together int // rows that are mapped together
	row      []int16
	mapped   []float64
	scratch  *feature.Scratch
	// For rows of the features that are not 0.
	entries bool
	index   []uint32
	values  []float32
	square  float64   // of the center
	centers []float64 // the product of the center with the weights of each score
}

func newServedScorer(m *model.Model, rows *release.Rows) *servedScorer {
	f, l := m.Features(), m.Linear()
	d := f.Pipeline.Dim()
	s := &servedScorer{m: m, step: rows.Step(), scores: make([]float64, l.Columns), together: max(1, min(servedRows, servedNumbers/d))}
	s.entries = rows.Entries() && f.Evidence == nil && (f.Whitening == nil || f.Whitening.Scales != nil && f.Center == nil)
	if !s.entries {
		s.row, s.x, s.mapped, s.scratch = make([]int16, d), make([]float64, s.together*d), make([]float64, s.together*f.Dim()), f.NewScratch(s.together)
		return s
	}
	s.square, s.centers = kernel.Dot(f.Center, f.Center), make([]float64, l.Columns)
	for k := range s.centers {
		s.centers[k] = kernel.Dot(f.Center, m.Weights()[k*l.Dim:k*l.Dim+len(f.Center)])
	}
	return s
}

// served returns the scores that a linear model gives the rows of the table, row after row, and the labels of
// the rows. The table has the features of a row, on its grid. The map of the model is applied to them as in
// a prediction, not as in the steps of a descent.
func (t table) served(m *model.Model) (scores, labels []float32, err error) {
	k := m.Linear().Columns
	// The map frames rows itself, and rows of several plans have the frame of the first one.
	if t.rows, err = t.rows.Standardized(release.Standardization{}); err != nil {
		return nil, nil, err
	}
	scores, labels = make([]float32, t.rows.Len()*k), make([]float32, t.rows.Len())
	errs := make([]error, runtime.GOMAXPROCS(0))
	scan := t.rows.Scan(len(errs))
	parallel.Each(len(errs), func(part int) {
		s := newServedScorer(m, t.rows)
		errs[part] = scan.Each(part, func(b release.Block) error {
			if b.Len() > 0 {
				first := b.Record(0) - t.rows.First()
				s.write(scores[first*k:(first+b.Len())*k], b)
				copy(labels[first:], b.Labels())
			}
			return nil
		})
	})
	return scores, labels, errors.Join(errs...)
}

// write writes the scores of the rows of a block.
func (s *servedScorer) write(dst []float32, b release.Block) {
	l, k := s.m.Linear(), len(s.scores)
	for first := 0; first < b.Len(); first += s.together {
		n := min(s.together, b.Len()-first)
		if !s.entries {
			x := s.x[:n*len(s.row)]
			putFeatures(x, s.row, b, first, s.step)
			s.m.Features().ApplyFeatures(s.mapped[:n*l.Dim], x, n, s.scratch)
		}
		for i := range n {
			if s.entries {
				s.ofEntries(&b, first+i)
			} else {
				l.Scores(s.scores, s.mapped[i*l.Dim:(i+1)*l.Dim], s.m.Weights())
			}
			for j, score := range s.scores {
				dst[(first+i)*k+j] = float32(score)
			}
		}
	}
}

// putFeatures writes the features of rows of a block to x, one row after the other. The row is room for one row, and
// step is the width of the grid.
func putFeatures(x []float64, row []int16, b release.Block, first int, step float64) {
	for i := range len(x) / len(row) {
		b.CopyRow(row, first+i)
		for j, v := range row {
			x[i*len(row)+j] = float64(v) * step
		}
	}
}

// ofEntries computes the scores of a row without writing the features that are 0. A mapped row is a multiple of the
// row or of its scaled features, less a multiple of the center, with the constant.
func (s *servedScorer) ofEntries(b *release.Block, i int) {
	f, l, weights := s.m.Features(), s.m.Linear(), s.m.Weights()
	s.index, s.values = b.AppendEntries(i, s.index[:0], s.values[:0])
	s.x = s.x[:0]
	for _, v := range s.values {
		s.x = append(s.x, float64(v))
	}
	norm, shift, constant := kernel.Norm(s.x), 0.0, f.Intercept
	factor := f.Factor(norm)
	switch {
	case f.Whitening != nil:
		for e, j := range s.index {
			s.x[e] *= factor * f.Whitening.Scales[j]
		}
		norm = kernel.Norm(s.x)
		factor = f.Factor(norm)
	case f.Center != nil:
		square, rest := 0.0, s.square
		for e, j := range s.index {
			c := f.Center[j]
			square, rest = square+(factor*s.x[e]-c)*(factor*s.x[e]-c), rest-c*c
		}
		norm = math.Sqrt(square + max(0, rest))
		shift = f.Factor(norm)
		factor *= shift
	}
	if constant > 0 && f.Norm == feature.NormUnit {
		last := f.Factor(math.Hypot(f.Factor(norm)*norm, constant))
		factor, shift, constant = factor*last, shift*last, constant*last
	}
	for k := range s.scores {
		column, sum := weights[k*l.Dim:(k+1)*l.Dim], 0.0
		for e, j := range s.index {
			sum += s.x[e] * column[j]
		}
		if s.scores[k] = factor*sum - shift*s.centers[k]; constant > 0 {
			s.scores[k] += constant * column[l.Dim-1]
		}
	}
}
