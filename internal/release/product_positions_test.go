package release

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// convolution returns a dense block with so many positions, and what makes factors of n records for it.
func convolution(r *rand.Rand, positions int) (ProductBlock, func(n int, left, right func() float32) []kernel.Factors[float32]) {
	b := ProductBlock{Right: 1 + r.IntN(4), Left: 1 + r.IntN(6), Bias: r.IntN(2) == 0}
	return b, func(n int, left, right func() float32) []kernel.Factors[float32] {
		f := kernel.Factors[float32]{Records: n, Positions: positions, Left: b.Left, Right: b.Right, Bias: b.Bias}
		for range n * positions * b.Left {
			f.Lefts = append(f.Lefts, left())
		}
		for range n * positions * b.Right {
			f.Rights = append(f.Rights, right())
		}
		return []kernel.Factors[float32]{f}
	}
}

// positionsOf adds Σ right_t ⊗ left_t over positions from … to-1 of the i-th record to dst, times a factor.
func positionsOf(dst []int64, p *productPart, i, from, to int, factor int64) {
	n, width := p.factors.Positions, p.width()
	for at := i*n + from; at < i*n+to; at++ {
		for j, right := range p.rights[at*p.Right : (at+1)*p.Right] {
			for k, left := range p.lefts[at*width : (at+1)*width] {
				dst[j*width+k] += factor * int64(right) * int64(left)
			}
		}
	}
}

// positionFaults are what the kernel that forms the contribution of the i-th record may leave in its place.
var positionFaults = map[string]func(r *rand.Rand, p *productPart, i int){
	"the record before's is added": func(_ *rand.Rand, p *productPart, i int) { positionsOf(p.own, p, i-1, 0, p.factors.Positions, 1) },
	"the record before's": func(_ *rand.Rand, p *productPart, i int) {
		clear(p.own)
		positionsOf(p.own, p, i-1, 0, p.factors.Positions, 1)
	},
	"a position counted twice": func(r *rand.Rand, p *productPart, i int) {
		t := r.IntN(p.factors.Positions)
		positionsOf(p.own, p, i, t, t+1, 1)
	},
	"a position lost": func(r *rand.Rand, p *productPart, i int) {
		t := r.IntN(p.factors.Positions)
		positionsOf(p.own, p, i, t, t+1, -1)
	},
	"columns shifted": func(_ *rand.Rand, p *productPart, _ int) {
		last := p.own[len(p.own)-1]
		copy(p.own[1:], p.own)
		p.own[0] = last
	},
	"a number one too large": func(r *rand.Rand, p *productPart, _ int) { p.own[r.IntN(len(p.own))]++ },
}

// TestContributionsOfOtherPositionsAreFound plants faults into the contribution of a record with several positions, far
// within the bound: each that changes an integer makes the sum faulty. By chance it fails with a probability below
// 1e-13: 2^-60 a trial.
func TestContributionsOfOtherPositionsAreFound(t *testing.T) {
	const n = 3
	for name, plant := range positionFaults {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 3))
			normal := func() float32 { return float32(r.NormFloat64()) }
			missed := 0
			for found, trial := 0, 0; found < checkTrials; trial++ {
				if trial == 4*checkTrials {
					t.Fatalf("%d of %d trials were faults, want %d", found, trial, checkTrials)
				}
				b, factors := convolution(r, 2+r.IntN(40))
				s, err := NewProductSum(fullSample(t, n), ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 5}, Blocks: []ProductBlock{b}, Bound: 1, MaxRecords: n})
				if err != nil {
					t.Fatal(err)
				}
				p := &s.parts[0]
				p.begin(factors(n, normal, normal)[0])
				for i := range n {
					s.addRecord(i, 1e-3)
				}
				if s.faulty {
					t.Fatal("a true contribution makes the sum faulty")
				}
				was := slices.Clone(p.own)
				if plant(r, p, n-1); slices.Equal(was, p.own) {
					continue
				}
				found++
				if s.admit(n - 1); !s.faulty {
					missed++
				} else if err = s.Add(nil, factors(0, normal, normal), nil); !errors.Is(err, ErrComputation) {
					t.Fatalf("Add has error %v, want %v", err, ErrComputation)
				}
			}
			if missed > 0 {
				t.Errorf("%d of %d faults were missed, want none", missed, checkTrials)
			}
		})
	}
}

