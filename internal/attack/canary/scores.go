package canary

import "math"

// trace is what the steps of a run let out. Moves of step t are in units of one record's bound: what the
// records of the step add, and noise of deviation z[t].
type trace struct {
	moves [][]float64
	z     []float64
}

// takes says which steps take a record. It is public.
type takes struct {
	// q is the probability of a record in a step that may take it.
	q float64
	// parts is the number of parts that the steps use in turn, each record in one; 0 means no parts.
	parts int
	// anew says that every round divides the records again.
	anew bool
}

// ratio returns the log likelihood ratio of a number with noise of deviation z: 1 added with
// probability q, against nothing added.
func ratio(x, z, q float64) float64 { return math.Log1p(q * math.Expm1((2*x-1)/(2*z*z))) }

// scores returns the score of a level: the log likelihood ratio of the run with its record.
func (t trace) scores(s takes) func(j int) float64 {
	return s.score(len(t.z), func(step, j int) float64 { return ratio(t.moves[step][j], t.z[step], s.q) })
}

// score adds up log likelihood ratios of steps. Of a record in one of several parts nobody knows which,
// so the likelihoods of the parts are averaged.
func (s takes) score(steps int, of func(step, j int) float64) func(j int) float64 {
	if s.parts == 0 {
		return func(j int) float64 {
			sum := 0.0
			for t := range steps {
				sum += of(t, j)
			}
			return sum
		}
	}
	return func(j int) float64 {
		each, sum := make([]float64, s.parts), 0.0
		for t := range steps {
			each[t%s.parts] += of(t, j)
			if s.anew && t%s.parts == s.parts-1 {
				sum += meanOf(each)
				clear(each)
			}
		}
		return sum + meanOf(each)
	}
}

// meanOf returns the logarithm of the mean of numbers whose logarithms are given.
func meanOf(logs []float64) float64 {
	largest, sum := math.Inf(-1), 0.0
	for _, l := range logs {
		largest = max(largest, l)
	}
	for _, l := range logs {
		sum += math.Exp(l - largest)
	}
	return largest + math.Log(sum/float64(len(logs)))
}

// banded returns the scores of steps whose noise a banded matrix correlates. The numbers y_t = Σ_k
// c_k·moves_(t-k) have independent noise. A record of step s adds c_k to y_(s+k). The parts are at
// least as many as the coefficients, so that no step of a record meets another one's.
func (t trace) banded(s takes, coefficients []int64) func(j int) float64 {
	square := 0.0
	for _, c := range coefficients {
		square += float64(c) * float64(c)
	}
	y := make([][]float64, len(t.z))
	for step := range y {
		y[step] = make([]float64, len(t.moves[step]))
		for k := range min(step+1, len(coefficients)) {
			for j, v := range t.moves[step-k] {
				y[step][j] += float64(coefficients[k]) * v
			}
		}
	}
	return s.score(len(y), func(step, j int) float64 {
		sum := 0.0
		for k, c := range coefficients[:min(len(coefficients), len(y)-step)] {
			sum += (2*y[step+k][j] - float64(c)) * float64(c)
		}
		return math.Log1p(s.q * math.Expm1(sum/(2*square*t.z[step]*t.z[step])))
	})
}

// trees returns the scores of rounds whose noise is that of a binary tree: the sum of a round, in
// which every record is once. Its variance follows from that of the tree's levels (Honaker 2015).
func (t trace) trees(parts int) func(j int) float64 {
	variance := 1.0
	for n := parts; n > 1; n /= 2 {
		variance = 1 / (1 + 1/(2*variance))
	}
	return takes{}.score(len(t.z)/parts, func(round, j int) float64 {
		sum := 0.0
		for step := round * parts; step < (round+1)*parts; step++ {
			sum += t.moves[step][j]
		}
		return ratio(sum, math.Sqrt(variance)*t.z[round*parts], 1)
	})
}
