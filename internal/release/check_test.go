package release

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// fault is a way in which a kernel computes something else, once.
type fault struct {
	r *rand.Rand
	// wait is how many calls are right before the wrong one; negative: none is wrong any more.
	wait int
	sum  func(f *fault, p storage, whole, q []float64, columns int)
	move func(f *fault, total []int64) // after a flush
	last []float64                     // the integers of the last block
	lock sync.Mutex                    // parts of a recursion add at once
}

// now reports whether this call is the wrong one.
func (f *fault) now() bool {
	f.wait--
	return f.wait == -1
}

// broken is a payload with a fault.
type broken struct {
	storage
	fault *fault
}

func (b broken) Part(first, n int) storage { return broken{b.storage.Part(first, n), b.fault} }

func (b broken) AddWhole(whole, q []float64, columns int) {
	b.fault.lock.Lock()
	defer b.fault.lock.Unlock()
	if b.fault.sum == nil || !b.fault.now() {
		b.storage.AddWhole(whole, q, columns)
	} else {
		b.fault.sum(b.fault, b.storage, whole, q, columns)
	}
	b.fault.last = slices.Clone(q)
}

func (b broken) Flush(total []int64, whole []float64, columns int) {
	b.fault.lock.Lock()
	defer b.fault.lock.Unlock()
	b.storage.Flush(total, whole, columns)
	if b.fault.move != nil && b.fault.now() {
		b.fault.move(b.fault, total)
	}
}

// sumFaults are faults of the kernels that sum. What they do not change is no fault.
var sumFaults = map[string]func(f *fault, p storage, whole, q []float64, columns int){
	"a record dropped": func(f *fault, p storage, whole, q []float64, columns int) {
		q = slices.Clone(q)
		i := f.r.IntN(p.Count())
		clear(q[i*columns : (i+1)*columns])
		p.AddWhole(whole, q, columns)
	},
	"a record doubled": func(f *fault, p storage, whole, q []float64, columns int) {
		q = slices.Clone(q)
		i := f.r.IntN(p.Count())
		for k := range columns {
			q[i*columns+k] *= 2
		}
		p.AddWhole(whole, q, columns)
	},
	"a row taken from its neighbor": func(f *fault, p storage, whole, q []float64, columns int) {
		q = slices.Clone(q)
		i, k := f.r.IntN(p.Count()), f.r.IntN(columns)
		j := (i + 1) % p.Count()
		q[i*columns+k], q[j*columns+k] = q[j*columns+k], q[i*columns+k]
		p.AddWhole(whole, q, columns)
	},
	"a lane lost": func(f *fault, p storage, whole, q []float64, columns int) {
		j := f.r.IntN(len(whole))
		old := whole[j]
		p.AddWhole(whole, q, columns)
		whole[j] = old
	},
	"a sign flipped": func(f *fault, p storage, whole, q []float64, columns int) {
		p.AddWhole(whole, q, columns)
		whole[f.r.IntN(len(whole))] *= -1
	},
	"a stale block": func(f *fault, p storage, whole, q []float64, columns int) {
		if len(f.last) != len(q) {
			f.last = make([]float64, len(q))
		}
		p.AddWhole(whole, f.last, columns)
	},
	"an error of 0.75": func(f *fault, p storage, whole, q []float64, columns int) {
		p.AddWhole(whole, q, columns)
		whole[f.r.IntN(len(whole))] += 0.75
	},
}

// moveFaults are faults of the integers of a sum.
var moveFaults = map[string]func(f *fault, total []int64){
	"a carry lost":                     func(f *fault, total []int64) { total[f.r.IntN(len(total))] -= 1 << 32 },
	"a bit flipped in a sum":           func(f *fault, total []int64) { total[f.r.IntN(len(total))] ^= 1 << f.r.IntN(64) },
	"an error that is a multiple of p": func(f *fault, total []int64) { total[f.r.IntN(len(total))] += prime * int64(1+f.r.IntN(3)) },
	"a number one too large":           func(f *fault, total []int64) { total[f.r.IntN(len(total))]++ },
	"two numbers exchanged": func(f *fault, total []int64) {
		i, j := f.r.IntN(len(total)), f.r.IntN(len(total))
		total[i], total[j] = total[j], total[i]
	},
	"one number one too large, one too small": func(f *fault, total []int64) { total[f.r.IntN(len(total))]++; total[f.r.IntN(len(total))]-- },
}

// proposed returns wild and tame proposals.
func proposed(r *rand.Rand, n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		if p[i] = r.NormFloat64(); r.IntN(5) == 0 {
			p[i] = wildFloat(r)
		}
	}
	return p
}

