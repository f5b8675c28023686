package account

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"testing"
)

// exactComposition is δ(log y) of k-fold composition of (log x, δ)-differential privacy by the formula of
// Kairouz, Oh & Viswanath 2015, theorem 3.3, in rational numbers: 1 - (1-δ)^k·(1-δ'), with δ' =
// Σ C(k,l)·max(0, x^l - y·x^(k-l))/(1+x)^k.
func exactComposition(x, y, delta *big.Rat, k int64) float64 {
	power := func(b *big.Rat, n int64) *big.Rat {
		out := big.NewRat(1, 1)
		for range n {
			out.Mul(out, b)
		}
		return out
	}
	one := big.NewRat(1, 1)
	sum := new(big.Rat)
	for l := int64(0); l <= k; l++ {
		d := new(big.Rat).Sub(power(x, l), new(big.Rat).Mul(y, power(x, k-l)))
		if d.Sign() > 0 {
			sum.Add(sum, d.Mul(d, new(big.Rat).SetInt(new(big.Int).Binomial(k, l))))
		}
	}
	sum.Quo(sum, power(new(big.Rat).Add(one, x), k))
	kept := power(new(big.Rat).Sub(one, delta), k)
	kept.Mul(kept, sum.Sub(one, sum))
	f, _ := new(big.Rat).Sub(one, kept).Float64()
	return f
}

