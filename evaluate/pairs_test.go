package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/query"
)

// plainKinds are the parts of the kinds that a row is of, by the definition: the binomial formula for numbers.
func plainKinds(p Plan, r Records, i int) []float64 {
	out := make([]float64, labelKinds)
	if p.regression() {
		a, t, ok := p.residual(r, i)
		if !ok {
			return nil
		}
		x, y := [3]float64{(1 - a) * (1 - a), 2 * a * (1 - a), a * a}, [3]float64{(1 - t) * (1 - t) / 4, (1 - t*t) / 2, (1 + t) * (1 + t) / 4}
		out = nil
		for _, v := range x {
			for _, w := range y {
				out = append(out, v*w)
			}
		}
		return out
	}
	at, ok := placeOf(p, r, i)
	if !ok {
		return nil
	}
	out[2*at.truth+at.guess] = 1
	return out
}

// placeOf is the place of a row, false for one that has none.
func placeOf(p Plan, r Records, i int) (place, bool) {
	outputs := len(r.Predictions) / len(r.Targets)
	cell := p.cell(r.Targets[i], r.Predictions[i*outputs:(i+1)*outputs])
	if cell < 0 {
		return place{}, false
	}
	return p.place(cell), true
}

// plainPair adds what one ordered pair of rows adds to a block.
func plainPair(dst []float64, p Plan, r Records, i, j int) {
	if len(p.Levels) <= 2 {
		x, y, cell := plainKinds(p, r, i), plainKinds(p, r, j), 0
		for a := range x {
			for b := a; b < len(x) && y != nil; b++ {
				if dst[cell] += x[a] * y[b]; a != b {
					dst[cell] += x[b] * y[a]
				}
				cell++
			}
		}
		return
	}
	x, okX := placeOf(p, r, i)
	y, okY := placeOf(p, r, j)
	if !okX || !okY {
		return
	}
	wrong, k := 0, len(p.Levels)
	for _, at := range []place{x, y} {
		if at.truth != at.guess {
			wrong++
		}
	}
	dst[wrong]++
	if x.guess == y.guess {
		dst[3+3*x.guess+wrong]++
	}
	if x.truth == y.truth {
		dst[3+3*k+3*x.truth+wrong]++
	} else {
		dst[3+6*k+x.truth]++
	}
}

// TestPairsAreThoseOfTheRows compares the released sums over pairs, without noise, with loops over
// the pairs of rows of each person. Some rows lack a prediction, and some persons have more rows
// than are used.
func TestPairsAreThoseOfTheRows(t *testing.T) {
	for name, p := range testPlans() {
		if !p.paired() {
			continue
		}
		random, most := rand.New(rand.NewPCG(21, 4)), 0.0
		for range 60 {
			r := randomRecords(random, p, 30)
			size, want := p.perBlock(), make([]float64, p.Numbers()-p.rowNumbers())
			for _, rows := range r.Persons {
				rows = rows[:min(len(rows), p.Person.MaxRows)]
				for _, i := range rows {
					for _, j := range rows {
						if i == j {
							continue
						}
						block := p.groupOf(r, i)
						if block != p.groupOf(r, j) {
							block = p.pairBlocks() - 1
						}
						plainPair(want[block*size:(block+1)*size], p, r, i, j)
					}
				}
			}
			for j, v := range exactSum(p, r)[p.rowNumbers():] {
				if math.Abs(v/p.pairWeight()-want[j]) > 1e-9 {
					t.Fatalf("%s: sum %d over pairs is %v, want %v", name, j, v/p.pairWeight(), want[j])
				}
				most = max(most, want[j])
			}
		}
		if most < 2 {
			t.Errorf("%s: no sum over pairs is more than %v", name, most)
		}
	}
}

// TestPairsRaiseTheBoundALittle holds the bound of persons to that of their rows, times what pairs may cost.
func TestPairsRaiseTheBoundALittle(t *testing.T) {
	for name, p := range testPlans() {
		limit := 1.1
		if p.regression() && p.Noise == noiseLaplace {
			limit = 1.4 + 1e-12
		}
		for _, k := range []int{2, 3, 50} {
			if p.Person == nil {
				continue
			}
			p.Person = &query.Person{Column: "id", MaxRows: k}
			if p.Form = p.form(); p.Validate() != nil {
				t.Fatal(p.Validate())
			}
			if got := p.bound() / p.rowBound() / float64(k); !(got > 1) || got > limit {
				t.Errorf("%s, %d rows: the bound is %v of that of rows, want more than 1 and at most %v", name, k, got, limit)
			}
		}
	}
}

