package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func newGroupSum(t *testing.T, s Sample, noise mechanism.Noise, dim int) *VectorSum {
	t.Helper()
	sum, err := NewVectorSum(s, VectorOptions{Noise: noise, Norm: L2(), Dim: dim, Bound: 3, MaxRecords: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestOneRecordMovesAGroupByTheBound takes the vector of a group from anywhere to anywhere: the sum moves by at
// most Δ, in big integers, and by nearly that where it goes to its opposite.
func TestOneRecordMovesAGroupByTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	farthest := 0.0
	for trial := range 2000 {
		whole, _ := Draw(Full(), 10)
		divided, _, err := whole.Divide(3)
		if err != nil {
			t.Fatal(err)
		}
		with, without := newGroupSum(t, divided, mechanism.Gaussian{NoiseMultiplier: 1.3}, 4), newGroupSum(t, divided, mechanism.Gaussian{NoiseMultiplier: 1.3}, 4)
		one, other := make([]float64, 4), make([]float64, 4)
		for j := range one {
			one[j], other[j] = wildFloat(r), wildFloat(r)
			if trial%2 == 0 {
				one[j] = 10 * r.NormFloat64()
				other[j] = -one[j]
			}
		}
		if err = with.Add(1, one); err != nil {
			t.Fatal(err)
		}
		if err = without.Add(1, other); err != nil {
			t.Fatal(err)
		}
		moved := make([]int64, 4)
		for j := range moved {
			moved[j] = with.total[j] - without.total[j]
		}
		limit := bigSquare([]int64{with.grid.bound})
		if bigSquare(moved).Cmp(limit) > 0 {
			t.Fatalf("one record moves the sum by squared norm %v, want at most %v", bigSquare(moved), limit)
		}
		share, _ := new(big.Rat).SetFrac(bigSquare(moved), limit).Float64()
		farthest = max(farthest, math.Sqrt(share))
	}
	if farthest < 0.999 {
		t.Errorf("a record moves the sum by %v of the bound at most, want nearly all", farthest)
	}
}

// TestGroupsHoldEachRecordOnce counts the records of groups. A count out of n with probability p is off by more
// than √(n·ln(2/a)/2) with probability a at most (Hoeffding); here a is 1e-7 for each of 5 groups.
func TestGroupsHoldEachRecordOnce(t *testing.T) {
	const n, groups = 20000, 5
	q, _ := Poisson(0.5)
	whole, err := Draw(q, n)
	if err != nil {
		t.Fatal(err)
	}
	divided, members, err := whole.Divide(groups)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(members...)
	slices.Sort(all)
	if !slices.Equal(all, whole.Indices()) || len(divided.Indices()) != groups {
		t.Error("groups do not hold each record of the sample once")
	}
	for k, m := range members {
		drawn := float64(len(all))
		if off := math.Abs(float64(len(m)) - drawn/groups); off > math.Sqrt(drawn*math.Log(2/1e-7)/2) {
			t.Errorf("group %d has %d of %v records, want about a fifth", k, len(m), drawn)
		}
		if !slices.IsSorted(m) {
			t.Errorf("group %d is not in order", k)
		}
	}
	_, again, _ := whole.Divide(groups)
	if slices.Equal(again[0], members[0]) {
		t.Error("two divisions are the same, want fresh ones")
	}
}

// TestGroupsOfRecordsAreIndependent looks at the groups of two records of one division, at every lag up to 20. By how
// much the later group is the higher one, modulo the number of groups, is uniform, and independent from pair to pair
// of one lag. A chi-square of 4 degrees of freedom exceeds 50 with probability exp(-25)·26, 4e-10, and one of 20 with
// 1e-8. Where one pair of 25 is dealt by turn, the chi-square is near 80 at that lag.
func TestGroupsOfRecordsAreIndependent(t *testing.T) {
	const n, groups = 12500, 5
	whole, err := Draw(Full(), n)
	if err != nil {
		t.Fatal(err)
	}
	_, members, err := whole.Divide(groups)
	if err != nil {
		t.Fatal(err)
	}
	group := make([]int, n)
	for k, records := range members {
		for _, i := range records {
			group[i] = k
		}
	}
	for lag := 1; lag <= 20; lag++ {
		var counts [groups]float64
		for i, k := range group[lag:] {
			counts[(k-group[i]+groups)%groups]++
		}
		chi, want := 0.0, float64(n-lag)/groups
		for _, c := range counts {
			chi += (c - want) * (c - want) / want
		}
		if chi > 50 {
			t.Errorf("lag %d: chi-square %.1f: groups differ by 0 to 4 in %v pairs, want %v each", lag, chi, counts, want)
		}
	}
}

func TestDividedSamplesRefuse(t *testing.T) {
	q, _ := Poisson(0.5)
	whole, _ := Draw(q, 10)
	divided, _, err := whole.Divide(10)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := NewRows(10, RowsOptions{Dim: 1, Step: 1}, func(dst []float64, _, _ int) { clear(dst) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err = NewSum(divided, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Columns: 1, Bound: 1, MaxRecords: 10}); err == nil {
		t.Error("a sum of rows is made of groups")
	}
	if _, err = NewProductSum(divided, ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: productBlocks(), Bound: 1, MaxRecords: 10}); err == nil {
		t.Error("a sum of products is made of groups")
	}
	if _, err = SumProducts(divided, rows, AllProducts(), mechanism.Gaussian{NoiseMultiplier: 1}, 10); err == nil {
		t.Error("a second moment is made of groups")
	}
	for _, groups := range []int{0, -1, maxGroups + 1} {
		if _, _, err = whole.Divide(groups); err == nil {
			t.Errorf("%d groups are accepted", groups)
		}
	}
	if _, _, err = divided.Divide(2); err == nil {
		t.Error("groups are divided again")
	}
	if _, _, err = (Sample{}).Divide(2); err == nil {
		t.Error("an empty sample is divided")
	}
	p := &payer{}
	noise := mechanism.Gaussian{NoiseMultiplier: 1.3}
	if _, err = Release(p, noise, newGroupSum(t, divided, noise, 2).Seal()); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(p.events, " "), "poisson(0.5, gaussian(1.3))"; got != want {
		t.Errorf("the release pays for %s, want %s", got, want)
	}
	second, _, _ := whole.Divide(3)
	if _, err = Release(p, noise, newGroupSum(t, second, noise, 2).Seal()); err == nil {
		t.Error("a sample is released from twice, by groups")
	}
	if _, err = Release(p, noise, newGroupSum(t, whole, noise, 2).Seal()); err == nil {
		t.Error("a sample is released from twice, by groups and by itself")
	}
}
