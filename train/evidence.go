package train

import (
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
)

// levelReach is the square of a distance from the mean, in standard deviations of the noise. Up to
// it, a declared level keeps nothing of its own weight.
const levelReach = 1

// evident returns the map and the weights that serve the model. In this map a state of a column that the records
// hardly show acts like the mean of the column. Such states are missing cells, unknown levels and
// rare levels. All numbers in it were released, so it costs nothing.
//
// A missing cell or an unknown level keeps a share of its own row of the whitening: the probability that records have
// it, by occurs. It takes the rest from the mean of its column.
//
// Let the frequency of a declared level be released as c, with noise of standard deviation τ. The level keeps the share
// max(0, 1 - (τ/c)²), or what its weight calls for by the same rule, if that is more. This is the positive-part estimator
// of W. James and C. Stein, "Estimation with quadratic loss", 1961, shrunk to the mean as B. Efron and C. Morris do
// in "Stein's estimation rule and its competitors", JASA 1973.
//
// Rows are scaled to norm 1 twice. So the mean of a column also has to keep the norm of a row: for
// the first scaling by what a further indicator takes from other features, for the second by a
// direction that no score depends on.
//
// The weights of the constant are moved by steadied. The other weights stay.
//
// Rows that are not whitened, not of norm 1 or of persons are treated by shares.
func (ready *prepared) evident(p Plan, weights []float64, weightNoise float64) (*feature.Map, []float64) {
	m, noise := ready.features, ready.centerNoise(p)
	switch p.stateRule(m) {
	case filledStates:
		return filled(m, noise), weights
	case whitenedStates:
	default:
		return m, weights
	}
	w, d := m.Whitening, m.Pipeline.Dim()
	e := evidence{Map: m, dim: d, noise: noise, weights: weights, weightNoise: weightNoise, unseen: orthonormal(weights, d, m.Dim())}
	e.scale = encoder.MeanScale(m.Names(), m.Center)
	out := append([]float64(nil), w.Matrix...)
	for _, states := range e.columns() {
		e.shrink(out, states)
	}
	served := *m
	served.Whitening = &feature.Whitening{Matrix: out}
	if p.Clipping.ParameterRadius > 0 {
		return &served, weights // their norm is bounded
	}
	return &served, e.steadied(served.Whitening, max(ready.whitened.unbiased, ready.whitened.energy*leastEnergy))
}

// filled returns a map in which missing cells and unknown levels keep the shares of themselves that their frequencies
// call for. The rest becomes the mean of the column, before the row is normalized. So the states act like
// an ordinary row, and other rows stay as they are. The result is m itself if there are no such states.
//
// If records are persons, the center weighs a person's rows together. A state of no row still has the frequency 0 with
// the noise of the center. The frequencies of a column's states still have the right ratios.
func filled(m *feature.Map, noise float64) *feature.Map {
	names, d := m.Names(), m.Pipeline.Dim()
	e := evidence{Map: m, dim: d, noise: noise, scale: encoder.MeanScale(names, m.Center)}
	kept, some := make([]float64, d), false
	for j, n := range names {
		kept[j] = 1
		if n.Aside {
			kept[j], some = e.seen(j), true
		}
	}
	if !some {
		return m
	}
	out := *m
	out.Evidence, out.Means = kept, e.means()
	return &out
}

// means returns the features of the mean of each column, before normalization. A number has its released mean, divided
// by the mean scale of rows. A state has its share of the column: its released frequency, as far as it stands out of
// the noise by the rule of declared levels. A place that no learned level takes has none.
func (e *evidence) means() []float64 {
	out := make([]float64, e.dim)
	for _, s := range e.columns() {
		if s.number >= 0 {
			out[s.number] = max(0, min(1, e.Center[s.number]/e.scale))
			continue
		}
		sum := 0.0
		for j := s.first; j < s.end; j++ {
			if !e.Names()[j].Unused {
				out[j] = e.seen(j) * max(0, e.Center[j])
				sum += out[j]
			}
		}
		for j := s.first; sum > 0 && j < s.end; j++ {
			out[j] /= sum
		}
	}
	return out
}

