package evaluate

import "math"

// Rows of one person may agree. So a sum over rows varies more, from one draw of persons to
// another, than if each row were drawn by itself. The variance of Σ ψ(row) is the sum over persons
// of (Σ ψ(row))². It has two parts: that of single rows, which the sums over rows give, and Σ
// ψ(row)·ψ(other) over the ordered pairs of different rows of one person. So pairs are released as
// rows are, by kinds. (Taylor linearization for clustered samples: Cochran, "Sampling Techniques",
// 3rd edition, Wiley 1977, section 9A.)
//
// Two levels. A row is of one of four kinds, true level by predicted level. An ordered pair adds 1
// to one of ten cells, the unordered pairs of kinds.
//
// More levels. An ordered pair adds 1 to at most three cells:
//
//   - to one of the cells right and right, right and wrong, or wrong and wrong
//   - to one of the same three cells of level k, where both rows are predicted as level k
//   - to one of the same three cells of the true level, where both rows have one true level
//   - or, where the true levels differ, to one cell of the true level of the first row
//
// Numbers. A row is of nine kinds in parts that are not negative and have the sum 1. The parts are
// products of two Bernstein polynomials of degree 2, in a and in (1+t)/2. A pair adds the products
// of the parts to the 45 unordered pairs of kinds, in all 1.
//
// So k rows add at most k·(k-1) to each family of cells, in the L1 norm and in the L2 norm. Rows of
// one kind reach it. With groups the pairs inside each group have a block of their own, and one
// more block has the pairs of rows of different groups. So each pair is in one block.

const (
	// labelKinds are the kinds of a row of two levels, and numberKinds the kinds where the target
	// is a number.
	labelKinds, numberKinds = 4, 9
	// manyFamilies are the families of cells of pairs for more than two levels.
	manyFamilies = 3
	// rightKinds are right and wrong; they have three unordered pairs.
	rightKinds = 2
)

// pairShare returns the bound of one record's contribution to the sums over pairs in the release,
// over its number of rows. It makes the noise on all other numbers larger: by 9 % under Laplace
// noise, and by less than 10 % under Gaussian noise, whose bound is the root of a sum of squares.
// Where the target is a number it is 40 % under Laplace noise. Even so the 25 sums over rows leave
// less noise in the measures than the ten moments would.
func (p Plan) pairShare() float64 {
	switch {
	case !p.paired():
		return 0
	case p.Noise == noiseGaussian:
		return 0.44
	case p.regression():
		return 0.4
	}
	return 0.09
}

// pairWeight returns the factor of sums over pairs in the release, so that k rows of a person add
// at most k·pairShare to them.
func (p Plan) pairWeight() float64 {
	families := 1.0
	if len(p.Levels) > 2 {
		families = manyFamilies
	}
	if p.Noise == noiseGaussian {
		families = math.Sqrt(families)
	}
	return p.pairShare() / families / float64(p.maxRows()-1)
}

// pairBlocks returns the number of blocks of sums over pairs: one for each group, and one for pairs
// of rows of different groups.
func (p Plan) pairBlocks() int {
	if p.groups() == 1 {
		return 1
	}
	return p.groups() + 1
}

// perBlock returns the number of sums over pairs of one block.
func (p Plan) perBlock() int {
	switch k := len(p.Levels); {
	case p.regression():
		return triangle(numberKinds)
	case k == 2:
		return triangle(labelKinds)
	default:
		return triangle(rightKinds)*(1+2*k) + k
	}
}

// triangle returns the number of unordered pairs of n kinds, including a kind with itself.
func triangle(n int) int { return n * (n + 1) / 2 }

// addPairs adds the weighted sums over the pairs of a person's rows to dst, which has the sums over
// these rows.
func (p Plan) addPairs(dst []float64, r Records, rows []int) {
	size := p.perBlock()
	pairs := dst[p.rowNumbers():]
	if p.regression() {
		p.addNumberPairs(pairs, r, rows)
	} else {
		p.addLabelPairs(pairs, dst[:p.rowNumbers()])
	}
	if blocks := p.pairBlocks(); blocks > 1 { // the last block has all pairs: leave the pairs of one group out
		for j := range size {
			for b := range blocks - 1 {
				pairs[(blocks-1)*size+j] -= pairs[b*size+j]
			}
		}
	}
	weight := p.pairWeight()
	for j := range pairs {
		pairs[j] *= weight
	}
}