// TestSumsOverPairsMakeTheVariance compares Σ over persons of (Σ ψ)² for each share and mean, computed from the
// records, with what the release gives without noise: the sampling part at the value.
func TestSumsOverPairsMakeTheVariance(t *testing.T) {
	for _, name := range []string{"two levels, persons", "groups, persons", "three levels, persons", "number, persons", "number, gaussian, persons"} {
		p := testPlans()[name]
		r := randomRecords(rand.New(rand.NewPCG(5, 8)), p, 200)
		numbers := exactSum(p, r)
		all, _ := p.countsOf(numbers)
		for measure, m := range ratiosOf(all) {
			want := 0.0
			for _, rows := range r.Persons {
				sum := 0.0
				for _, i := range rows[:min(len(rows), p.Person.MaxRows)] {
					sum += m.influence(r, i)
				}
				want += sum * sum
			}
			v := all.variances(all.folded(m.ratio), 1, m.a/m.w)
			if got := v.guess - v.noise; !(want > 1e-3) || math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s, %s: the sampling part is %v, want %v", name, measure, got, want)
			}
		}
	}
}

// measured is a ratio and what a row adds to a - θ·w at its value.
type measured struct {
	ratio
	influence func(r Records, i int) float64
}

// ratiosOf are all ratios of a release.
func ratiosOf(c counts) map[string]measured {
	out := map[string]measured{}
	if c.plan.regression() {
		ratioOf := func(name string, above, under polynomial) {
			v := c.ratioOf(above, under)
			out[name] = measured{v, func(r Records, i int) float64 {
				a, t, ok := c.plan.residual(r, i)
				if !ok {
					return 0
				}
				return above.at(a, t) - v.a/v.w*under.at(a, t)
			}}
		}
		mu := c.dot(polynomial{{0, 1}}) / c.dot(polynomial{{1}})
		ratioOf("mean square", polynomial{2: {1}}, polynomial{{1}})
		ratioOf("mean magnitude", polynomial{1: {1}}, polynomial{{1}})
		ratioOf("unexplained", polynomial{2: {0.7}}, polynomial{{mu * mu, -2 * mu, 1}})
		return out
	}
	share := func(name string, part, rest func(place) bool, pairs []term) {
		a, _ := c.sum(part)
		b, _ := c.sum(rest)
		v := ratio{a: a, w: a + b, rows: quad{0, a + b, -a - b}, pairs: pairs}
		out[name] = measured{v, func(r Records, i int) float64 {
			at, ok := placeOf(*c.plan, r, i)
			switch theta := v.a / v.w; {
			case ok && part(at):
				return 1 - theta
			case ok && rest(at):
				return -theta
			}
			return 0
		}}
	}
	right, wrong := func(p place) bool { return p.truth == p.guess }, func(p place) bool { return p.truth != p.guess }
	share("accuracy", right, wrong, c.pairTerms(0, right, wrong))
	for k, level := range c.plan.Levels {
		of := func(truth, guess bool) func(place) bool {
			return func(p place) bool { return (p.truth == k) == truth && (p.guess == k) == guess }
		}
		share("recall of "+level, of(true, true), of(true, false), c.pairTerms(truePairs(k, len(c.plan.Levels)), of(true, true), of(true, false)))
		share("precision of "+level, of(true, true), of(false, true), c.pairTerms(guessedPairs(k), of(true, true), of(false, true)))
		is, other := func(p place) bool { return p.truth == k }, func(p place) bool { return p.truth != k }
		if share("share of "+level, is, other, nil); len(c.plan.Levels) > 2 {
			share("share of "+level, is, other, c.prevalenceTerms(k))
		} else {
			share("share of "+level, is, other, c.pairTerms(-1, is, other))
		}
	}
	return out
}

// at is the value of a polynomial.
func (q polynomial) at(a, t float64) float64 {
	sum := 0.0
	for i, row := range q {
		for j, v := range row {
			sum += v * math.Pow(a, float64(i)) * math.Pow(t, float64(j))
		}
	}
	return sum
}
