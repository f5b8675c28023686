package dynamics

import "math"

// Clipping is a weighting of gradients. It need not bound them: nothing here is private.
type Clipping struct {
	Name string
	// Groups are the numbers of blocks in each part of the gradient that is weighted by its own
	// norm.
	Groups []int
	// Weight returns the factor of the part of a record's gradient in a group, from its norm. nil
	// means always 1.
	Weight func(group int, norm float64) float64
	// Most is the largest weight. Descents divide their learning rate by it, so that all rules have
	// equally stable steps. 0 means 1.
	Most float64
	// Bound is the largest norm of one record's weighted gradient. It is the unit of the noise of
	// descents.
	Bound float64
}

// scales returns the weights of each group for each record, from the last call of at.
func (w *pass) scales(c Clipping) [][]float64 {
	out, first := make([][]float64, len(c.Groups)), 0
	for r, count := range c.Groups {
		out[r] = make([]float64, len(w.Labels))
		for i := range out[r] {
			out[r][i] = c.weight(r, math.Sqrt(w.square(i, first, first+count)))
		}
		first += count
	}
	return out
}

// square returns the squared norm of a record's gradient in the blocks from first to end.
func (w *pass) square(record, first, end int) float64 {
	sum := 0.0
	for b := first; b < end; b++ {
		sum += w.squares[b][record]
	}
	return sum
}

func (c Clipping) weight(group int, norm float64) float64 {
	if c.Weight == nil {
		return 1
	}
	return c.Weight(group, norm)
}

func (c Clipping) most() float64 {
	if c.Most > 0 {
		return c.Most
	}
	return 1
}

// Scales returns the weights that a clipping gives to each record, one list for each group, at the
// problem's weights.
func Scales(p Problem, c Clipping) ([][]float64, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.checkGroups(c.Groups); err != nil {
		return nil, err
	}
	w := newPass(p)
	w.at(p.Weights)
	return w.scales(c), nil
}