// addLabelPairs writes the pairs of each block, given the person's histogram. With several blocks
// the last has the pairs of all rows.
func (p Plan) addLabelPairs(pairs, histogram []float64) {
	levels, size := len(p.Levels), p.perBlock()
	whole, kinds := make([]float64, levels*levels), make([]float64, levels*levels)
	for g := range p.groups() {
		clear(kinds)
		seen := false
		for j, v := range histogram[g*p.perGroup() : (g+1)*p.perGroup()] {
			if v != 0 {
				at := p.place(j)
				kinds[at.truth*levels+at.guess] += v
				whole[at.truth*levels+at.guess] += v
				seen = true
			}
		}
		if seen {
			labelPairs(pairs[g*size:(g+1)*size], kinds, levels)
		}
	}
	if blocks := p.pairBlocks(); blocks > 1 {
		labelPairs(pairs[(blocks-1)*size:], whole, levels)
	}
}

// labelPairs writes the pairs among rows. kinds has the numbers of rows by true and predicted
// level.
func labelPairs(dst, kinds []float64, levels int) {
	if levels == 2 {
		pairsOf(dst, kinds, func(a, b int) float64 {
			if a == b {
				return kinds[a]
			}
			return 0
		})
		return
	}
	right, rows := 0.0, 0.0
	truth, guess := make([]float64, levels), make([]float64, levels)
	for j, v := range kinds {
		truth[j/levels], guess[j%levels], rows = truth[j/levels]+v, guess[j%levels]+v, rows+v
		if j/levels == j%levels {
			right += v
		}
	}
	rightPairs(dst, right, rows-right)
	for k := range levels {
		hits := kinds[k*levels+k]
		rightPairs(dst[guessedPairs(k):], hits, guess[k]-hits)
		rightPairs(dst[truePairs(k, levels):], hits, truth[k]-hits)
		dst[unequalPairs(k, levels)] = truth[k] * (rows - truth[k])
	}
}

// guessedPairs, truePairs and unequalPairs return the places of pairs of rows for a level. In the
// first both rows are predicted as this level. In the second both have this true level. In the
// third the first row alone has it.
func guessedPairs(level int) int         { return triangle(rightKinds) * (1 + level) }
func truePairs(level, levels int) int    { return triangle(rightKinds) * (1 + levels + level) }
func unequalPairs(level, levels int) int { return triangle(rightKinds)*(1+2*levels) + level }

// rightPairs writes the pairs among this many right and wrong rows.
func rightPairs(dst []float64, right, wrong float64) {
	dst[0], dst[1], dst[2] = right*(right-1), 2*right*wrong, wrong*(wrong-1)
}

// pairsOf writes Σ f_a(i)·f_b(j) over the ordered pairs of different rows i and j, for a ≤ b. Both
// orders of the kinds a and b are added together. It is given sums[a] = Σ f_a(i) and own(a, b) = Σ
// f_a(i)·f_b(i).
func pairsOf(dst, sums []float64, own func(a, b int) float64) {
	at := 0
	for a := range sums {
		for b := a; b < len(sums); b++ {
			v := sums[a]*sums[b] - own(a, b)
			if a != b {
				v *= 2
			}
			dst[at] = v
			at++
		}
	}
}

// addNumberPairs does what addLabelPairs does, where the target is a number.
func (p Plan) addNumberPairs(pairs []float64, r Records, rows []int) {
	size, last := p.perBlock(), p.pairBlocks()-1
	sums, own := make([]float64, (last+1)*numberKinds), make([]float64, (last+1)*numberKinds*numberKinds)
	for _, i := range rows {
		a, t, ok := p.residual(r, i)
		if !ok {
			continue
		}
		var kinds [numberKinds]float64
		bernsteinProducts(kinds[:], 2, a, t)
		note := func(block int) {
			for x, u := range kinds {
				sums[block*numberKinds+x] += u
				for y, v := range kinds {
					own[(block*numberKinds+x)*numberKinds+y] += u * v
				}
			}
		}
		if note(last); last > 0 {
			note(p.groupOf(r, i))
		}
	}
	for b := range last + 1 {
		pairsOf(pairs[b*size:(b+1)*size], sums[b*numberKinds:(b+1)*numberKinds], func(x, y int) float64 { return own[(b*numberKinds+x)*numberKinds+y] })
	}
}
