package evaluate

import "math"

// counts is the noisy histogram of one group, or the sum of the histograms of all groups.
type counts struct {
	plan  *Plan
	cells []float64
	noise float64 // variance of the noise on a cell
	// pairs are the sums over pairs of rows of one person, nil where a record is a row.
	pairs []float64
	spread
}

// spread returns the error model of the numbers of one group.
func (p *Plan) spread() spread {
	s := spread{most: p.maxRows()}
	if p.Noise == noiseLaplace {
		s.single = p.variance()
	}
	if p.paired() {
		s.pair = p.variance() / p.pairWeight() / p.pairWeight()
	}
	return s
}

// countsOf splits released numbers into the sum over the groups and the groups.
func (p *Plan) countsOf(numbers []float64) (all counts, groups []counts) {
	n := p.perGroup()
	all = counts{p, make([]float64, n), p.variance() * float64(p.groups()), p.pairsOf(numbers, -1), p.spread()}
	all.pair *= float64(p.pairBlocks())
	for g := range p.groups() {
		cells := numbers[g*n : (g+1)*n]
		groups = append(groups, counts{p, cells, p.variance(), p.pairsOf(numbers, g), p.spread()})
		for j, v := range cells {
			all.cells[j] += v
		}
	}
	return all, groups
}

// pairsOf returns the sums over the pairs of rows of one group, or of all rows where the group is
// -1. It is nil where a record has one row.
func (p *Plan) pairsOf(numbers []float64, group int) []float64 {
	if !p.paired() {
		return nil
	}
	size := p.perBlock()
	out := make([]float64, size)
	for b := range p.pairBlocks() {
		if group < 0 || b == group {
			for j := range out {
				out[j] += numbers[p.rowNumbers()+b*size+j] / p.pairWeight()
			}
		}
	}
	return out
}

// place is the meaning of a cell.
type place struct{ truth, guess, bin int }

// place returns the meaning of cell j: the true level, the predicted one, and the score's bin.
func (p *Plan) place(j int) place {
	bin, levels := j%p.bins(), j/p.bins()
	if k := len(p.Levels); k > 2 {
		return place{levels / k, levels % k, bin}
	}
	at := place{truth: levels, bin: bin}
	if p.Edges[bin] >= p.Threshold {
		at.guess = 1
	}
	return at
}

// sum returns the sum of the chosen cells, and their number.
func (c counts) sum(chosen func(place) bool) (total, cells float64) {
	for j, v := range c.cells {
		if chosen(c.plan.place(j)) {
			total += v
			cells++
		}
	}
	return total, cells
}

// share returns the share of a part in the whole, which is the part and the rest. pairs are the
// terms of the pairs that it needs, nil where they were not released.
func (c counts) share(part, rest func(place) bool, pairs []term) Estimate {
	return c.shares(c.shareRatio(part, rest, pairs))
}

func (c counts) shareRatio(part, rest func(place) bool, pairs []term) ratio {
	a, m := c.sum(part)
	b, n := c.sum(rest)
	return rate(a, b, m*c.noise, n*c.noise, pairs)
}

// records returns the number of records. Its interval allows for the noise alone.
func (c counts) records() Estimate {
	total, cells := c.sum(func(place) bool { return true })
	most := float64(c.plan.MaxRecords)
	return around(total, c.countReach(cells), 0, most)
}

// accuracy returns the share of right predictions.
func (c counts) accuracy() Estimate {
	right := func(p place) bool { return p.truth == p.guess }
	wrong := func(p place) bool { return p.truth != p.guess }
	return c.share(right, wrong, c.pairTerms(0, right, wrong))
}

// recall returns the share of the records of a level that are predicted as this level.
func (c counts) recall(level int) Estimate {
	hit := func(p place) bool { return p.truth == level && p.guess == level }
	miss := func(p place) bool { return p.truth == level && p.guess != level }
	return c.share(hit, miss, c.pairTerms(truePairs(level, len(c.plan.Levels)), hit, miss))
}

// precision returns the share of the predictions of a level that are right.
func (c counts) precision(level int) Estimate {
	hit := func(p place) bool { return p.guess == level && p.truth == level }
	wrong := func(p place) bool { return p.guess == level && p.truth != level }
	return c.share(hit, wrong, c.pairTerms(guessedPairs(level), hit, wrong))
}

// falseAlarms returns the share of the records of level 0 that are predicted as level 1, for two
// levels.
func (c counts) falseAlarms() Estimate {
	alarm := func(p place) bool { return p.truth == 0 && p.guess == 1 }
	quiet := func(p place) bool { return p.truth == 0 && p.guess == 0 }
	return c.share(alarm, quiet, c.pairTerms(-1, alarm, quiet))
}

// prevalenceRatio returns the share of the records of a level.
func (c counts) prevalenceRatio(level int) ratio {
	of := func(p place) bool { return p.truth == level }
	other := func(p place) bool { return p.truth != level }
	if c.pairs != nil && len(c.plan.Levels) > 2 {
		return c.shareRatio(of, other, c.prevalenceTerms(level))
	}
	return c.shareRatio(of, other, c.pairTerms(-1, of, other))
}

// confusion returns noisy counts of shape [true level][predicted level]; they may be negative.
func (c counts) confusion() [][]float64 {
	out := make([][]float64, len(c.plan.Levels))
	for k := range out {
		out[k] = make([]float64, len(out))
	}
	for j, v := range c.cells {
		at := c.plan.place(j)
		out[at.truth][at.guess] += v
	}
	return out
}

// countReach returns the half width of the interval of a sum of cells, for the noise alone.
func (c counts) countReach(cells float64) float64 {
	noise := cells * c.noise
	return c.quantile(noise, noise) * math.Sqrt(noise)
}
