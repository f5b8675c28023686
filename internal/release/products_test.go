package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// kindsOfProducts are those of rows of 6 coordinates.
var kindsOfProducts = map[string]Products{
	"all": AllProducts(), "squares": Squares(), "channels": ChannelProducts(2, 3), "places": PlaceProducts(2, 3), "one channel": ChannelProducts(1, 6), "one place": PlaceProducts(6, 1),
}

// plainProducts is the definition, row by row and number by number.
func plainProducts(name string, x []int16) []int64 {
	var out []int64
	at := func(i int) int64 { return int64(x[i]) }
	add := func(side int, entry func(a, b int) int64) {
		for a := range side {
			for b := range side {
				out = append(out, entry(a, b))
			}
		}
	}
	switch name {
	case "all", "one channel", "one place":
		add(6, func(a, b int) int64 { return at(a) * at(b) })
	case "squares":
		for i := range x {
			out = append(out, at(i)*at(i))
		}
	case "channels":
		add(2, func(a, b int) int64 { return at(3*a)*at(3*b) + at(3*a+1)*at(3*b+1) + at(3*a+2)*at(3*b+2) })
	case "places":
		add(3, func(a, b int) int64 { return at(a)*at(b) + at(3+a)*at(3+b) })
	}
	if name == "one channel" || name == "one place" { // one product, of the row with itself
		return []int64{out[0] + out[7] + out[14] + out[21] + out[28] + out[35]}
	}
	return out
}

// productRows are rows of 6 coordinates on the grid of a second moment.
func productRows(t *testing.T, noise mechanism.Noise, x [][]float64) *Rows {
	t.Helper()
	o, err := MomentRows(noise, 2000, 6, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := NewRows(len(x), o, func(dst []float64, first, n int) {
		for i := range n {
			copy(dst[6*i:6*(i+1)], x[first+i])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// productsOf are the integers before the noise.
func productsOf(t *testing.T, p Products, noise mechanism.Noise, rows *Rows) *bounded {
	t.Helper()
	sample, err := Draw(Full(), rows.Len())
	if err != nil {
		t.Fatal(err)
	}
	b, err := SumProducts(sample, rows, p, noise, 2000)
	if err != nil {
		t.Fatal(err)
	}
	return b.state
}

func randomRows(r *rand.Rand, n int, scale float64) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, 6)
		for j := range x[i] {
			x[i][j] = scale * r.NormFloat64()
		}
	}
	return x
}

func TestProductsAgainstPlainSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for _, noise := range []mechanism.Noise{mechanism.Gaussian{NoiseMultiplier: 20}, mechanism.NonPrivate{}} {
		rows := productRows(t, noise, randomRows(r, 1200, 0.3))
		for name, p := range kindsOfProducts {
			got := productsOf(t, p, noise, rows).values
			want := make([]int64, p.Numbers(6))
			for i := range rows.Len() {
				addTo(want, plainProducts(name, rows.row(i)))
			}
			added := make([]float64, p.Numbers(6))
			for i := range rows.Len() {
				x := make([]float64, 6)
				for j, v := range rows.row(i) {
					x[j] = float64(v)
				}
				p.Add(added, x)
			}
			for j := range want {
				if added[j] != float64(want[j]) {
					t.Fatalf("%s: row by row got %v, want %v", name, added, want)
				}
				if len(got) != len(want) || got[j] != want[j] {
					t.Fatalf("%s with %v: got %v, want %v", name, noise, got, want)
				}
			}
		}
	}
}

// TestNeighborsMoveProductsByAtMostTheBound adds one record to 250 random sets, 1000 with the tag long, rows far
// beyond the radius and with NaN among them. A built record, which has all its weight in one coordinate, comes within
// 0.95 of the bound.
func TestNeighborsMoveProductsByAtMostTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	for name, p := range kindsOfProducts {
		for trial := range trials(250, 1000) {
			x := randomRows(r, 1+r.IntN(6), math.Exp(6*r.Float64()-3))
			x[len(x)-1][r.IntN(6)] = []float64{0.3, 1e6, math.NaN(), math.Inf(1)}[r.IntN(4)]
			if trial == 0 {
				x[len(x)-1] = []float64{0, 0, 0, 0, 1, 0}
			}
			with, without := productsOf(t, p, mechanism.Gaussian{NoiseMultiplier: 20}, productRows(t, mechanism.Gaussian{NoiseMultiplier: 20}, x)), productsOf(t, p, mechanism.Gaussian{NoiseMultiplier: 20}, productRows(t, mechanism.Gaussian{NoiseMultiplier: 20}, x[:len(x)-1]))
			moved, limit := new(big.Int), big.NewInt(with.grid.bound)
			for j := range with.values {
				d := big.NewInt(with.values[j] - without.values[j])
				moved.Add(moved, d.Mul(d, d))
			}
			ratio, _ := new(big.Rat).SetFrac(moved, limit.Mul(limit, limit)).Float64()
			if ratio > 1 {
				t.Fatalf("%s: a record moves the sum by %v of the bound", name, math.Sqrt(ratio))
			}
			if trial == 0 && ratio < 0.95*0.95 {
				t.Errorf("%s: the built record moves the sum by %v of the bound, want at least 0.95", name, math.Sqrt(ratio))
			}
		}
	}
}

func TestProductsAreRefused(t *testing.T) {
	rows := productRows(t, mechanism.Gaussian{NoiseMultiplier: 20}, randomRows(rand.New(rand.NewPCG(1, 1)), 3, 1))
	sample, _ := Draw(Full(), 3)
	for _, p := range []Products{ChannelProducts(2, 2), PlaceProducts(0, 6), ChannelProducts(-2, -3), ChannelProducts(12, 0)} {
		if _, err := SumProducts(sample, rows, p, mechanism.Gaussian{NoiseMultiplier: 20}, 2000); err == nil {
			t.Errorf("%+v was taken for rows of 6 coordinates", p)
		}
	}
	if _, err := SumProducts(sample, rows, Squares(), mechanism.Gaussian{NoiseMultiplier: 3}, 2000); err == nil {
		t.Error("rows made for other noise were taken")
	}
}

// TestProductsSkipRowsBeyondTheLimit lowers the limit under rows that were made for a larger one: the second
// line of defense, which NewRows leaves nothing to do.
func TestProductsSkipRowsBeyondTheLimit(t *testing.T) {
	rows := productRows(t, mechanism.Gaussian{NoiseMultiplier: 20}, [][]float64{{0.1, 0, 0, 0, 0, 0}, {0.2, 0, 0, 0, 0, 0}})
	rows.limit = rows.n2[1] - 1
	for name, p := range kindsOfProducts {
		if got, want := p.sum(rows)[0], plainProducts(name, rows.row(0))[0]; got != want {
			t.Errorf("%s: got %d, want %d of the first row alone", name, got, want)
		}
	}
}