// TestKOVOptimalIsExact holds the inverse against rational arithmetic, between and at the losses.
func TestKOVOptimalIsExact(t *testing.T) {
	compared := 0
	for _, x := range []*big.Rat{big.NewRat(101, 100), big.NewRat(11, 10), big.NewRat(3, 2), big.NewRat(8, 1), big.NewRat(1e9, 1)} {
		for _, y := range []*big.Rat{big.NewRat(1001, 1000), big.NewRat(6, 5), big.NewRat(9, 4), big.NewRat(40, 1), big.NewRat(1e12, 1)} {
			for _, k := range []int64{1, 2, 3, 10, 25, 41} {
				for _, delta := range []*big.Rat{new(big.Rat), big.NewRat(1, 1<<20)} {
					ratio, _ := x.Float64()
					factor, _ := y.Float64()
					disclosed, _ := delta.Float64()
					epsilon, want := math.Log(ratio), math.Log(factor)
					target := exactComposition(x, y, delta, k)
					if target > 0.99 || target-disclosedBy(disclosed, float64(k)) <= 1e-9*target {
						continue // near 1 a float64 holds too little of it; at 0 no ε' is singled out
					}
					compared++
					got := kovOptimal(epsilon, disclosed, int(k), target)
					if got < want*(1-1e-9) || got > want*(1+1e-8) {
						t.Errorf("epsilon %v, delta %v, %d times at %v: got %v, want %v", epsilon, disclosed, k, target, got, want)
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d values compared, want 100 at least", compared)
	}
}

// TestKOVOrder holds the law optimal ≤ closed ≤ Dwork-Roth at equal delta, and optimal ≤ kε.
func TestKOVOrder(t *testing.T) {
	for _, epsilon := range []float64{1e-6, 1e-3, 0.1, 0.7, 2, 30} {
		for _, delta := range []float64{0, 1e-12, 1e-7} {
			for _, k := range []int{1, 2, 7, 100, 12345, 1 << 20} {
				for _, slack := range []float64{1e-12, 1e-6, 1e-3, 0.3} {
					closed, total := kovClosed(epsilon, delta, k, slack)
					old, oldTotal := dworkRoth(epsilon, delta, k, slack)
					optimal := kovOptimal(epsilon, delta, k, total)
					if !(optimal <= closed*(1+1e-12)) || !(closed <= old) || !(total <= oldTotal*(1+1e-12)) {
						t.Errorf("epsilon %v, delta %v, %d times, slack %v: optimal %v, closed (%v, %v), Dwork-Roth (%v, %v)",
							epsilon, delta, k, slack, optimal, closed, total, old, oldTotal)
					}
					if all := float64(k) * epsilon; !(optimal <= all*(1+1e-15)) {
						t.Errorf("epsilon %v, %d times: optimal %v, more than %v", epsilon, k, optimal, all)
					}
				}
			}
		}
	}
}

// TestKOVReference compares with values that mpmath and another program computed: the closed forms
// to 1e-9, the theorem's own multiple of ε at its delta, and the other program's upper bound.
func TestKOVReference(t *testing.T) {
	var file struct {
		Exact []struct {
			ID, Kind   string
			Eps, Delta float64
			K          int
			Target     float64  `json:"target_delta"`
			Lattice    []string `json:"KOV_lattice"`
			Closed     string   `json:"KOV_closed_form"`
			Advanced   string   `json:"advanced_DRV"`
			PLD        float64  `json:"dp_accounting_pld"`
		} `json:"exact_values"`
	}
	if err := json.Unmarshal(referenceFile(t), &file); err != nil {
		t.Fatal(err)
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	compared := 0
	for _, row := range file.Exact {
		if row.Kind != "composition_eps_delta" {
			continue
		}
		compared++
		all := float64(row.K) * row.Eps
		slack := row.Target - float64(row.K)*row.Delta
		advanced, _ := dworkRoth(row.Eps, row.Delta, row.K, slack)
		closed, _ := kovClosed(row.Eps, row.Delta, row.K, slack)
		if want := number(row.Advanced); math.Abs(advanced/want-1) > 1e-9 {
			t.Errorf("%s: Dwork-Roth %v, want %v", row.ID, advanced, want)
		}
		if want := min(all, number(row.Closed)); math.Abs(closed/want-1) > 1e-9 {
			t.Errorf("%s: closed %v, want %v", row.ID, closed, want)
		}
		if got := kovOptimal(row.Eps, row.Delta, row.K, row.Target); got > row.PLD*(1+1e-12) || got < row.PLD*(1-1e-5) {
			t.Errorf("%s: optimal %v, want just below %v", row.ID, got, row.PLD)
		}
		epsilon, delta := number(row.Lattice[0]), number(row.Lattice[1])
		if got := kovOptimal(row.Eps, row.Delta, row.K, delta); delta > 0 && math.Abs(got/epsilon-1) > 1e-9 {
			t.Errorf("%s: optimal at delta %v is %v, want %v", row.ID, delta, got, epsilon)
		}
	}
	if compared == 0 {
		t.Error("the file has no composition")
	}
}

// TestKOVLongCompositions holds a thousand million releases against the normal law that their losses
// tend to, with μ = ε√k: the difference is of order 1/√k.
func TestKOVLongCompositions(t *testing.T) {
	for _, k := range []int{1e8, 1e9, maxLattice} {
		for _, mu := range []float64{0.1, 1, 4} {
			for _, delta := range []float64{1e-12, 1e-6, 0.1} {
				got, want := kovOptimal(mu/math.Sqrt(float64(k)), 0, k, delta), epsilonOf(mu, delta)
				if math.Abs(got-want) > 1e-4*want+1e-6 {
					t.Errorf("%d times, mu %v, delta %v: got %v, want about %v", k, mu, delta, got, want)
				}
			}
		}
	}
	const k = 1 << 50
	got, want := kovOptimal(1e-9, 0, k, 1e-6), epsilonOf(1e-9*math.Sqrt(k), 1e-6)
	if closed, _ := kovClosed(1e-9, 0, k, 1e-6); got != closed || got < want || got > 1.3*want {
		t.Errorf("2^50 times: got %v, closed form %v, normal law %v", got, closed, want)
	}
}

// TestKOVGrows holds that more releases, a larger epsilon and a smaller delta cost more.
func TestKOVGrows(t *testing.T) {
	last := 0.0
	for _, k := range []int{1, 2, 3, 5, 17, 300, 301, 9999} {
		v := kovOptimal(0.3, 1e-9, k, 1e-5)
		if !(v > last) {
			t.Errorf("%d times: %v, want more than %v", k, v, last)
		}
		last = v
	}
	last = 0
	for epsilon := 1e-5; epsilon < 500; epsilon *= 1.7 {
		v := kovOptimal(epsilon, 0, 77, 1e-5)
		if !(v > last) {
			t.Errorf("epsilon %v: %v, want more than %v", epsilon, v, last)
		}
		last = v
	}
	last = math.Inf(1)
	for target := 1e-15; target < 0.5; target *= 2 {
		v := kovOptimal(0.2, 0, 500, target)
		if !(v < last) {
			t.Errorf("target %v: %v, want less than %v", target, v, last)
		}
		last = v
	}
}

func TestKOVExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		epsilon, delta float64
		k              int
		target, want   float64
	}{
		{0, 0, 5, 0, 0}, {1, 0, 0, 0, 0}, {1, 0, 5, 0, 5}, {1, 1e-6, 5, 0, inf}, {1, 1e-6, 1, 1e-6, 1}, {0, 1e-6, 5, 1e-5, 0},
		{1, 0.1, 100, 0.99, inf}, {1, 0, 5, 1, 0}, {900, 0, 3, 1e-6, 2700}, {1, 0, 5, 1e-290, 5},
		{nan, 0, 5, 0.1, inf}, {1, nan, 5, 0.1, inf}, {1, 0, -1, 0.1, inf}, {1, 0, 5, nan, inf}, {inf, 0, 5, 0.1, inf}, {-1, 0, 5, 0.1, inf},
	} {
		if got := kovOptimal(c.epsilon, c.delta, c.k, c.target); got != c.want {
			t.Errorf("kovOptimal(%v, %v, %d, %v): got %v, want %v", c.epsilon, c.delta, c.k, c.target, got, c.want)
		}
	}
	for _, epsilon := range []float64{1e-300, 1e-9, 0.1, 36.7, 699} {
		for _, target := range []float64{1e-279, 1e-20, 0.01, 0.999999} {
			for _, k := range []int{1, 2, 1000, 1 << 33} {
				if v := kovOptimal(epsilon, 0, k, target); !(v >= 0 && v <= float64(k)*epsilon*(1+1e-15)) {
					t.Errorf("kovOptimal(%v, 0, %d, %v) is %v", epsilon, k, target, v)
				}
			}
		}
	}
	for _, slack := range []float64{0, 1, nan, -1} {
		if v, d := kovClosed(1, 0, 5, slack); !math.IsInf(v, 1) || d != 1 {
			t.Errorf("kovClosed at slack %v: (%v, %v)", slack, v, d)
		}
		if v, d := dworkRoth(1, 0, 5, slack); !math.IsInf(v, 1) || d != 1 {
			t.Errorf("dworkRoth at slack %v: (%v, %v)", slack, v, d)
		}
	}
}

func BenchmarkKOVOptimal(b *testing.B) {
	for b.Loop() {
		kovOptimal(1e-5, 1e-17, 1e9, 1e-6)
	}
}
