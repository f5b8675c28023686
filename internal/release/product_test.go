package release

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// productShapes are blocks with the number of positions and, of sparse ones, entries of their factors.
var productShapes = []struct {
	block              ProductBlock
	positions, entries int
}{
	{ProductBlock{Right: 3, Left: 5}, 1, 0},
	{ProductBlock{Right: 4, Left: 7, Bias: true}, 1, 0},
	{ProductBlock{Right: 6, Bias: true}, 1, 0},
	{ProductBlock{Right: 2, Left: 3, Bias: true}, 9, 0},
	{ProductBlock{Right: 3, Bias: true}, 4, 0},
	{ProductBlock{Right: 2, Left: 6, Sparse: true}, 8, 1},
	{ProductBlock{Right: 3, Left: 4, Sparse: true}, 1, 7},
}

func productBlocks() []ProductBlock {
	blocks := make([]ProductBlock, len(productShapes))
	for k, s := range productShapes {
		blocks[k] = s.block
	}
	return blocks
}

// someFactors returns factors of n records for every shape, whose numbers next makes.
func someFactors(r *rand.Rand, n int, next func() float32) []kernel.Factors[float32] {
	fill := func(n int) []float32 {
		out := make([]float32, n)
		for k := range out {
			out[k] = next()
		}
		return out
	}
	all := make([]kernel.Factors[float32], len(productShapes))
	for k, s := range productShapes {
		b, places := s.block, n*s.positions
		f := kernel.Factors[float32]{Records: n, Positions: s.positions, Left: b.Left, Right: b.Right, Bias: b.Bias, Rights: fill(places * b.Right)}
		if !b.Sparse {
			f.Lefts = fill(places * b.Left)
			all[k] = f
			continue
		}
		f.Entries, f.Index = s.entries, make([]uint32, places*s.entries)
		for j := range f.Index {
			if f.Index[j] = uint32(r.IntN(b.Left + 1)); int(f.Index[j]) == b.Left {
				f.Index[j] = kernel.NoIndex
			}
		}
		if s.positions == 1 {
			f.Values = fill(places * s.entries)
		}
		all[k] = f
	}
	return all
}

// gradients returns the contribution of record i to all blocks, in float64, by the definition.
func gradients(all []kernel.Factors[float32], i int) []float64 {
	var out []float64
	for _, f := range all {
		width := f.Width()
		block := make([]float64, f.Right*width)
		for t := range f.Positions {
			left := make([]float64, width)
			at := i*f.Positions + t
			for j := range f.Left {
				if f.Index == nil {
					left[j] = float64(f.Lefts[at*f.Left+j])
				}
			}
			if f.Bias {
				left[f.Left] = 1
			}
			for e := range f.Entries {
				if v := f.Index[at*f.Entries+e]; v != kernel.NoIndex {
					value := 1.0
					if f.Values != nil {
						value = float64(f.Values[at*f.Entries+e])
					}
					left[v] += value
				}
			}
			for k := range f.Right {
				for j, x := range left {
					to := k*width + j
					if f.Index != nil {
						to = j*f.Right + k
					}
					block[to] += x * float64(f.Rights[at*f.Right+k])
				}
			}
		}
		out = append(out, block...)
	}
	return out
}

// part returns the factors of record i alone.
func partOf(all []kernel.Factors[float32], i int) []kernel.Factors[float32] {
	out := slices.Clone(all)
	for k, f := range all {
		out[k].Records = 1
		out[k].Rights = f.Rights[i*f.Positions*f.Right : (i+1)*f.Positions*f.Right]
		if f.Index == nil {
			out[k].Lefts = f.Lefts[i*f.Positions*f.Left : (i+1)*f.Positions*f.Left]
			continue
		}
		n := f.Positions * f.Entries
		out[k].Index = f.Index[i*n : (i+1)*n]
		if f.Values != nil {
			out[k].Values = f.Values[i*n : (i+1)*n]
		}
	}
	return out
}

