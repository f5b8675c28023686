package release

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// free pays for everything: these tests look at sums, not at budgets.
type free struct{}

func (free) Pay(mechanism.Event) error { return nil }

// made returns rows of the given values, and a full sample of them.
func made(t testing.TB, x [][]float64, step float64) (*Rows, Sample) {
	t.Helper()
	d := len(x[0])
	rows, err := NewRows(len(x), RowsOptions{Dim: d, Step: step}, func(dst []float64, first, n int) {
		for i := range n {
			copy(dst[i*d:], x[first+i])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	sample, err := Draw(Full(), len(x))
	if err != nil {
		t.Fatal(err)
	}
	return rows, sample
}

func newTestSum(t testing.TB, rows *Rows, sample Sample, columns int, bound float64, maxRecords int) *Sum {
	t.Helper()
	s, err := NewSum(sample, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 7.3}, Columns: columns, Bound: bound, MaxRecords: maxRecords})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// row returns the integers of a row.
func (r *Rows) row(i int) []int16 {
	row := make([]int16, r.dim)
	r.x.CopyRow(row, i-r.first)
	return row
}

// norm2 is the exact squared norm of what row i adds; multiplier what an integer of it stands for.
func (r *Rows) norm2(i int) int64        { return r.n2[i-r.first] }
func (r *Rows) multiplier(i int) float64 { return r.measures.multiplier(i-r.first, &r.frame) }

// Norm is the norm of row i as it is seen.
func (r *Rows) Norm(i int) float64 { return math.Sqrt(float64(r.norm2(i))) * r.multiplier(i) }

// adderOf returns the adder of a sum.
func adderOf(s *Sum) *rowAdder { return s.adder.(*rowAdder) }

// emptyOf returns an empty sum like s over other rows of the same records, or the error with which s refuses it.
func emptyOf(s *Sum, rows *Rows) (*Sum, error) {
	part := newSum(s.sample, rows, s.columns, s.bound, s.grid)
	return part, s.Merge(part)
}

// sums returns the integers summed so far.
func (s *Sum) sums() []int64 {
	adderOf(s).Flush()
	return adderOf(s).Total
}

// exactNorm2 returns (Σ q²)·n2 as a big integer.
func exactNorm2(q []int64, row []int16) *big.Int {
	sum, n2 := new(big.Int), new(big.Int)
	for _, v := range q {
		b := big.NewInt(v)
		sum.Add(sum, b.Mul(b, b))
	}
	for _, v := range row {
		n2.Add(n2, big.NewInt(int64(v)*int64(v)))
	}
	return sum.Mul(sum, n2)
}

// wildFloat returns any float64: random bits, or a value of a random scale.
func wildFloat(r *rand.Rand) float64 {
	if r.IntN(3) == 0 {
		return math.Float64frombits(r.Uint64())
	}
	return r.NormFloat64() * math.Exp(r.NormFloat64()*20)
}

var contributions = flag.Int("contributions", trials(200000, 1000000),
	"how many proposals TestContributionsNeverExceedTheBound makes")

// TestContributionsNeverExceedTheBound is the exact oracle: 200000 proposals of wild numbers (a million with
// the tag long, -short at most 100000, -contributions as many as wanted), each verified row checked against big
// integers.
func TestContributionsNeverExceedTheBound(t *testing.T) {
	n := *contributions
	if testing.Short() {
		n = min(n, 100000)
	}
	r := rand.New(rand.NewPCG(1, 2))
	const batch, dim = 1000, 5
	atEdge, zero := 0, 0
	for range n / batch {
		x := make([][]float64, batch)
		for i := range x {
			x[i] = make([]float64, dim)
			scale := math.Exp(r.NormFloat64() * 3)
			for j := range x[i] {
				x[i][j] = r.NormFloat64() * scale
				if r.IntN(50) == 0 {
					x[i][j] = wildFloat(r)
				}
			}
		}
		rows, sample := made(t, x, 1.0/(1<<12))
		columns := 1 + r.IntN(3)
		s := newTestSum(t, rows, sample, columns, math.Exp(r.NormFloat64()), 1<<(10+r.IntN(14)))
		limit := new(big.Int).Mul(big.NewInt(s.grid.bound), big.NewInt(s.grid.bound))
		q, p := make([]int64, columns), make([]float64, columns)
		for i := range x {
			for k := range p {
				p[k] = wildFloat(r)
				if r.IntN(2) == 0 {
					p[k] = r.NormFloat64()
				}
			}
			adderOf(s).roundWithin(q, p, s.rows.n2[i], rows.multiplier(i))
			got := exactNorm2(q, rows.row(i))
			if got.Cmp(limit) > 0 {
				t.Fatalf("proposal %v on row %v: squared norm %v exceeds %v", p, rows.row(i), got, limit)
			}
			if f, _ := new(big.Rat).SetFrac(got, limit).Float64(); f > 0.9999 {
				atEdge++
			} else if f == 0 {
				zero++
			}
		}
	}
	if atEdge < n/100 || zero > n*9/10 {
		t.Errorf("of %d proposals %d reach the bound and %d are zero: the test does not probe the edge", n, atEdge, zero)
	}
}

// TestOnesAreVerifiedAlike compares blocks of one coefficient a record with the definition, record by
// record, from several frames: proposals at the bound, one step beyond it, wild, NaN. Within a block each
// number is held against the bound in big integers.
func TestOnesAreVerifiedAlike(t *testing.T) {
	const n, dim = 200, 3
	r := rand.New(rand.NewPCG(8, 15))
	narrow, wide, clipped := 0, 0, 0
	for _, f := range []Standardization{{}, {Normalize: NormalizeUnit, Intercept: 0.5}, {Normalize: NormalizeClip, Radius: 0.1, Center: []float64{0.3, 0, -0.2}}} {
		for round := range 20 {
			rows := typedRows(t, coordinates(r, Int16, n, dim), Int16, f, 0, n)
			sample, _ := Draw(Full(), n)
			s := newTestSum(t, rows, sample, 1, 1, 1<<(10+round))
			b, _ := rows.Load(0, n, Block{})
			p, got, q := make([]float64, n), make([]float64, n), make([]int64, 1)
			for i := range p {
				p[i] = math.Copysign((1+float64(r.IntN(5)-2)*0x1p-40)/max(b.Norm(i), 1e-9), r.NormFloat64())
				switch r.IntN(8) {
				case 0:
					p[i] = wildFloat(r)
				case 1:
					p[i] *= r.Float64()
				}
			}
			adderOf(s).roundBlock(got, 1, 1, &b, p)
			beta, tail := int64(0), int64(0)
			limit := new(big.Int).Mul(big.NewInt(s.grid.bound), big.NewInt(s.grid.bound))
			for i := range p {
				adderOf(s).roundWithin(q, p[i:i+1], b.n2[i], b.multiplier(i, &rows.frame))
				if got[i] != float64(q[0]) || math.Signbit(got[i]) && q[0] == 0 {
					t.Fatalf("frame %+v, proposal %v: got %v, want %d", f, p[i], got[i], q[0])
				}
				square := big.NewInt(q[0])
				if square.Mul(square, square).Mul(square, big.NewInt(b.n2[i])); square.Cmp(limit) > 0 {
					t.Fatalf("proposal %v, squared norm %d: %d is beyond the bound", p[i], b.n2[i], q[0])
				}
				beta, tail = beta+q[0]*b.beta(i), tail+q[0]*b.tail(i)
				if max(q[0], -q[0]) < 1<<32 {
					narrow++
				} else {
					wide++
				}
				if f := math.RoundToEven(p[i] * adderOf(s).scale * b.multiplier(i, &rows.frame)); f-f == 0 && f != float64(q[0]) {
					clipped++
				}
			}
			if f.Center == nil {
				beta = 0 // nothing is taken off
			}
			if adderOf(s).betas[0] != beta || adderOf(s).tails[0] != tail {
				t.Fatalf("frame %+v: beside the rows got %d and %d, want %d and %d", f, adderOf(s).betas[0], adderOf(s).tails[0], beta, tail)
			}
		}
	}
	if narrow < 1000 || wide < 500 || clipped < 1000 {
		t.Errorf("%d narrow, %d wide and %d clipped numbers: the test does not probe the edge", narrow, wide, clipped)
	}
}

func TestPoisonedProposalsContributeZero(t *testing.T) {
	rows, sample := made(t, [][]float64{{1, 0.5}}, 1.0/(1<<14))
	for name, p := range map[string][]float64{
		"NaN": {math.NaN(), 1}, "Inf": {math.Inf(1), 1}, "-Inf": {1, math.Inf(-1)}, "subnormal": {5e-324, 0},
	} {
		s := newTestSum(t, rows, sample, 2, 1, 10)
		if err := s.Add(0, kernel.Contributions{Columns: 2, Coefficients: p}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, v := range s.sums() {
			if v != 0 {
				t.Errorf("%s: got %v, want all zero", name, s.sums())
				break
			}
		}
	}
	s := newTestSum(t, rows, sample, 2, 1, 10)
	_ = s.Add(0, kernel.Contributions{Columns: 2, Coefficients: []float64{math.MaxFloat64, 1}})
	if norm := s.norm(); norm > 1 {
		t.Errorf("largest float: norm is %v of the bound, want at most 1", norm)
	}
}

// norm returns the L2 norm of the sum in units of Δ.
func (s *Sum) norm() float64 {
	sum := 0.0
	for _, v := range s.sums() {
		f := float64(v) / float64(s.grid.bound)
		sum += f * f
	}
	return math.Sqrt(sum)
}

func TestPoisonedRows(t *testing.T) {
	x := [][]float64{{math.NaN(), 1}, {math.Inf(1), math.Inf(-1)}, {5e-324, -5e-324}, {1e300, -1e300}, {1e-200, 1}}
	rows, sample := made(t, x, 1.0/(1<<14))
	want := [][]int16{{0, 16384}, {32767, -32767}, {0, 0}, {32767, -32767}, {0, 16384}}
	s := newTestSum(t, rows, sample, 1, 1, 10)
	q := make([]int64, 1)
	limit := new(big.Int).Mul(big.NewInt(s.grid.bound), big.NewInt(s.grid.bound))
	for i := range x {
		if got := rows.row(i); got[0] != want[i][0] || got[1] != want[i][1] {
			t.Errorf("row %v: got %v, want %v", x[i], got, want[i])
		}
		adderOf(s).roundWithin(q, []float64{1e9}, rows.n2[i], rows.multiplier(i))
		if exactNorm2(q, rows.row(i)).Cmp(limit) > 0 {
			t.Errorf("row %v exceeds the bound", x[i])
		}
	}
}

// TestSumHasTheSameBits sums in 50 orders on 1, 2, 3 and 8 goroutines.
func TestSumHasTheSameBits(t *testing.T) {
	const n, d, columns = 999, 7, 3
	r := rand.New(rand.NewPCG(3, 4))
	x, p := make([][]float64, n), make([]float64, n*columns)
	for i := range x {
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = r.NormFloat64()
		}
	}
	for i := range p {
		p[i] = r.NormFloat64() * math.Exp(3*r.NormFloat64())
	}
	rows, sample := made(t, x, 1.0/(1<<12))
	var want []int64
	for order := range 50 {
		perm := r.Perm(n)
		if order == 0 {
			for i := range perm {
				perm[i] = i
			}
		}
		for _, workers := range []int{1, 2, 3, 8} {
			got := sumInOrder(t, newTestSum(t, rows, sample, columns, 0.7, n), perm, p, workers)
			if want == nil {
				want = got
			}
			for j := range got {
				if got[j] != want[j] {
					t.Fatalf("order %d, %d goroutines: entry %d is %d, want %d", order, workers, j, got[j], want[j])
				}
			}
		}
	}
	if want[0] == 0 && want[1] == 0 {
		t.Error("the sum is zero: nothing was compared")
	}
}

func sumInOrder(t *testing.T, s *Sum, perm []int, p []float64, workers int) []int64 {
	t.Helper()
	parts := make([]*Sum, workers)
	var wait sync.WaitGroup
	for w := range parts {
		parts[w] = s.Empty()
		wait.Go(func() {
			for k := w; k < len(perm); k += workers {
				i := perm[k]
				if err := parts[w].Add(i, kernel.Contributions{Columns: s.columns, Coefficients: p[i*s.columns : (i+1)*s.columns]}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for _, part := range parts {
		if err := s.Merge(part); err != nil {
			t.Fatal(err)
		}
	}
	return s.sums()
}

// TestBlocksAgreeWithSingleRecords compares the four-row kernel with one record a call.
func TestBlocksAgreeWithSingleRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n, d = 23, 9
	x, p := make([][]float64, n), make([]float64, n*2)
	for i := range x {
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = r.Float64()*2 - 1
		}
	}
	for i := range p {
		p[i] = r.NormFloat64()
	}
	p[7] = math.NaN()
	rows, sample := made(t, x, 1.0/(1<<14))
	one, all := newTestSum(t, rows, sample, 2, 1, n), newTestSum(t, rows, sample, 2, 1, n)
	if err := all.Add(0, kernel.Contributions{Columns: 2, Coefficients: p}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := one.Add(i, kernel.Contributions{Columns: 2, Coefficients: p[2*i : 2*i+2]}); err != nil {
			t.Fatal(err)
		}
	}
	for j := range one.sums() {
		if one.sums()[j] != all.sums()[j] {
			t.Fatalf("entry %d: block %d, single %d", j, all.sums()[j], one.sums()[j])
		}
	}
}

// TestNeighborsMoveTheSumByAtMostTheBound adds one record to random sets, and holds that
// a built pair comes within 0.95 of the bound, so that the bound is not idle.
func TestNeighborsMoveTheSumByAtMostTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const d = 6
	worst := 0.0
	for trial := range 300 {
		n := 1 + r.IntN(20)
		x, p := make([][]float64, n+1), make([]float64, n+1)
		for i := range x {
			x[i] = make([]float64, d)
			for j := range x[i] {
				x[i][j] = r.NormFloat64()
			}
			p[i] = r.NormFloat64() * 10
		}
		if trial == 0 {
			x[n], p[n] = []float64{1, 0, 0, 0, 0, 0}, 1e6 // the built pair
		}
		total := func(k int) *Sum {
			rows, sample := made(t, x[:k], 1.0/(1<<13))
			s := newTestSum(t, rows, sample, 1, 2.5, 64)
			if err := s.Add(0, kernel.Contributions{Columns: 1, Coefficients: p[:k]}); err != nil {
				t.Fatal(err)
			}
			return s
		}
		without, with := total(n), total(n+1)
		moved, limit := new(big.Int), big.NewInt(with.grid.bound)
		for j := range with.sums() {
			diff := big.NewInt(with.sums()[j] - without.sums()[j])
			moved.Add(moved, diff.Mul(diff, diff))
		}
		ratio, _ := new(big.Rat).SetFrac(moved, limit.Mul(limit, limit)).Float64()
		if ratio > 1 {
			t.Fatalf("trial %d: the sum moved by %v of the bound", trial, math.Sqrt(ratio))
		}
		if worst = max(worst, math.Sqrt(ratio)); trial == 0 && worst < 0.95 {
			t.Errorf("the built pair moves the sum by %.4f of the bound, want at least 0.95", worst)
		}
	}
}

func TestSumRefusals(t *testing.T) {
	rows, sample := made(t, [][]float64{{1}, {1}, {1}}, 1)
	ones := func(n int) kernel.Contributions {
		return kernel.Contributions{Columns: 1, Coefficients: make([]float64, n)}
	}
	s := newTestSum(t, rows, sample, 1, 1, 3)
	if err := s.Add(1, ones(1)); err != nil {
		t.Fatal(err)
	}
	other, _ := Draw(Full(), 3)
	sealed := newTestSum(t, rows, sample, 1, 1, 3)
	sealed.Seal()
	twin := s.Empty()
	_ = twin.Add(1, ones(1))
	for name, err := range map[string]error{
		"a record twice":       s.Add(0, ones(2)),
		"outside the sample":   s.Add(2, ones(2)),
		"negative":             s.Add(-1, ones(1)),
		"other columns":        s.Add(0, kernel.Contributions{Columns: 2, Coefficients: make([]float64, 2)}),
		"sealed":               sealed.Add(0, ones(1)),
		"merge of a twin":      s.Merge(twin),
		"merge of a sealed":    s.Merge(sealed),
		"merge across samples": s.Merge(newTestSum(t, rows, other, 1, 1, 3)),
	} {
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	for name, o := range map[string]SumOptions{
		"no noise":      {Columns: 1, Bound: 1, MaxRecords: 3},
		"no columns":    {Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Bound: 1, MaxRecords: 3},
		"no bound":      {Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Columns: 1, MaxRecords: 3},
		"NaN bound":     {Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Columns: 1, Bound: math.NaN(), MaxRecords: 3},
		"too many rows": {Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Columns: 1, Bound: 1, MaxRecords: 2},
		"zero noise":    {Noise: mechanism.Gaussian{NoiseMultiplier: 0}, Columns: 1, Bound: 1, MaxRecords: 3},
	} {
		if _, err := NewSum(sample, rows, o); err == nil {
			t.Errorf("%s: got a sum, want an error", name)
		}
	}
	if _, err := NewSum(Sample{}, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Columns: 1, Bound: 1, MaxRecords: 3}); err == nil {
		t.Error("the zero sample: got a sum, want an error")
	}
}

// FuzzContribution holds the exact bound for any bits.
func FuzzContribution(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 0.5)
	f.Add(math.NaN(), math.Inf(1), 5e-324, 1e300)
	f.Fuzz(func(t *testing.T, x0, x1, p0, p1 float64) {
		rows, sample := made(t, [][]float64{{x0, x1}}, 1.0/(1<<12))
		s := newTestSum(t, rows, sample, 2, 1, 1000)
		q := make([]int64, 2)
		adderOf(s).roundWithin(q, []float64{p0, p1}, rows.n2[0], rows.multiplier(0))
		limit := big.NewInt(s.grid.bound)
		if exactNorm2(q, rows.row(0)).Cmp(limit.Mul(limit, limit)) > 0 {
			t.Errorf("row (%v, %v), proposal (%v, %v): %v exceeds the bound", x0, x1, p0, p1, q)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	for _, shape := range []struct {
		name       string
		d, columns int
	}{{"d=105", 105, 1}, {"d=785,K=10", 785, 10}} {
		b.Run(shape.name, func(b *testing.B) {
			const n = 4096
			r := rand.New(rand.NewPCG(1, 1))
			rows, _ := NewRows(n, RowsOptions{Dim: shape.d, Step: 1.0 / (1 << 14)}, func(dst []float64, _, _ int) {
				for j := range dst {
					dst[j] = r.Float64() / 30
				}
			})
			sample, _ := Draw(Full(), n)
			p := make([]float64, n*shape.columns)
			for i := range p {
				p[i] = r.NormFloat64() / 10
			}
			s := newTestSum(b, rows, sample, shape.columns, 1, n)
			for b.Loop() {
				_ = s.Empty().Add(0, kernel.Contributions{Columns: shape.columns, Coefficients: p})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*shape.d*shape.columns), "ns/coordinate")
		})
	}
}