// filled returns the sum of rows in blocks, of two parts, before it is sealed.
func filled(t *testing.T, rows *Rows, s Sample, columns int, p []float64) *Sum {
	t.Helper()
	sum := newTestSum(t, rows, s, columns, 1, rows.total)
	part := sum.Empty()
	for first := 0; first < rows.count; first += 5 {
		n, into := min(5, rows.count-first), sum
		if first >= rows.count/2 {
			into = part
		}
		if err := into.Add(first, kernel.Contributions{Columns: columns, Coefficients: p[first*columns : (first+n)*columns]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sum.Merge(part); err != nil {
		t.Fatal(err)
	}
	return sum
}

// trueSums is how many true sums are checked and checkTrials how often each fault is planted.
var trueSums, checkTrials = trials(4000, 100000), trials(150, 1000)

// TestTrueSumsAreNotFaulty sums what comes near every limit: rows of the largest integers with either sign, proposals far
// beyond the bound, all of them alike, and samples of all sizes.
func TestTrueSumsAreNotFaulty(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for trial := range trueSums {
		n, dim, columns := 1+r.IntN(12), 1+r.IntN(6), 1+r.IntN(3)
		kind := rowTypes[trial%len(rowTypes)]
		f := Standardization{}
		if trial%2 == 1 {
			all := frames(r, dim)
			f = all[r.IntN(len(all))]
		}
		x, p := coordinates(r, kind, n, dim), proposed(r, n*columns)
		if trial%5 < 2 {
			for i, row := range x {
				for j := range row {
					row[j] = 1
					if kind != Bit && kind != Uint8 && trial%5 == 1 {
						row[j] = -1
					}
					p[i*columns] = 1e300
				}
			}
		}
		rows := typedRows(t, x, kind, f, 0, n)
		if filled(t, rows, fullSample(t, n), columns, p).Seal().state.faulty {
			t.Fatalf("trial %d: %v rows of %d coordinates in frame %+v: the sum is faulty", trial, kind, dim, f)
		}
	}
}

// TestFaultsOfMeasuresAreFound lets kernels give wrong norms, multiples of the center, intercepts
// and multipliers, or lose a record: rows are refused.
func TestFaultsOfMeasuresAreFound(t *testing.T) {
	const n, dim = 9, 6
	r := rand.New(rand.NewPCG(3, 9))
	found := 0
	for trial := range checkTrials * 4 {
		kind := rowTypes[trial%len(rowTypes)]
		all := frames(r, dim)
		f := all[trial/len(rowTypes)%len(all)]
		if f.Whitening != nil {
			continue
		}
		rows := typedRows(t, coordinates(r, kind, n, dim), kind, f, 0, n)
		wrong, i := rows.frame.newMeasures(n, measures{}), r.IntN(n)
		rows.frame.measureAll(wrong, rows.x)
		was := wrong.part(0, n)
		was.n2, was.betas, was.tails, was.multipliers = slices.Clone(was.n2), slices.Clone(was.betas), slices.Clone(was.tails), slices.Clone(was.multipliers)
		switch k := r.IntN(6); {
		case k == 0 && wrong.betas != nil:
			wrong.betas[i] += int32(r.IntN(7) - 3)
		case k == 1 && wrong.tails != nil:
			wrong.tails[i] += int32(r.IntN(7) - 3)
		case k == 2 && wrong.multipliers != nil:
			wrong.multipliers[i] = math.Nextafter32(wrong.multipliers[i], 1)
		case k == 3: // a record that is lost
			wrong.set(i, rowMeasures{})
		case k == 4:
			wrong.n2[i] ^= 1 << r.IntN(63)
		default:
			wrong.n2[i] -= int64(1 + r.IntN(5))
		}
		if slices.Equal(was.n2, wrong.n2) && slices.Equal(was.betas, wrong.betas) && slices.Equal(was.tails, wrong.tails) && slices.Equal(was.multipliers, wrong.multipliers) {
			continue
		}
		found++
		rows.known = newEntered(n)
		if err := rows.enter(&wrong, 0, nil); !errors.Is(err, ErrComputation) {
			t.Fatalf("%v, %+v: rows with wrong measures entered with error %v", kind, f, err)
		}
	}
	if found < checkTrials {
		t.Errorf("%d faults were planted, want %d", found, checkTrials)
	}
}

// TestCoefficientsBeyondTheBoundAreFound hands admit integers that pass the bound by as little as there is.
func TestCoefficientsBeyondTheBoundAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for trial := range checkTrials {
		columns := 1 + trial%3
		rows := typedRows(t, coordinates(r, Int16, 6, 3), Int16, Standardization{}, 0, 6)
		s := newTestSum(t, rows, fullSample(t, 6), columns, 1, 6)
		b, err := rows.Load(0, 6, Block{})
		if err != nil {
			t.Fatal(err)
		}
		i := r.IntN(6)
		q := make([]float64, 6*columns)
		if b.n2[i] > 0 {
			q[i*columns+r.IntN(columns)] = float64(mostOf(b.n2[i], 1, s.limit))
		}
		if err = s.Empty().admit(q, columns, 1, &b); err != nil {
			t.Fatalf("the largest integer within the bound is refused: %v", err)
		}
		for k := range columns {
			if v := &q[i*columns+k]; *v != 0 || b.n2[i] == 0 {
				*v += math.Copysign(1, *v)
				break
			}
		}
		if err = s.admit(q, columns, 1, &b); !errors.Is(err, ErrComputation) || !s.Seal().state.faulty {
			t.Fatalf("trial %d: integers beyond the bound were admitted with error %v", trial, err)
		}
	}
}

// TestFaultySumsAreNotReleased hands a faulty sum to what releases: alone, joined with another one, and in a series.
func TestFaultySumsAreNotReleased(t *testing.T) {
	rows, sample := made(t, [][]float64{{1, 2}, {3, 4}}, 0.01)
	for _, faulty := range []bool{false, true} {
		sealed := newTestSum(t, rows, sample, 1, 1, 2).Seal()
		sealed.state.faulty = faulty
		joined, err := Join(newTestSum(t, rows, sample, 1, 1, 2).Seal(), sealed)
		if err != nil {
			t.Fatal(err)
		}
		_, err = joined.Release(free{})
		_, alone := Release(free{}, mechanism.Gaussian{NoiseMultiplier: 7.3}, sealed)
		series, failed := OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: 1, Bands: 1, Steps: 2, Probability: 1}, 2, SeriesOptions{Coefficients: []int64{1}, MaxRecords: 2})
		if failed != nil {
			t.Fatal(failed)
		}
		drawn, failed := series.Draw()
		if failed != nil {
			t.Fatal(failed)
		}
		step := sumOf(t, drawn, kindOfVectors(series, 2, 2), func(int) []float64 { return []float64{1, 1} })
		step.state.faulty = faulty
		_, inSeries := series.Release(step)
		for what, got := range map[string]error{"alone": alone, "joined": err, "in a series": inSeries} {
			if errors.Is(got, ErrComputation) != faulty || !faulty && got != nil {
				t.Errorf("%s, faulty is %v: got %v", what, faulty, got)
			}
		}
	}
}

