package evaluate

import "math"

// counts is the noisy histogram of one group, or the sum of those of all groups.
type counts struct {
	plan  *Plan
	cells []float64
	noise float64 // variance of the noise on a cell
	spread
}

// spread says how the numbers of one group err.
func (p *Plan) spread() spread {
	s := spread{rows: float64(p.maxRows())}
	if p.Noise == NoiseLaplace {
		s.single = p.Variance()
	}
	return s
}

// countsOf splits released numbers into the sum over the groups and the groups.
func (p *Plan) countsOf(numbers []float64) (all counts, groups []counts) {
	n := p.perGroup()
	all = counts{p, make([]float64, n), p.Variance() * float64(p.groups()), p.spread()}
	for g := range p.groups() {
		cells := numbers[g*n : (g+1)*n]
		groups = append(groups, counts{p, cells, p.Variance(), p.spread()})
		for j, v := range cells {
			all.cells[j] += v
		}
	}
	return all, groups
}

// place is what a cell stands for.
type place struct{ truth, guess, bin int }

// place tells what cell j stands for: the true level, the predicted one, and the score's bin.
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

// sum adds up the cells that are chosen, and counts them.
func (c counts) sum(chosen func(place) bool) (total, cells float64) {
	for j, v := range c.cells {
		if chosen(c.plan.place(j)) {
			total += v
			cells++
		}
	}
	return total, cells
}

// share is the share of a part among a whole that is made of it and the rest.
func (c counts) share(part, rest func(place) bool) Estimate {
	a, m := c.sum(part)
	b, n := c.sum(rest)
	return c.rate(a, b, m*c.noise, n*c.noise)
}

// records is the number of records; its interval allows for the noise alone.
func (c counts) records() Estimate {
	total, cells := c.sum(func(place) bool { return true })
	most := float64(c.plan.MaxRecords)
	return around(total, c.countReach(cells), 0, most)
}

// accuracy is the share of right predictions.
func (c counts) accuracy() Estimate {
	return c.share(func(p place) bool { return p.truth == p.guess }, func(p place) bool { return p.truth != p.guess })
}

// recall is the share of the records of a level that are predicted so.
func (c counts) recall(level int) Estimate {
	return c.share(func(p place) bool { return p.truth == level && p.guess == level }, func(p place) bool { return p.truth == level && p.guess != level })
}

// precision is the share of the predictions of a level that are right.
func (c counts) precision(level int) Estimate {
	return c.share(func(p place) bool { return p.guess == level && p.truth == level }, func(p place) bool { return p.guess == level && p.truth != level })
}

// falseAlarms is the share of the records of level 0 that are predicted to be of level 1.
func (c counts) falseAlarms() Estimate {
	return c.share(func(p place) bool { return p.truth == 0 && p.guess == 1 }, func(p place) bool { return p.truth == 0 && p.guess == 0 })
}

// prevalence is the share of the records of a level.
func (c counts) prevalence(level int) Estimate {
	return c.share(func(p place) bool { return p.truth == level }, func(p place) bool { return p.truth != level })
}

// confusion has shape [true level][predicted level]: noisy counts, which may be negative.
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

// countReach is how far the interval of a sum of cells goes, for the noise alone.
func (c counts) countReach(cells float64) float64 {
	noise := cells * c.noise
	return c.quantile(noise, noise) * math.Sqrt(noise)
}