// TestTrueConvolutionsAreNotFaulty adds records of 1 to 300 positions, wild ones and ones whose terms cancel, so that
// their integers are the largest that there are while the contribution is within the bound.
func TestTrueConvolutionsAreNotFaulty(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 3))
	sign := func() float32 { return float32(1 - 2*r.IntN(2)) }
	values := [][2]func() float32{
		{func() float32 { return float32(r.NormFloat64()) }, func() float32 { return float32(r.NormFloat64()) }},
		{func() float32 { return float32(wildFloat(r)) }, func() float32 { return float32(wildFloat(r)) }},
		{sign, sign},
		{sign, func() float32 { return sign() * math.MaxFloat32 }},
		{func() float32 { return 1 }, func() float32 { return 0 }},
	}
	most := int16(0)
	for trial := range trueSums / 10 {
		n, value := 1+r.IntN(3), values[trial%len(values)]
		b, factors := convolution(r, 1+trial%300)
		s, err := NewProductSum(fullSample(t, n), ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 5}, Blocks: []ProductBlock{b}, Bound: 1, MaxRecords: n})
		if err != nil {
			t.Fatal(err)
		}
		f := factors(n, value[0], value[1])
		if trial%2 == 0 { // each position has the negative of the one before
			for k := b.Left; k < len(f[0].Lefts); k++ {
				f[0].Lefts[k] = -f[0].Lefts[k-b.Left]
			}
			for k := b.Right; k < len(f[0].Rights); k++ {
				f[0].Rights[k] = f[0].Rights[k-b.Right]
			}
		}
		if err = s.Add(upTo(n), f, nil); err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		if most = max(most, slices.Max(s.parts[0].rights)); s.Seal().state.faulty {
			t.Fatalf("trial %d: the sum is faulty", trial)
		}
	}
	if most < maxRight-1 {
		t.Errorf("the largest integer of a right factor is %d, want about %d", most, maxRight)
	}
}

// TestMixPositionsIsThatOfBigIntegers compares the product of factors with the secret for all integers of 16 bits and
// secrets at the ends of the prime.
func TestMixPositionsIsThatOfBigIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	some := func(n int, ends []int16) []int16 {
		out := make([]int16, n)
		for k := range out {
			if out[k] = int16(r.Uint32()); r.IntN(2) == 0 {
				out[k] = ends[r.IntN(len(ends))]
			}
		}
		return out
	}
	secrets := func(n int) []uint64 {
		out := make([]uint64, n)
		for k := range out {
			if out[k] = r.Uint64N(prime); r.IntN(3) == 0 {
				out[k] = [...]uint64{0, 1, prime - 1}[r.IntN(3)]
			}
		}
		return out
	}
	dot := func(x []int16, r []uint64) *big.Int {
		sum := new(big.Int)
		for k, v := range x {
			sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(v)), new(big.Int).SetUint64(r[k])))
		}
		return sum
	}
	for trial := range trials(300, 5000) {
		n, records := 1+trial%300, 1+r.IntN(2)
		p := productPart{ProductBlock: ProductBlock{Right: 1 + r.IntN(9), Left: r.IntN(9), Bias: true}, factors: kernel.Factors[float32]{Positions: n}}
		width := p.width()
		p.lefts = some(records*n*width, []int16{0, 255, -255, math.MaxInt16, math.MinInt16})
		p.rights = some(records*n*p.Right, []int16{0, 0, maxRight, -maxRight, math.MinInt16})
		secret := productSecret{left: secrets(width), right: secrets(p.Right)}
		i, want := records-1, new(big.Int)
		for at := i * n; at < records*n; at++ {
			right := dot(p.rights[at*p.Right:(at+1)*p.Right], secret.right)
			want.Add(want, right.Mul(right, dot(p.lefts[at*width:(at+1)*width], secret.left)))
		}
		want.Mod(want, big.NewInt(prime))
		p.own = make([]int64, p.Numbers())
		positionsOf(p.own, &p, i, 0, n, 1)
		if got, formed := p.mixPositions(i, secret), mixMatrix(p.own, secret.left, secret.right); got != want.Uint64() || formed != got {
			t.Fatalf("trial %d: mix is %d of factors and %d of their product, want %d", trial, got, formed, want)
		}
	}
}