// leastEnergy is the least mean square of whitened rows, as a share of its estimate, and leastSquare that of centered rows.
const leastEnergy, leastSquare = 0.25, 0.1

// steadied returns the weights with other weights of the constant. With them mean scores stay about as they were in
// the descent, although the map has another whitening. The energy is the mean square of whitened rows, or 0 if
// it is not known.
//
// Every row is centered by released means, and so by their noise. A state that never occurs then moves every score. Let
// a state have the frequency c and keep the share s by it. The noise is estimated as n = (1-s)·c. Then
// centered rows have the mean square 1 - Σ(2s-1)·c², to which they are normalized. Whitened rows have the mean -Σn·w for the
// rows w of the whitening, in these units. It adds its square to the energy, to which they are normalized. No mean of
// rows is longer than the root of their mean square, so the energy counts as at least the square of this mean.
func (e *evidence) steadied(served *feature.Whitening, energy float64) []float64 {
	if !(energy > 0) || e.Intercept == 0 {
		return e.weights
	}
	noise, square := make([]float64, e.dim), 1.0
	for j, n := range e.Names() {
		c, share := e.Center[j], 1.0
		if n.Level != "" {
			share = e.seen(j)
		}
		noise[j] = (1 - share) * c
		square -= (2*share - 1) * c * c
	}
	for j := range noise {
		noise[j] /= math.Sqrt(max(leastSquare, square))
	}
	before, after := e.whitened(noise), make([]float64, e.dim)
	served.Multiply(after, noise)
	energy = max(energy, kernel.Dot(before, before))
	later := max(energy*leastEnergy, energy+kernel.Dot(after, after)-kernel.Dot(before, before))
	later = max(later, kernel.Dot(after, after))
	out := append([]float64(nil), e.weights...)
	for w := out; len(w) >= e.Dim(); w = w[e.Dim():] {
		w[e.dim] += (kernel.Dot(after, w[:e.dim])/math.Sqrt(later) - kernel.Dot(before, w[:e.dim])/math.Sqrt(energy)) / e.Intercept
	}
	return out
}

// seen returns the share of its own row of the whitening that a state keeps by its frequency.
func (e *evidence) seen(state int) float64 {
	if e.Names()[state].Aside {
		return occurs(e.Center[state], e.noise, e.scale)
	}
	return kept(max(0, e.Center[state])/e.noise, levelReach)
}

// centerNoise returns the standard deviation of the noise in a number of the center, or 0 if it was
// not released by itself.
func (ready *prepared) centerNoise(p Plan) float64 {
	for _, s := range p.Preparation {
		if s.Kind == option.MeanStatistic {
			return s.NoiseMultiplier * s.Bound / ready.divisor
		}
	}
	return 0
}

// evidence is what was released about the states of columns.
type evidence struct {
	*feature.Map
	dim   int
	noise float64
	// scale is the mean of 1 divided by the norm of the features of a row.
	scale float64
	// weights belong to all scores. weightNoise is the standard deviation of their noise, or 0 if it
	// is not known.
	weights     []float64
	weightNoise float64
	// unseen are the weights of all scores, made orthonormal.
	unseen [][]float64
}

// states are the features of one column. number is the place of a plain number, or -1.
type states struct {
	first, end, number int
}

// columns returns the features of each column. Features of one column stand together.
func (e *evidence) columns() (out []states) {
	names := e.Names()
	for j := 0; j < len(names); {
		s := states{first: j, number: -1}
		for ; j < len(names) && names[j].Column == names[s.first].Column; j++ {
			if names[j].Level == "" {
				s.number = j
			}
		}
		s.end = j
		out = append(out, s)
	}
	return out
}

// frequencies returns the sum of the released frequencies of a column's states, each at least 0.
func (e *evidence) frequencies(s states) (sum float64) {
	for _, c := range e.Center[s.first:s.end] {
		sum += max(0, c)
	}
	return sum
}

