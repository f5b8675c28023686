package query

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/mechanism"
)

// people is a random table in memory: a cell and a number a record.
type people struct {
	cell  []int
	value []float64
}

func randomPeople(r *rand.Rand, n, cells int, lower, upper float64) people {
	p := people{make([]int, n), make([]float64, n)}
	for i := range n {
		p.cell[i], p.value[i] = randomRecord(r, cells, lower, upper)
	}
	return p
}

// randomRecord is at the bounds or beyond them, missing, or nowhere, as often as not.
func randomRecord(r *rand.Rand, cells int, lower, upper float64) (int, float64) {
	values := []float64{lower, upper, lower - 5, upper + 5, math.NaN(), lower + (upper-lower)*r.Float64()}
	return r.IntN(cells+1) - 1, values[r.IntN(len(values))]
}

func (p people) with(cell int, value float64) people {
	return people{append(append([]int{}, p.cell...), cell), append(append([]float64{}, p.value...), value)}
}

func (p people) cells(count int) tableCells {
	return tableCells{pick.EachRow(len(p.cell)), count, func(i int) int { return p.cell[i] }}
}

func (p people) values(lower, upper float64) rowNumbers {
	return rowNumbers{lower, upper, func(i int) float64 { return p.value[i] }}
}

// TestOneRecordMovesReleasesByTheBound compares what is released, without noise, for a thousand random tables
// with and without one record: in the L1 and the L2 norm the distance is at most the bound that is charged, up
// to the rounding to the grid, and a constructed record reaches it.
func TestOneRecordMovesReleasesByTheBound(t *testing.T) {
	const cells, lower, upper = 3, -20.0, 60.0
	terms := pass.Settings{Payer: &free{}, Noise: mechanism.NonPrivate{}, MaxRecords: 1000}
	for _, s := range []struct {
		name   string
		width  int
		bound  float64
		vector func(v rowNumbers) func(dst []float64, i int)
	}{
		{"histogram", 1, 1, func(rowNumbers) func([]float64, int) { return func(dst []float64, _ int) { dst[0] = 1 } }},
		{"sum", 1, 60, func(v rowNumbers) func([]float64, int) { return func(dst []float64, i int) { dst[0], _ = v.at(i) } }},
		{"mean", 2, 1, func(v rowNumbers) func([]float64, int) { return v.halves }},
		{"variance", 3, 1, func(v rowNumbers) func([]float64, int) { return v.thirds }},
	} {
		r, most := rand.New(rand.NewPCG(2, 7)), 0.0
		exact := func(p people) []float64 {
			out, err := p.cells(cells).release(terms, s.width, s.bound, s.vector(p.values(lower, upper)), 0.95)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		for trial := range 1000 {
			p := randomPeople(r, r.IntN(6), cells, lower, upper)
			cell, value := randomRecord(r, cells, lower, upper)
			if trial == 0 { // constructed
				cell, value = 1, upper
			}
			a, b := exact(p), exact(p.with(cell, value))
			l1, l2 := 0.0, 0.0
			for j := range a {
				l1 += math.Abs(a[j] - b[j])
				l2 = math.Hypot(l2, a[j]-b[j])
			}
			most = max(most, l1, l2)
			if max(l1, l2) > s.bound*(1+1e-9) {
				t.Fatalf("%s: record (%d, %v) moves the release by %v (L1) and %v (L2), want at most %v", s.name, cell, value, l1, l2, s.bound)
			}
		}
		if most < 0.95*s.bound {
			t.Errorf("%s: no record moves the release by more than %v, want nearly %v", s.name, most, s.bound)
		}
	}
}

// TestOneRecordMovesMomentsByTheBound does the same for second moments, whose bound is 1 + columns in the
// Frobenius norm.
func TestOneRecordMovesMomentsByTheBound(t *testing.T) {
	r, most := rand.New(rand.NewPCG(4, 4)), 0.0
	terms := pass.Settings{Payer: &free{}, Noise: mechanism.NonPrivate{}, MaxRecords: 1000}
	exact := func(x, y people) []float64 {
		m, err := newMoments(terms, pick.EachRow(len(x.cell)), []rowNumbers{x.values(0, 10), y.values(-3, 3)}, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		return m.sums
	}
	for trial := range 1000 {
		n := r.IntN(5)
		x, y := randomPeople(r, n, 1, 0, 10), randomPeople(r, n, 1, -3, 3)
		_, u := randomRecord(r, 1, 0, 10)
		_, v := randomRecord(r, 1, -3, 3)
		if trial == 0 { // constructed
			u, v = 10, -3
		}
		a, b, distance := exact(x, y), exact(x.with(0, u), y.with(0, v)), 0.0
		for j := range a {
			distance = math.Hypot(distance, a[j]-b[j])
		}
		if most = max(most, distance); distance > 3*(1+1e-3) {
			t.Fatalf("record (%v, %v) moves the moments by %v, want at most 3", u, v, distance)
		}
	}
	if most < 0.95*3 {
		t.Errorf("no record moves the moments by more than %v, want nearly 3", most)
	}
}

// close reports whether two numbers agree to a relative tolerance.
func closeTo(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(b))
}

// TestStatisticsWithoutNoiseAreTheirDefinitions computes each statistic the plain way.
func TestStatisticsWithoutNoiseAreTheirDefinitions(t *testing.T) {
	const lower, upper = -20.0, 60.0
	r := rand.New(rand.NewPCG(8, 1))
	p := randomPeople(r, 700, 2, lower, upper)
	terms := pass.Settings{Payer: &free{}, Noise: mechanism.NonPrivate{}, MaxRecords: 1000}
	c, v := p.cells(2), p.values(lower, upper)
	counts, err := histogram(terms, c, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := sumsOf(terms, c, v, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	means, err := meansOf(terms, c, v, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	variances, err := variancesOf(terms, c, v, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	for g := range 2 {
		rows, n, sum, square := 0.0, 0.0, 0.0, 0.0
		for i, x := range p.value {
			if p.cell[i] != g {
				continue
			}
			rows++
			if x = min(max(x, lower), upper); x == x {
				n, sum, square = n+1, sum+x, square+x*x
			}
		}
		variance := square/n - sum/n*sum/n
		for name, pair := range map[string][2]float64{"count": {counts[g].Value, rows}, "sum": {sums[g].Value, sum}, "mean": {means[g].Value, sum / n},
			"variance": {variances[g].Value, variance}, "number of a mean": {means[g].Count, n}, "lower end": {means[g].Lower, sum / n}, "upper end": {variances[g].Upper, variance}} {
			if !closeTo(pair[0], pair[1], 1e-6) {
				t.Errorf("cell %d: %s is %v, want %v", g, name, pair[0], pair[1])
			}
		}
	}
}

// TestMomentsWithoutNoiseAreTheirDefinitions does so for covariances and correlations of columns of two
// values, which the grid of rows holds exactly, and of others.
func TestMomentsWithoutNoiseAreTheirDefinitions(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	x, y := make([]float64, 500), make([]float64, 500)
	for i := range x {
		x[i] = float64(r.IntN(2)) * 4
		y[i] = x[i]*0.2 + r.Float64()
	}
	x[17] = math.NaN()
	m, err := newMoments(pass.Settings{Payer: &free{}, Noise: mechanism.NonPrivate{}, MaxRecords: 1000}, pick.EachRow(500), []rowNumbers{{0, 4, func(i int) float64 { return x[i] }}, {0, 2, func(i int) float64 { return y[i] }}}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	var n, sx, sy, sxx, sxy, syy float64
	for i := range x {
		if x[i] == x[i] {
			n, sx, sy, sxx, sxy, syy = n+1, sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i], syy+y[i]*y[i]
		}
	}
	cxx, cxy, cyy := sxx/n-sx/n*sx/n, sxy/n-sx/n*sy/n, syy/n-sy/n*sy/n
	for name, v := range map[string][3]float64{"count": {m.count().Value, n, 1e-9}, "variance": {m.covariance(0, 0).Value, cxx, 1e-9}, "covariance": {m.covariance(0, 1).Value, cxy, 1e-5},
		"variance of y": {m.covariance(1, 1).Value, cyy, 1e-5}, "correlation": {m.correlation(0, 1).Value, cxy / math.Sqrt(cxx*cyy), 1e-4}, "itself": {m.correlation(1, 1).Value, 1, 1e-12}} {
		if !closeTo(v[0], v[1], v[2]) {
			t.Errorf("%s: got %v, want %v", name, v[0], v[1])
		}
	}
}

// TestQuantilesAreNear chooses quantiles of 2000 numbers: the rank errs by more than rankError at confidence
// 1 - 1e-8 with a probability of at most 1e-8 each.
func TestQuantilesAreNear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	x := make([]float64, 2000)
	for i := range x {
		x[i] = 100 * r.Float64() * r.Float64()
	}
	grid, err := pick.NewGrid(0, 100, 501)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []mechanism.Choice{mechanism.PermuteAndFlip{Epsilon: 1}, mechanism.Exponential{Epsilon: 1}} {
		q := []float64{0.1, 0.5, 0.9}
		terms := pick.QuantileTerms{Payer: &free{}, Choice: c, Grid: grid, MaxRecords: 5000}
		got, failure := pick.Quantiles(terms, pick.EachRow(len(x)), func(i int) float64 { return x[i] }, q)
		if failure != nil {
			t.Fatal(failure)
		}
		for k, share := range q {
			below := 0.0
			for _, v := range x {
				if v < got[k] {
					below++
				}
			}
			// Rounding to the grid moves ranks by at most the records within one step of it.
			slack := 40.0
			if wrong := math.Abs(below - share*2000); wrong > pick.RankError(1, 501, 1, share, 1-1e-8)+slack {
				t.Errorf("%v: the %v-quantile is %v, wrong by %v ranks", c, share, got[k], wrong)
			}
		}
		lower, upper, failure := pick.Bounds(terms, pick.EachRow(len(x)), func(i int) float64 { return x[i] }, 0.1)
		if failure != nil || !(lower < 5 && upper > 50 && upper < 95) {
			t.Errorf("bounds: got %v to %v, %v", lower, upper, failure)
		}
		radius, failure := medianRadius(terms, pick.EachRow(len(x)), func(i int) []float64 { return []float64{0.6 * x[i], 0.8 * x[i]} })
		if failure != nil || math.Abs(radius-got[1]) > 12 {
			t.Errorf("median radius: got %v, %v, want about %v", radius, failure, got[1])
		}
	}
}

// TestAggregateIsTheMedianOfBlocks takes a statistic without a bound of its own: the blocks of 4000 records
// nearly agree on it.
func TestAggregateIsTheMedianOfBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	x := make([]float64, 4000)
	for i := range x {
		x[i] = 50 + 5*r.NormFloat64()
	}
	x[7] = 1e12
	grid, err := pick.NewGrid(0, 100, 201)
	if err != nil {
		t.Fatal(err)
	}
	f := &free{}
	seen := 0
	got, err := pick.Aggregate(pick.QuantileTerms{Payer: f, Choice: mechanism.PermuteAndFlip{Epsilon: 2}, Grid: grid, MaxRecords: 5000}, pick.EachRow(len(x)), 80, func(members []int) float64 {
		sum := 0.0
		for _, i := range members {
			sum += x[i]
		}
		seen += len(members)
		return sum / float64(len(members))
	})
	// With 80 blocks and ε = 2 a rank is wrong by 1/ε·2·ln(201/1e-8) = 24 at most but with 1e-8: of the
	// means, which have a standard deviation of 0.7, the ranks 16 to 64 are within 2 of 50.
	if err != nil || math.Abs(got-50) > 2 || seen != 4000 || f.paid != 1 {
		t.Errorf("got %v, %v with %d records and %d payments, want about 50, 4000 and 1", got, err, seen, f.paid)
	}
	if _, err = pick.Aggregate(pick.QuantileTerms{Payer: f, Choice: mechanism.PermuteAndFlip{Epsilon: 2}, Grid: grid, MaxRecords: 3999}, pick.EachRow(len(x)), 80, nil); err == nil {
		t.Error("more records than max records were taken")
	}
	if _, err = pick.Aggregate(pick.QuantileTerms{Payer: f, Choice: mechanism.PermuteAndFlip{Epsilon: 2}, Grid: grid, MaxRecords: 5000}, pick.EachRow(len(x)), 0, nil); err == nil {
		t.Error("no blocks were taken")
	}
}

// TestSumBound takes the larger magnitude on either side.
func TestSumBound(t *testing.T) {
	for _, c := range [][3]float64{{-60, 20, 60}, {-1, 5, 5}, {2, 9, 9}, {-7, -2, 7}} {
		if got := sumBound(rowNumbers{Lower: c[0], Upper: c[1]}); got != c[2] {
			t.Errorf("%v to %v: got %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// TestDeviationOfAVariance compares the first-order deviation with derivatives by differences.
func TestDeviationOfAVariance(t *testing.T) {
	l := law{kind: normalLaw, scale: 2}
	for _, p := range [][]float64{{500, 100, 400}, {900, 50, 50}, {300, 480, 220}} {
		value := func(p []float64) float64 {
			n := p[0] + p[1] + p[2]
			m := (p[1]/2 + p[2]) / n
			return p[2]/n - m*m
		}
		want := 0.0
		for j := range p {
			up, down := append([]float64{}, p...), append([]float64{}, p...)
			up[j], down[j] = up[j]+0.01, down[j]-0.01
			want = math.Hypot(want, 2*(value(up)-value(down))/0.02)
		}
		if got := varianceOf(l, p, 0.95); !(math.Abs(got.Deviation-want) <= 1e-6*want) || !closeTo(got.Value, value(p), 1e-12) {
			t.Errorf("%v: got %+v, want %v ± %v", p, got, value(p), want)
		}
	}
	if got := varianceOf(l, []float64{10, 5, 5}, 0.95); got.Lower != 0 || got.Upper != 0.25 {
		t.Errorf("a count within its noise: got %+v, want all that is possible", got)
	}
}

// TestAggregateCountsReplacedEntries aggregates one block whose result is the first of two points, 2000 times
// at ε = 8. A result that may be replaced has scores of half the slope: the other point is chosen with a
// probability of exp(-2)/2, 135 times in expectation, and else of exp(-4)/2, 18 times. Fewer than 75 or more
// than 210 have a probability below 1e-6 (binomial tails, 5.3 and 6.6 standard errors).
func TestAggregateCountsReplacedEntries(t *testing.T) {
	other := 0
	for range 2000 {
		got, err := pick.Aggregate(pick.QuantileTerms{Payer: &free{}, Choice: mechanism.PermuteAndFlip{Epsilon: 8}, Grid: pick.Grid{0, 1}, MaxRecords: 10}, pick.EachRow(5), 1, func([]int) float64 { return 0 })
		if err != nil {
			t.Fatal(err)
		}
		other += int(got)
	}
	if other < 75 || other > 210 {
		t.Errorf("the other point was chosen %d times of 2000, want about 135", other)
	}
}