// TestResiduesAreThoseOfBigIntegers compares the arithmetic of checks with big integers.
func TestResiduesAreThoseOfBigIntegers(t *testing.T) {
	r, p := rand.New(rand.NewPCG(1, 1)), big.NewInt(prime)
	edge := func() uint64 {
		return [...]uint64{0, 1, prime - 1, prime, prime + 1, 1 << 63, math.MaxUint64, r.Uint64(), r.Uint64() >> r.IntN(64)}[r.IntN(9)]
	}
	same := func(name string, got uint64, want *big.Int) {
		t.Helper()
		if want.Mod(want, p); want.Cmp(new(big.Int).SetUint64(got)) != 0 {
			t.Fatalf("%s is %d, want %v", name, got, want)
		}
	}
	unsigned := func(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
	for range 100000 {
		a, b, n := edge(), edge(), uint(r.IntN(61))
		v := int64(a)
		same("residue", residue(a), unsigned(a))
		same("residue128", residue128(a, b), new(big.Int).Add(new(big.Int).Lsh(big.NewInt(int64(a)), 64), unsigned(b)))
		same("times2", times2(residue(b), n), new(big.Int).Lsh(unsigned(b), n))
		same("timesResidue", timesResidue(v, residue(b)), new(big.Int).Mul(big.NewInt(v), unsigned(b)))
		same("signedResidue", signedResidue(v), big.NewInt(v))
	}
	for _, n := range []int{0, 1, 63, 64, 65, 1000, mixTerms - 1, mixTerms, mixTerms + 1, 2*mixTerms + 7} {
		secret, x, long := uniform(n), make([]int16, n), make([]int64, n)
		want, wantLong, square := new(big.Int), new(big.Int), new(big.Int)
		for j := range x {
			if x[j] = math.MinInt16; n < mixTerms && j%3 > 0 {
				x[j] = int16(r.Uint32())
			}
			long[j] = (r.Int64N(1<<60) - 1<<59) >> r.IntN(60)
			want.Add(want, new(big.Int).Mul(big.NewInt(int64(x[j])), unsigned(secret[j])))
			wantLong.Add(wantLong, new(big.Int).Mul(big.NewInt(long[j]), unsigned(secret[j])))
			square.Add(square, big.NewInt(int64(x[j])*int64(x[j])))
		}
		gotSquare, mix := mixWhole(x, secret)
		same(fmt.Sprintf("mixWhole of %d", n), mix, want)
		same(fmt.Sprintf("mixLong of %d", n), mixLong(long, secret), wantLong)
		if square.Cmp(big.NewInt(gotSquare)) != 0 {
			t.Fatalf("the square of %d integers is %d, want %v", n, gotSquare, square)
		}
		sparse := crooked{values: x}
		for j := range n {
			sparse.index = append(sparse.index, uint32(j))
		}
		if s, m := new(reader).mix(sparse, 0, secret); s != gotSquare || m != mix {
			t.Fatalf("a sparse row of %d integers has square %d and mix %d, want those of a dense one, %d and %d", n, s, m, gotSquare, mix)
		}
	}
}

// TestSecretsDoNotRepeat holds that what rows are mixed with is uniform below the prime as far as
// 4096 numbers show: all differ, none reaches the prime, and each bit is one in 1720 to 2376 of
// them, which chance misses with a probability below 1e-20. Two
// secrets have no number in common, nor have sums that are checked alone.
func TestSecretsDoNotRepeat(t *testing.T) {
	r := newOrigin(4095).secret
	seen, ones := map[uint64]bool{}, [primeBits]int{}
	for _, v := range r {
		if v >= prime || seen[v] {
			t.Fatalf("%d is not below the prime or came before", v)
		}
		seen[v] = true
		for k := range ones {
			ones[k] += int(v >> k & 1)
		}
	}
	if slices.Min(ones[:]) < 1720 || slices.Max(ones[:]) > 2376 {
		t.Errorf("bits are one in %v of 4096 numbers", ones)
	}
	all := slices.Concat(r, newOrigin(99).secret, newVectorCheck(100).secret, newVectorCheck(100).secret)
	for _, of := range [][]productSecret{productSecrets(productBlocks()), productSecrets(productBlocks())} {
		for _, s := range of {
			all = append(append(all, s.left...), s.right...)
		}
	}
	for range 2 {
		m := newMomentCheck(fullSample(t, 1), AllProducts(), 6, 1)
		all = append(append(all, m.left...), m.right...)
	}
	for range 2 {
		rows := typedRows(t, [][]float64{{1, 2, 3}}, Int16, Standardization{}, 0, 1)
		all = append(all, rows.frame.secret...)
	}
	if slices.Sort(all); len(slices.Compact(slices.Clone(all))) < len(all) {
		t.Error("two secrets have a number in common")
	}
}

// BenchmarkAdmit is what the checks take a record and column, and BenchmarkMix a coordinate of a row.
func BenchmarkAdmit(b *testing.B) {
	const n = 256
	for _, columns := range []int{1, 10} {
		r := rand.New(rand.NewPCG(1, 2))
		rows := typedRows(b, coordinates(r, Uint8, n, 20), Uint8, Standardization{Normalize: NormalizeUnit}, 0, n)
		s, err := NewSum(fullSample(b, n), rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 20}, Columns: columns, Bound: 1, MaxRecords: 1 << 16, Coarse: true})
		if err != nil {
			b.Fatal(err)
		}
		block, err := rows.Load(0, n, Block{})
		if err != nil {
			b.Fatal(err)
		}
		q := make([]float64, n*columns)
		for i := range q {
			if block.n2[i/columns] > 0 {
				q[i] = float64(r.IntN(201) - 100)
			}
		}
		b.Run(fmt.Sprintf("columns=%d", columns), func(b *testing.B) {
			for b.Loop() {
				if err := s.admit(q, columns, 1, &block); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*columns), "ns/number")
		})
	}
}

func BenchmarkMix(b *testing.B) {
	const n, dim = 256, 784
	for _, kind := range rowTypes {
		rows := typedRows(b, coordinates(rand.New(rand.NewPCG(1, 2)), kind, n, dim), kind, Standardization{}, 0, n)
		b.Run(kind.String(), func(b *testing.B) {
			var own reader
			for b.Loop() {
				for i := range n {
					own.mix(rows.x, i, rows.frame.secret)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*dim), "ns/number")
		})
	}
}
