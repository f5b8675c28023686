package release

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// productFaults are what kernels of a sum of products may do wrong, to what they made before it is admitted or to the sum
// after it.
var productFaults = map[string]struct {
	before bool
	plant  func(r *rand.Rand, s *ProductSum)
}{
	"right factors beyond the bound": {true, func(r *rand.Rand, s *ProductSum) {
		p := &s.parts[r.IntN(2)] // dense, of one position
		for j := range p.Right {
			p.rights[len(p.rights)-1-j] = 32767
		}
	}},
	"the norm of another record": {true, func(r *rand.Rand, s *ProductSum) {
		s.parts[r.IntN(2)].squares[3] += 1 + r.Int64N(9) // too large: it would make the record shorter
	}},
	"a contribution beyond the bound": {true, func(r *rand.Rand, s *ProductSum) {
		p := &s.parts[3+r.IntN(4)]
		if len(p.own) > 0 {
			p.own[r.IntN(len(p.own))] = [...]int64{1 << 42, -1 << 63, 1 << 62, -1 << 44, 1<<63 - 1}[r.IntN(5)]
		}
	}},
	"a token twice": {true, func(_ *rand.Rand, s *ProductSum) {
		if p := &s.parts[5]; len(p.tokens) > 1 {
			p.tokens[1] = p.tokens[0]
		}
	}},
	"a number one too large": {false, func(r *rand.Rand, s *ProductSum) { s.total[r.IntN(len(s.total))]++ }},
	"antisymmetric": {false, func(r *rand.Rand, s *ProductSum) {
		i, j := r.IntN(len(s.total)), r.IntN(len(s.total))
		s.total[i]++
		s.total[j]--
	}},
	"a carry lost":    {false, func(r *rand.Rand, s *ProductSum) { s.total[r.IntN(len(s.total))] -= 1 << 32 }},
	"a bit flipped":   {false, func(r *rand.Rand, s *ProductSum) { s.total[r.IntN(len(s.total))] ^= 1 << r.IntN(64) }},
	"a multiple of p": {false, func(r *rand.Rand, s *ProductSum) { s.total[r.IntN(len(s.total))] -= prime }},
	"a block doubled": {false, func(r *rand.Rand, s *ProductSum) {
		p := s.parts[r.IntN(len(s.parts))]
		for j := range p.total {
			p.total[j] *= 2
		}
	}},
	"exchanged": {false, func(r *rand.Rand, s *ProductSum) {
		i, j := r.IntN(len(s.total)), r.IntN(len(s.total))
		s.total[i], s.total[j] = s.total[j], s.total[i]
	}},
}

// TestFaultsOfProductSumsAreFound plants faults into sums of products, of all forms of blocks: each that changes a number
// of the sum, or that lets a record pass the bound, makes it faulty, and the others do not. By chance it fails with a
// probability below 1e-12: 2^-60 a trial.
func TestFaultsOfProductSumsAreFound(t *testing.T) {
	const n = 4
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	for name, fault := range productFaults {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(6, 2))
			for found, trial := 0, 0; found < checkTrials; trial++ {
				if trial == 20*checkTrials {
					t.Fatalf("%d of %d trials were faults, want %d", found, trial, checkTrials)
				}
				s, err := NewProductSum(fullSample(t, n), ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 5}, Blocks: productBlocks(), Bound: 1, MaxRecords: n})
				if err != nil {
					t.Fatal(err)
				}
				factors := someFactors(r, n, func() float32 { return float32(r.NormFloat64()) })
				if err = s.Add(all, factors, nil); err != nil {
					t.Fatal(err)
				}
				if fault.before {
					// The last record once more, with what a kernel made of it.
					for k := range s.parts {
						s.parts[k].begin(factors[k])
					}
					s.addRecord(n-1, 1)
					fault.plant(r, s)
					s.faulty = false
					if s.admit(n - 1); s.faulty {
						found++
					} else if name == "right factors beyond the bound" || name == "the norm of another record" {
						t.Fatal("a record that is beyond the bound, or was measured wrongly, was admitted")
					}
					if err = s.Add(nil, someFactors(r, 0, nil), nil); errors.Is(err, ErrComputation) != s.faulty {
						t.Fatalf("faulty is %v: Add has error %v", s.faulty, err)
					}
					continue
				}
				was := slices.Clone(s.total)
				fault.plant(r, s)
				if same, faulty := slices.Equal(was, s.total), s.Seal().state.faulty; same == faulty {
					t.Fatalf("faulty is %v for sums that are the same: %v", faulty, same)
				} else if faulty {
					found++
				}
			}
		})
	}
}

// TestTrueProductSumsAreNotFaulty adds wild factors, in parts that are merged and whose memory is used again.
func TestTrueProductSumsAreNotFaulty(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for trial := range trueSums / 20 {
		n := 1 + r.IntN(9)
		s, err := NewProductSum(fullSample(t, n), ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 5}, Blocks: productBlocks(), Bound: 1, MaxRecords: n})
		if err != nil {
			t.Fatal(err)
		}
		var part *ProductSum
		for i := range n {
			part = s.EmptyIn(part)
			factors := someFactors(r, 1, func() float32 {
				if trial%2 == 0 {
					return float32(wildFloat(r))
				}
				return float32(r.NormFloat64())
			})
			if err = part.Add([]int{i}, factors, nil); err != nil {
				t.Fatal(err)
			}
			if err = s.Merge(part); err != nil {
				t.Fatal(err)
			}
		}
		if s.Seal().state.faulty {
			t.Fatalf("trial %d: the sum is faulty", trial)
		}
	}
}

// TestSealedProductSumsStayAsTheyWereChecked adds a record to a copy of a sealed sum, and breaks its
// memory: what is released stays what was checked.
func TestSealedProductSumsStayAsTheyWereChecked(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 19))
	factors := func() []kernel.Factors[float32] {
		return someFactors(r, 1, func() float32 { return float32(r.NormFloat64()) })
	}
	s := newTestProductSum(t, 2, mechanism.Gaussian{NoiseMultiplier: 5}, 1)
	if err := s.Add([]int{0}, factors(), nil); err != nil {
		t.Fatal(err)
	}
	again := *s
	sealed := s.Seal().state
	checked := slices.Clone(sealed.values)
	if err := again.Add([]int{1}, factors(), nil); err != nil {
		t.Fatal(err)
	}
	again.total[0] += 7
	if sealed.faulty || !slices.Equal(sealed.values, checked) {
		t.Errorf("a sealed sum changed (faulty: %v), want what was checked", sealed.faulty)
	}
}