// shrink writes the rows of the whitening of a column's states to out.
func (e *evidence) shrink(out []float64, s states) {
	mean, energy := e.mean(s)
	for j := s.first; j < s.end; j++ {
		if j == s.number {
			continue
		}
		row := out[j*e.dim : (j+1)*e.dim]
		share := e.share(j, row, mean)
		free := e.free(row)
		for k := range row {
			row[k] = share*row[k] + (1-share)*(mean[k]+energy*free[k])
		}
	}
}

// share returns the share of its own row of the whitening that a state keeps. A declared level keeps
// what its frequency or its weights in all scores call for, whichever is more. Without a bound on
// the noise of weights it keeps all.
func (e *evidence) share(state int, row, mean []float64) float64 {
	if e.Names()[state].Aside {
		return e.seen(state)
	}
	if e.weightNoise == 0 {
		return 1
	}
	square := 0.0
	for k := range row {
		square += (row[k] - mean[k]) * (row[k] - mean[k])
	}
	if !(square > 0) { // the state is the mean
		return 1
	}
	strongest, stride := 0.0, e.Dim()
	for w := e.weights; len(w) >= stride; w = w[stride:] {
		moved := kernel.Dot(row, w[:e.dim]) - kernel.Dot(mean, w[:e.dim])
		strongest = max(strongest, math.Abs(moved)/(e.weightNoise*math.Sqrt(square)))
	}
	return max(e.seen(state), kept(strongest, levelReach))
}

// kept returns the share that the positive-part estimator keeps of a number that is z standard
// deviations from its mean. The argument reach is the square of the distance up to which it keeps
// nothing.
func kept(z, reach float64) float64 { return max(0, 1-reach/(z*z)) }

// mean returns what a cell without evidence adds to a whitened row, multiplied by the norm of the
// row's features. The result energy is the length of the direction that keeps the norm of the
// whitened row.
func (e *evidence) mean(s states) (row []float64, energy float64) {
	norm := 1 / e.scale
	with := norm // with the indicator of a missing cell
	if s.number >= 0 {
		number := e.Center[s.number] * norm
		with = math.Sqrt(norm*norm + max(0, 1-number*number))
	}
	x, sum := make([]float64, e.dim), e.frequencies(s)
	for k, c := range e.Center {
		switch {
		case k < s.first || k >= s.end:
			x[k] = (with - norm) * c
		case s.number < 0 && sum > 0:
			x[k] = max(0, c) / sum
		case k == s.number:
			x[k] = c * with
		}
	}
	if s.number >= 0 || !(sum > 0) {
		return e.whitened(x), 0
	}
	square := 0.0
	for k := s.first; k < s.end; k++ {
		x[k]--
		y := e.whitened(x)
		square += max(0, e.Center[k]) / sum * kernel.Dot(y, y)
		x[k]++
	}
	return e.whitened(x), math.Sqrt(square)
}

// whitened returns the product of features with the whitening.
func (e *evidence) whitened(x []float64) []float64 {
	y := make([]float64, e.dim)
	e.Whitening.Multiply(y, x)
	return y
}

// free returns the direction of a row in which no score changes, of length 1, or zeros.
func (e *evidence) free(row []float64) []float64 {
	return without(append([]float64(nil), row...), e.unseen)
}

// without makes x orthogonal to orthonormal vectors and scales it to length 1. Of a vector that
// they span it makes zeros.
func without(x []float64, vectors [][]float64) []float64 {
	before := kernel.Dot(x, x)
	for _, v := range vectors {
		along := kernel.Dot(x, v)
		for k := range x {
			x[k] -= along * v[k]
		}
	}
	length := kernel.Dot(x, x)
	if !(length > 1e-12*before) {
		clear(x)
		return x
	}
	for k := range x {
		x[k] /= math.Sqrt(length)
	}
	return x
}

// orthonormal returns orthonormal vectors that span the weights of the scores, without the weights
// of constants. Each score has stride weights, the first d for features.
func orthonormal(weights []float64, d, stride int) (out [][]float64) {
	for ; len(weights) >= stride; weights = weights[stride:] {
		out = append(out, without(append([]float64(nil), weights[:d]...), out))
	}
	return out
}