func newTestProductSum(t *testing.T, records int, noise mechanism.Noise, bound float64) *ProductSum {
	t.Helper()
	sample, _ := Draw(Full(), records)
	s, err := NewProductSum(sample, ProductOptions{Noise: noise, Blocks: productBlocks(), Bound: bound, MaxRecords: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bigSquare returns Σ v², in big integers.
func bigSquare(values []int64) *big.Int {
	sum := new(big.Int)
	for _, v := range values {
		x := big.NewInt(v)
		sum.Add(sum, x.Mul(x, x))
	}
	return sum
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestProductsNeverExceedTheBound adds one record of wild factors at a time, and holds what the sum got to Δ
// in big integers.
func TestProductsNeverExceedTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	full := 0
	for range 3000 {
		s := newTestProductSum(t, 1, mechanism.Gaussian{NoiseMultiplier: 1.7}, 2.5)
		wild := r.IntN(2) == 0
		one := someFactors(r, 1, func() float32 {
			if wild {
				return float32(wildFloat(r))
			}
			return float32(r.NormFloat64() * math.Exp(r.NormFloat64()/2))
		})
		weight := float32(math.Exp(3 * r.NormFloat64()))
		if err := s.Add([]int{0}, one, []float32{weight}); err != nil {
			t.Fatal(err)
		}
		limit := bigSquare([]int64{s.grid.bound})
		got := bigSquare(s.total)
		if got.Cmp(limit) > 0 {
			t.Fatalf("a record adds squared norm %v, want at most %v", got, limit)
		}
		length, _ := new(big.Rat).SetFrac(got, limit).Float64()
		if !wild && float64(weight)*kernel.Norm(gradients(one, 0)) > 2.6 {
			if full++; length < 0.2 {
				t.Fatalf("a record beyond the bound adds squared norm %v of the most, want a good part", length)
			}
		}
	}
	if full < 500 {
		t.Errorf("%d of 3000 records are beyond the bound, want at least 500", full)
	}
}

// TestProductsAreTheClippedGradients compares the sum with the definition in float64.
func TestProductsAreTheClippedGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	const n = 40
	all := someFactors(r, n, func() float32 { return float32(r.NormFloat64()) })
	weights := make([]float32, n)
	s := newTestProductSum(t, n, mechanism.NonPrivate{}, 4)
	want := make([]float64, len(s.total))
	for i := range n {
		weights[i] = float32(r.Float64())
		g := gradients(all, i)
		w := float64(weights[i]) * min(1, 4/(float64(weights[i])*kernel.Norm(g)))
		for j, v := range g {
			want[j] += w * v
		}
	}
	if err := s.Add(upTo(n), all, weights); err != nil {
		t.Fatal(err)
	}
	got := s.Seal().state
	// A number of a factor is off by 1/510 of the largest of its record, at most.
	off := make([]float64, len(want))
	for j, v := range got.values {
		off[j] = float64(v)*got.unit - want[j]
	}
	if d, norm := kernel.Norm(off), kernel.Norm(want); !(d <= 0.01*norm) || norm < 10 {
		t.Errorf("the sum, of norm %v, is off by %v, want at most 1 %%", norm, d)
	}
}

// TestProductsDoNotDependOnTheirOrder adds the same records at once, one by one in another order, and over two
// sums that are merged.
// TestMemoryOfSumsIsUsedAgain adds up in the memory of merged sums what new sums add up, and leaves sums alone that are
// sealed, hold records, or have other blocks.
func TestMemoryOfSumsIsUsedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	blocks, records := productBlocks(), []int{0, 1, 2}
	fresh := func(bound float64, blocks []ProductBlock) *ProductSum {
		sample, err := Draw(Full(), 3)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewProductSum(sample, ProductOptions{Noise: mechanism.NonPrivate{}, Blocks: blocks, Bound: bound, MaxRecords: 3})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	add := func(s *ProductSum, f []kernel.Factors[float32]) {
		if err := s.Add(records, f, nil); err != nil {
			t.Fatal(err)
		}
	}
	first, second, want := fresh(2, blocks), fresh(3, blocks), fresh(3, blocks)
	part := first.EmptyIn(nil)
	add(part, someFactors(r, 3, func() float32 { return float32(r.NormFloat64()) }))
	if second.EmptyIn(part) == part {
		t.Error("the memory of a sum with records was used again")
	}
	if err := first.Merge(part); err != nil {
		t.Fatal(err)
	}
	again, numbers := second.EmptyIn(part), someFactors(r, 3, func() float32 { return float32(r.NormFloat64()) })
	if again != part {
		t.Error("the memory of a merged sum was not used again")
	}
	add(again, numbers)
	add(want, numbers)
	if err := second.Merge(again); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(second.total, want.total) || !slices.ContainsFunc(want.total, func(v int64) bool { return v != 0 }) {
		t.Errorf("got %v, want %v", second.total, want.total)
	}
	if fresh(2, blocks[1:]).EmptyIn(again) == again || second.EmptyIn(second) == second {
		t.Error("the memory of a sum of other blocks, or its own, was used again")
	}
	again.Seal()
	if second.EmptyIn(again) == again {
		t.Error("the memory of a sealed sum was used again")
	}
	if err := want.Merge(want); err == nil {
		t.Error("a sum was merged with itself")
	}
}

// TestZerosDoNotShortenRecords adds records of which one block has left factors of zeros, or no entries, beside right
// factors of any length, and wants the other block's part whole.
func TestZerosDoNotShortenRecords(t *testing.T) {
	sample, err := Draw(Full(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]ProductBlock{"dense": {Right: 2, Left: 3}, "sparse": {Right: 2, Left: 3, Sparse: true}} {
		s, failed := NewProductSum(sample, ProductOptions{Noise: mechanism.NonPrivate{}, Blocks: []ProductBlock{b, {Right: 1, Bias: true}}, Bound: 1, MaxRecords: 1})
		if failed != nil {
			t.Fatal(failed)
		}
		zeros := kernel.Factors[float32]{Records: 1, Positions: 1, Right: 2, Left: 3, Rights: []float32{50, -0.9}, Lefts: make([]float32, 3)}
		if b.Sparse {
			zeros.Lefts, zeros.Index, zeros.Values, zeros.Entries = nil, []uint32{kernel.NoIndex, 2}, []float32{0, 0}, 2
		}
		own := kernel.Factors[float32]{Records: 1, Positions: 1, Right: 1, Bias: true, Rights: []float32{0.5}}
		if failed = s.Add([]int{0}, []kernel.Factors[float32]{zeros, own}, nil); failed != nil {
			t.Fatal(failed)
		}
		noisy, failed := Release(free{}, mechanism.NonPrivate{}, s.Seal())
		if failed != nil {
			t.Fatal(failed)
		}
		for j, got := range noisy.Values() {
			if want := map[int]float64{6: 0.5}[j]; math.Abs(got-want) > 1e-4 {
				t.Errorf("%s: number %d is %v, want %v", name, j, got, want)
			}
		}
	}
}

func TestProductsDoNotDependOnTheirOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	const n = 300 // more than a group
	all := someFactors(r, n, func() float32 { return float32(r.NormFloat64() * 3) })
	whole := newTestProductSum(t, n, mechanism.Gaussian{NoiseMultiplier: 0.8}, 1)
	if err := whole.Add(upTo(n), all, nil); err != nil {
		t.Fatal(err)
	}
	a, b := newTestProductSum(t, n, mechanism.Gaussian{NoiseMultiplier: 0.8}, 1), (*ProductSum)(nil)
	b = a.Empty()
	a.sample, b.sample = whole.sample, whole.sample
	for k, i := range r.Perm(n) {
		to := a
		if k%3 == 0 {
			to = b
		}
		if err := to.Add([]int{i}, partOf(all, i), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.total, whole.total) {
		t.Error("another order gives another sum")
	}
}

// TestBadRecordsAddNothing puts NaN and infinities into one record: it adds nothing, and the others what they add
// without it.
func TestBadRecordsAddNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n, bad = 5, 2
	others := newTestProductSum(t, n, mechanism.Gaussian{NoiseMultiplier: 1}, 1)
	all := someFactors(r, n, func() float32 { return float32(r.NormFloat64()) })
	for i := range n {
		if i != bad {
			if err := others.Add([]int{i}, partOf(all, i), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for k, f := range all {
			for _, side := range [][]float32{f.Lefts, f.Rights, f.Values} {
				if len(side) == 0 {
					continue
				}
				at := len(side) / n * bad
				old := side[at]
				side[at] = float32(v)
				s := newTestProductSum(t, n, mechanism.Gaussian{NoiseMultiplier: 1}, 1)
				if err := s.Add(upTo(n), all, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(s.total, others.total) {
					t.Errorf("a record with %v in block %d adds something", v, k)
				}
				side[at] = old
			}
		}
	}
}

// TestProductSumsRefuse tries what a caller may not do, and that nothing is added then.
func TestProductSumsRefuse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	one := someFactors(r, 1, func() float32 { return 1 })
	s := newTestProductSum(t, 3, mechanism.Gaussian{NoiseMultiplier: 1}, 1)
	if err := s.Add([]int{1}, one, nil); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(s.total)
	short := slices.Clone(one)
	short[0].Rights = short[0].Rights[:1]
	outside := slices.Clone(one)
	outside[5].Index = slices.Clone(one[5].Index)
	outside[5].Index[0] = uint32(one[5].Left)
	for name, add := range map[string]func() error{
		"a record twice":        func() error { return s.Add([]int{1}, one, nil) },
		"a record outside":      func() error { return s.Add([]int{3}, one, nil) },
		"short factors":         func() error { return s.Add([]int{0}, short, nil) },
		"an index outside":      func() error { return s.Add([]int{0}, outside, nil) },
		"no weights":            func() error { return s.Add([]int{0}, one, []float32{}) },
		"a block too few":       func() error { return s.Add([]int{0}, one[1:], nil) },
		"one record as two":     func() error { return s.Add([]int{0, 2}, one, nil) },
		"a sum with its record": func() error { o := s.Empty(); o.added[0] = 2; return s.Merge(o) },
	} {
		if add() == nil || !slices.Equal(s.total, before) {
			t.Errorf("%s is accepted", name)
		}
	}
	sample, _ := Draw(Full(), 1)
	for _, o := range []ProductOptions{
		{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Bound: 1, MaxRecords: 1},
		{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: []ProductBlock{{Right: 0, Left: 1}}, Bound: 1, MaxRecords: 1},
		{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: []ProductBlock{{Right: 1}}, Bound: 1, MaxRecords: 1},
		{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: []ProductBlock{{Right: 1 << 20, Left: 1 << 20}}, Bound: 1, MaxRecords: 1},
		{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: []ProductBlock{{Right: 1, Left: 1, Bias: true, Sparse: true}}, Bound: 1, MaxRecords: 1},
		{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: productBlocks(), Bound: math.Inf(1), MaxRecords: 1},
		{Blocks: productBlocks(), Bound: 1, MaxRecords: 1},
		{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Blocks: productBlocks(), Bound: 1},
	} {
		if _, err := NewProductSum(sample, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestManyProductsDoNotOverflow adds many records at the bound that all point the same way.
func TestManyProductsDoNotOverflow(t *testing.T) {
	const n = 2000
	sample, _ := Draw(Full(), n)
	s, err := NewProductSum(sample, ProductOptions{Noise: mechanism.NonPrivate{}, Blocks: []ProductBlock{{Right: 1, Left: 1}}, Bound: 1, MaxRecords: n})
	if err != nil {
		t.Fatal(err)
	}
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = 1
	}
	if err := s.Add(upTo(n), []kernel.Factors[float32]{{Records: n, Positions: 1, Left: 1, Right: 1, Lefts: ones, Rights: ones}}, nil); err != nil {
		t.Fatal(err)
	}
	if got := s.Seal().state; math.Abs(float64(got.values[0])*got.unit-n) > 0.01*n {
		t.Errorf("%d records of 1 add up to %v", n, float64(got.values[0])*got.unit)
	}
}

// TestShapesOfProductsStay changes the blocks that a sum was made with: the sum has its own.
func TestShapesOfProductsStay(t *testing.T) {
	r, blocks := rand.New(rand.NewPCG(6, 2)), productBlocks()
	s, err := NewProductSum(fullSample(t, 1), ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 5}, Blocks: blocks, Bound: 1, MaxRecords: 1})
	if err != nil {
		t.Fatal(err)
	}
	blocks[0].Left++
	if err = s.Add([]int{0}, someFactors(r, 1, func() float32 { return 1 }), nil); err != nil {
		t.Errorf("factors of the shape that the sum was made for: %v", err)
	}
}
