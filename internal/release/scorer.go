package release

import (
	"math"
	"sync"

	"github.com/ditherml/dither/internal/kernel"
)

// Scorer multiplies rows by the weights of a model. It contains the weights in a form that suits
// the rows.
type Scorer struct {
	rows    *Rows
	columns int
	rounded bool
	narrow  []float32 // the weights of the rows' own coordinates, column after column
	weighed products
	centers []float64 // m·w of each column, in units of the grid times M
	tails   []float64 // the weight of the intercept
	scale   float64   // M
}

// Scorer returns a Scorer for these weights. The weights are vectors of length Dim, one after the
// other, and the argument columns is the number of vectors.
func (r *Rows) Scorer(weights []float64, columns int) *Scorer {
	return r.newScorer(weights, columns, false)
}

// RoundedScorer returns a faster Scorer for scores from which only proposals are computed. For rows
// of bytes or 16 bits that kernel.HasIntColumns accepts, it rounds the weights of each column to
// integers (kernel.RoundColumns). For other rows it returns what the method Scorer returns.
func (r *Rows) RoundedScorer(weights []float64, columns int) *Scorer {
	return r.newScorer(weights, columns, true)
}

func (r *Rows) newScorer(weights []float64, columns int, rounded bool) *Scorer {
	s := &Scorer{rows: r, columns: columns, rounded: rounded, centers: make([]float64, columns), tails: make([]float64, columns), scale: math.Ldexp(1, int(r.frame.bits))}
	if r.frame.whitener != nil {
		s.scale = 1 // the weights have it
	}
	narrow, dim := make([]float32, columns*r.dim), r.Dim()
	for k := range columns {
		column, own := weights[k*dim:(k+1)*dim], narrow[k*r.dim:(k+1)*r.dim]
		if r.frame.whitener != nil {
			r.frame.rowWeights(own, column[:r.dim])
		} else {
			for j, w := range column[:r.dim] {
				own[j] = float32(w)
			}
		}
		for j, m := range r.frame.m {
			s.centers[k] += math.Ldexp(float64(m)*column[j], -int(r.frame.shift))
		}
		if dim > r.dim {
			s.tails[k] = column[r.dim]
		}
	}
	weigh := sync.OnceValue(func() products { return r.form.Weigh(narrow, columns, rounded) }) // a group weighs all together
	s.narrow, s.weighed = narrow, func(dst []float32, x storage) { weigh()(dst, x) }
	return s
}

// Scores writes to dst the products of the standardized rows of a block with each column of the
// weights. The slice dst has length b.Len()·columns, row-major. The scores of a row have the same
// bits in every block. They differ from exact scores by at most the error that kernel.Margins or
// kernel.IntColumns states, scaled like the row.
func (s *Scorer) Scores(dst []float32, b Block) {
	s.weighed(dst, b.x)
	s.finish(dst, dst, s.columns, 1, &b)
}

// finish turns products with the rows' own integers into products with the rows as they are seen.
// The steps from one row to the next, and from one column to the next, are given. Dst may be src,
// where rows are the same distance apart.
func (s *Scorer) finish(dst, src []float32, row, column int, b *Block) {
	r := s.rows
	switch {
	case s.columns == 1 && b.multipliers != nil && r.frame.m == nil && b.tails == nil:
		n := b.Len()
		kernel.Multiply(dst[:n], src[:n], b.multipliers[:n])
		return
	case r.frame.m == nil && b.tails == nil:
		s.scaleAll(dst, src, row, column, b)
		return
	case s.columns == 1 && b.multipliers != nil && b.tails != nil:
		n := b.Len()
		kernel.InterceptScores(dst[:n], src[:n], b.multipliers, s.scale, kernel.AffineTerms{Tails: b.tails, Betas: b.betas, Weight: s.tails[0], Center: s.centers[0]})
		return
	}
	for i := range b.Len() {
		unit, beta, tail := b.multiplier(i, &r.frame), float64(b.beta(i)), float64(b.tail(i))
		scale := unit * s.scale
		to, at := dst[i*s.columns:(i+1)*s.columns], i*row
		tails, centers := s.tails[:len(to)], s.centers[:len(to)]
		for k := range to {
			to[k] = float32(float64(scale*float64(src[at])) + float64(unit*(float64(tail*tails[k])-float64(beta*centers[k]))))
			at += column
		}
	}
}

// scaleAll multiplies by the rows' multipliers alone.
func (s *Scorer) scaleAll(dst, src []float32, row, column int, b *Block) {
	unit, units := float32(s.rows.frame.unit), b.multipliers
	if units == nil && row == s.columns { // one factor for all, in one order
		src = src[:b.Len()*row]
		for i, v := range src {
			dst[i] = v * unit
		}
		return
	}
	for i := range b.Len() {
		if units != nil {
			unit = units[i]
		}
		to := dst[i*s.columns : (i+1)*s.columns]
		for k := range to {
			to[k] = src[i*row+k*column] * unit
		}
	}
}

// GroupScorer multiplies rows by the weights of several scorers in one pass.
type GroupScorer struct {
	scorers []*Scorer
	at      []int // the first column of each
	columns int
	weighed products
}

// NewGroupScorer returns a scorer for the weights of all these scorers. The scorers must belong to
// rows with the same stored integers. If all scorers are rounded or none is, the scores have the
// same bits as the scores of the single scorers.
func NewGroupScorer(scorers ...*Scorer) (*GroupScorer, error) {
	g := &GroupScorer{scorers: scorers}
	var narrow []float32
	rounded := true
	for _, s := range scorers {
		rounded = rounded && s.rounded
		if !s.rows.shares(scorers[0].rows) {
			return nil, errShare
		}
		narrow, g.at = append(narrow, s.narrow...), append(g.at, g.columns)
		g.columns += s.columns
	}
	if len(scorers) > 0 {
		g.weighed = scorers[0].rows.form.WeighColumns(narrow, g.columns, rounded)
	}
	return g, nil
}

// Columns returns the number of scores of all models together.
func (g *GroupScorer) Columns() int { return g.columns }

// Multiply writes to margins the products of the stored rows of a block with all weights, column
// after column. The slice margins has length b.Len()·Columns. The method Scores computes scores
// from these products.
func (g *GroupScorer) Multiply(margins []float32, b Block) {
	if g.columns > 0 {
		g.weighed(margins, b.x)
	}
}

// Scores writes to dst the scores of one model, as Scorer.Scores does. The argument margins must
// come from Multiply. The argument b must have the same records as the block of that call,
// standardized for this model.
func (g *GroupScorer) Scores(dst []float32, model int, b *Block, margins []float32) {
	n := b.Len()
	g.scorers[model].finish(dst, margins[g.at[model]*n:], 1, n, b)
}
