package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/rand/v2"
	"testing"
)

// scoresOf seals losses in units of 1/unit.
func scoresOf(t *testing.T, unit int64, loss ...int64) Scores {
	t.Helper()
	sample, err := Draw(Full(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return Scores{&scores{sample: sample, loss: loss, unit: unit}}
}

// exponentialLaw is the law of the exponential mechanism, from its formula.
func exponentialLaw(epsilon float64, unit int64, loss []int64) []float64 {
	law, total := make([]float64, len(loss)), 0.0
	for i, l := range loss {
		law[i] = math.Exp(-epsilon * float64(l) / float64(2*unit))
		total += law[i]
	}
	for i := range law {
		law[i] /= total
	}
	return law
}

// permuteLaw is the law of permute-and-flip by enumeration of all orders: candidate i is chosen in an order
// when its coin falls right and those of all before it wrong.
func permuteLaw(epsilon float64, unit int64, loss []int64) []float64 {
	least := loss[0]
	for _, l := range loss {
		least = min(least, l)
	}
	law, orders := make([]float64, len(loss)), 0.0
	var visit func(order []int, rest float64, used uint)
	visit = func(order []int, rest float64, used uint) {
		if len(order) == len(loss) {
			orders++
			return
		}
		for i, l := range loss {
			if used>>i&1 == 1 {
				continue
			}
			keep := math.Exp(-epsilon * float64(l-least) / float64(2*unit))
			paths := 1.0
			for k := 2; k < len(loss)-len(order); k++ {
				paths *= float64(k)
			}
			law[i] += rest * keep * paths
			visit(append(order, i), rest*(1-keep), used|1<<i)
		}
	}
	visit(nil, 1, 0)
	for i := range law {
		law[i] /= orders
	}
	return law
}

// TestChoicesHaveTheirLaws compares 20000 choices with the probabilities of each formula: a chi-square of at
// most 4 degrees of freedom exceeds 36 with a probability below 3e-7 (its tail is exp(-18)·19).
func TestChoicesHaveTheirLaws(t *testing.T) {
	const runs = 20000
	loss := []int64{1700, 300, 0, 900, 4000}
	for _, c := range []struct {
		choice mechanism.Choice
		law    []float64
	}{
		{mechanism.Exponential{Epsilon: 1.5}, exponentialLaw(1.5, 500, loss)},
		{mechanism.PermuteAndFlip{Epsilon: 1.5}, permuteLaw(1.5, 500, loss)},
		{mechanism.PermuteAndFlip{Epsilon: 0.25}, permuteLaw(0.25, 500, loss)},
	} {
		s, counts := scoresOf(t, 500, loss...), make([]float64, len(loss))
		for range runs {
			i, err := Choose(&payer{}, c.choice, s)
			if err != nil {
				t.Fatal(err)
			}
			counts[i]++
		}
		chi := 0.0
		for i, p := range c.law {
			chi += (counts[i] - runs*p) * (counts[i] - runs*p) / (runs * p)
		}
		if chi > 36 {
			t.Errorf("%v: chi-square %.1f, got %v of %d, want %v", c.choice, chi, counts, runs, c.law)
		}
	}
}

// TestChoicesAreAsPrivateAsPriced computes, for random neighboring losses, the laws of both mechanisms and
// holds the largest log ratio of probabilities to epsilon.
func TestChoicesAreAsPrivateAsPriced(t *testing.T) {
	r, most := rand.New(rand.NewPCG(3, 5)), 0.0
	for range 2000 {
		a, b := make([]int64, 4), make([]int64, 4)
		for i := range a {
			a[i] = r.Int64N(3000)
			b[i] = max(0, a[i]+r.Int64N(2001)-1000)
			if r.IntN(2) == 0 {
				b[i] = max(0, a[i]+1000*int64(1-2*r.IntN(2)))
			}
		}
		for _, law := range []func(float64, int64, []int64) []float64{exponentialLaw, permuteLaw} {
			p, q := law(0.8, 1000, a), law(0.8, 1000, b)
			for i := range p {
				most = max(most, math.Abs(math.Log(p[i]/q[i])))
			}
		}
	}
	if most > 0.8+1e-12 || most < 0.95*0.8 {
		t.Errorf("the largest log ratio is %v, want nearly 0.8 and no more", most)
	}
}

// payer pays for everything and remembers the events.
type payer struct{ events []string }

func (p *payer) Pay(e mechanism.Event) error { p.events = append(p.events, e.String()); return nil }

// ranksOf counts records, of one row each, on the points of a grid.
func ranksOf(t *testing.T, points int, replaced bool, at []int) *Ranks {
	t.Helper()
	rows := make([][]int, len(at))
	for i, p := range at {
		rows[i] = []int{p}
	}
	return ranksOfRows(t, RanksOptions{Points: points, MaxRecords: 1000, Replaced: replaced}, rows)
}

// ranksOfRows counts the rows of records.
func ranksOfRows(t *testing.T, o RanksOptions, rows [][]int) *Ranks {
	t.Helper()
	sample, err := Draw(Full(), len(rows))
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRanks(sample, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, points := range rows {
		if err = r.Add(i, points...); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// randomPoints are the points of one record, with 6 rows at most, often all at one end.
func randomPoints(r *rand.Rand, points int) []int {
	rows := make([]int, 1+r.IntN(6))
	end := r.IntN(2) * (points - 1)
	for i := range rows {
		if rows[i] = end; r.IntN(3) == 0 {
			rows[i] = r.IntN(points+1) - 1
		}
	}
	return rows
}

// TestQuantileScoresMoveByOne compares the scores of a thousand random neighbors of each kind, in integers:
// none moves by more than the unit, and some pair moves one by all of it. The kinds are records of one row,
// records of up to 6 rows of which 1 or 4 count, and entries that are replaced.
func TestQuantileScoresMoveByOne(t *testing.T) {
	const points = 8
	r := rand.New(rand.NewPCG(1, 9))
	for _, o := range []RanksOptions{{}, {RowsPerRecord: 1}, {RowsPerRecord: 4}, {Replaced: true}} {
		o.Points, o.MaxRecords = points, 1000
		for _, q := range []float64{0.5, 0.25, 0.9, 0.001} {
			most, unit := int64(0), int64(0)
			for range 1000 {
				rows := make([][]int, r.IntN(30))
				for i := range rows {
					rows[i] = randomPoints(r, points)
				}
				other := append([][]int{}, rows...)
				if n := len(rows); o.Replaced && n > 0 {
					other[r.IntN(n)] = randomPoints(r, points)
				} else if !o.Replaced {
					other = append(other, randomPoints(r, points))
				}
				a, err := ranksOfRows(t, o, rows).Quantile(q)
				if err != nil {
					t.Fatal(err)
				}
				b, err := ranksOfRows(t, o, other).Quantile(q)
				if err != nil {
					t.Fatal(err)
				}
				unit = a.state.unit
				for j := range a.state.loss {
					most = max(most, a.state.loss[j]-b.state.loss[j], b.state.loss[j]-a.state.loss[j])
				}
			}
			if most > unit || float64(most) < 0.95*float64(unit) {
				t.Errorf("quantile %v, %+v: the scores move by up to %d, want nearly %d and no more", q, o, most, unit)
			}
		}
	}
}

// TestRanksOfRowsAreRefused holds how many rows a record may have.
func TestRanksOfRowsAreRefused(t *testing.T) {
	sample, err := Draw(Full(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []RanksOptions{{RowsPerRecord: -1}, {RowsPerRecord: maxRankedRows + 1}, {RowsPerRecord: 2, Replaced: true}} {
		o.Points, o.MaxRecords = 4, 10
		if _, err = NewRanks(sample, o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
	// A record more than is declared changes nothing, and all of the rows of a record count.
	s, err := ranksOfRows(t, RanksOptions{Points: 2, MaxRecords: 10, RowsPerRecord: 3}, [][]int{{0, 0, 0, 1, 1, 1, 1}, {1, 1, 0}}).Quantile(0.5)
	if err != nil || s.state.loss[0] != 0 || s.state.loss[1] != 1000 {
		t.Errorf("got losses %v (%v), want 0 and one row", s.state.loss, err)
	}
}

// TestQuantileScoresAreRanks checks the loss of a point against its definition.
func TestQuantileScoresAreRanks(t *testing.T) {
	at := []int{0, 0, 3, 3, 3, 5, 7, 7, 7, 7, -1}
	s, err := ranksOf(t, 8, false, at).Quantile(0.25)
	if err != nil {
		t.Fatal(err)
	}
	for j, got := range s.state.loss {
		n, below, above := 0.0, 0.0, 0.0
		for _, p := range at {
			switch {
			case p < 0:
				continue
			case p < j:
				below++
			case p > j:
				above++
			}
			n++
		}
		if want := 1000 * max(0, below-0.25*n, above-0.75*n); math.Abs(float64(got)-want) > 1e-6 {
			t.Errorf("point %d: got loss %d, want %v", j, got, want)
		}
	}
	if s.state.loss[3] != 0 {
		t.Errorf("the quantile has loss %d, want 0", s.state.loss[3])
	}
}

func TestChoiceRefusals(t *testing.T) {
	s := scoresOf(t, 1000, 1, 2)
	p := &payer{}
	for name, f := range map[string]func() (int, error){
		"no payer":          func() (int, error) { return Choose(nil, mechanism.Exponential{Epsilon: 1}, s) },
		"no scores":         func() (int, error) { return Choose(p, mechanism.Exponential{Epsilon: 1}, Scores{}) },
		"no choice":         func() (int, error) { return Choose(p, nil, s) },
		"negative epsilon":  func() (int, error) { return Choose(p, mechanism.PermuteAndFlip{Epsilon: -1}, s) },
		"epsilon too small": func() (int, error) { return Choose(p, mechanism.PermuteAndFlip{Epsilon: 1e-12}, s) },
		"epsilon too large": func() (int, error) { return Choose(p, mechanism.Exponential{Epsilon: 1e9}, s) },
		"not a number":      func() (int, error) { return Choose(p, mechanism.Exponential{Epsilon: math.NaN()}, s) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if len(p.events) > 0 {
		t.Errorf("refused choices were paid for: %v", p.events)
	}
	if _, err := Choose(p, mechanism.Exponential{Epsilon: 1}, s); err != nil || len(p.events) != 1 || p.events[0] != "exponential(1)" {
		t.Errorf("got %v and payments %v, want one for exponential(1)", err, p.events)
	}
	for _, q := range []float64{0, 1, -0.5, 0.12345, math.NaN()} {
		if _, err := ranksOf(t, 3, false, nil).Quantile(q); err == nil {
			t.Errorf("quantile %v was taken", q)
		}
	}
	r := ranksOf(t, 3, false, []int{1, 2})
	if r.Add(0, 1) == nil {
		t.Error("a record was counted twice")
	}
}

// TestChoiceOfNothing chooses where there are no records: every point is as good.
func TestChoiceOfNothing(t *testing.T) {
	s, err := ranksOf(t, 2, false, nil).Quantile(0.5)
	if err != nil {
		t.Fatal(err)
	}
	seen := [2]int{}
	for range 200 { // one of them never: probability 2^-199
		i, failure := Choose(&payer{}, mechanism.PermuteAndFlip{Epsilon: 1}, s)
		if failure != nil {
			t.Fatal(failure)
		}
		seen[i]++
	}
	if seen[0] == 0 || seen[1] == 0 {
		t.Errorf("got %v", seen)
	}
}

// TestChoiceOfFarLosses has a best candidate and losses whose exponents do not fit 64 bits by themselves.
func TestChoiceOfFarLosses(t *testing.T) {
	s := scoresOf(t, 1, 1<<51, 0, 1<<51)
	for _, c := range []mechanism.Choice{mechanism.Exponential{Epsilon: maxChoiceEpsilon}, mechanism.PermuteAndFlip{Epsilon: maxChoiceEpsilon}} {
		if i, err := Choose(&payer{}, c, s); err != nil || i != 1 {
			t.Errorf("%v chose %d, %v, want 1", c, i, err)
		}
	}
}

// TestExponentialHasBoundedRange holds the log ratios of the exponential mechanism over all candidates, for random
// neighboring losses, to a range of epsilon: what its dominating pair is made for.
func TestExponentialHasBoundedRange(t *testing.T) {
	r, widest := rand.New(rand.NewPCG(4, 5)), 0.0
	for range 2000 {
		a, b := make([]int64, 5), make([]int64, 5)
		for i := range a {
			a[i] = 1000 + r.Int64N(3000)
			b[i] = a[i] + []int64{-1000, 1000, r.Int64N(2001) - 1000}[r.IntN(3)]
		}
		p, q := exponentialLaw(0.8, 1000, a), exponentialLaw(0.8, 1000, b)
		least, most := math.Inf(1), math.Inf(-1)
		for i := range p {
			ratio := math.Log(p[i] / q[i])
			least, most = min(least, ratio), max(most, ratio)
		}
		widest = max(widest, most-least)
	}
	if widest > 0.8+1e-12 || widest < 0.79 {
		t.Errorf("the log ratios have a range of %v, want 0.8 and no more", widest)
	}
}
