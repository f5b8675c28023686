package release

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/rows"
	"github.com/ditherml/dither/mechanism"
)

// miscopy is a payload whose first copy of differing rows has row 1 in the place of row 0.
type miscopy struct {
	storage
	wrong *atomic.Int32 // how many are to come
}

func (m miscopy) Decode(to storage, bytes []byte, rows, entries int) (storage, error) {
	x, err := m.storage.Decode(to, bytes, rows, entries)
	if err != nil || rows < 2 {
		return x, err
	}
	a, b := make([]int16, 3), make([]int16, 3)
	x.CopyRow(a, 0)
	x.CopyRow(b, 1)
	if !slices.Equal(a, b) && m.wrong.Add(-1) >= 0 {
		all := make([]int, rows)
		for i := range all {
			all[i] = max(i, 1)
		}
		x = x.Take(nil, all)
	}
	return x, nil
}

// TestRowsOfAFileAreThoseThatEntered lets a row of a file be another row: when the rows are seen
// from another frame, they are refused. When they are added, the sum is faulty.
func TestRowsOfAFileAreThoseThatEntered(t *testing.T) {
	const n, dim = 14, 3
	r := rand.New(rand.NewPCG(4, 7))
	for trial := range 4 * checkTrials {
		kind, again, wrong := rowTypes[trial%len(rowTypes)], trial%2 == 0, &atomic.Int32{}
		text := smallBlocks(t, coordinates(r, kind, n, dim), kind, make([]float32, n))
		rows, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
		if err != nil {
			t.Fatal(err)
		}
		wrong.Store(r.Int32N(2))
		rows.form = miscopy{rows.form, wrong}
		if again {
			all := frames(r, dim)
			faulty := wrong.Load() > 0
			_, err = rows.Standardized(all[r.IntN(len(all))])
			if faulty = faulty && wrong.Load() < 1; errors.Is(err, ErrComputation) != faulty {
				t.Fatalf("%v: a row is another: %v: got error %v", kind, faulty, err)
			}
			continue
		}
		faulty := wrong.Load() > 0
		s, c := newTestSum(t, rows, fullSample(t, n), 1, 1, n), kernel.Contributions{Columns: 1, Coefficients: []float64{0.01, 0.02}}
		if err = s.AddAt([]int{0, 1}, c); err != nil {
			t.Fatal(err)
		}
		added := rows.known.n2[0] > 0 && adderOf(s).exact[0] != 0
		if got := s.Seal().state; got.faulty != (faulty && wrong.Load() < 1 && added) {
			t.Fatalf("%v: a row is another: %v, and was added: %v; the sum is %+v", kind, faulty, added, got)
		}
	}
}

// TestLabelsAreThoseThatTheFileHad changes a bit of a label after a file was opened: its block is
// refused at the next reading, in a pass and by a list.
func TestLabelsAreThoseThatTheFileHad(t *testing.T) {
	const n = 14
	r := rand.New(rand.NewPCG(4, 9))
	for trial := range checkTrials {
		labels := make([]float32, n)
		for i := range labels {
			labels[i] = float32(r.IntN(3))
		}
		file := &changing{smallBlocks(t, coordinates(r, Int16, n, 3), Int16, labels)}
		rows, err := OpenRows(file, int64(len(file.text)), Standardization{})
		if err != nil {
			t.Fatal(err)
		}
		read := func() error {
			if trial%2 == 0 {
				_, failed := rows.LoadAt([]int{3, 12, 9}, Block{})
				return failed
			}
			return rows.Each(0, n, func(b Block) error {
				if !slices.Equal(b.Labels(), labels[b.Record(0):b.Record(0)+b.Len()]) {
					t.Fatalf("labels of rows from %d on are %v, want those of %v", b.Record(0), b.Labels(), labels)
				}
				return nil
			})
		}
		if err = read(); err != nil {
			t.Fatal(err)
		}
		b := rows.file.Table.Blocks[r.IntN(len(rows.file.Table.Blocks))]
		file.text[b.Offset+int64(b.Bytes-1-r.IntN(4*b.Rows))] ^= 1 << r.IntN(8)
		if err = read(); !errors.Is(err, ErrComputation) {
			t.Fatalf("a label that changed: got error %v, want %v", err, ErrComputation)
		}
	}
}

// TestErrorOfChecksSaysNothingMore holds that the error of rows whose norms are wrong does not depend on how many there are.
func TestErrorOfChecksSaysNothingMore(t *testing.T) {
	messages := map[string]bool{}
	for bad := 1; bad <= 2; bad++ {
		rows, _ := made(t, [][]float64{{1, 2}, {3, 4}}, 1)
		rows.origin.square = slices.Clone(rows.origin.square)
		for i := range bad { // as if the kernel's norms of so many rows were wrong
			rows.origin.square[i]++
		}
		_, err := rows.Standardized(Standardization{})
		if !errors.Is(err, ErrComputation) {
			t.Fatal(err)
		}
		messages[err.Error()] = true
	}
	if len(messages) > 1 {
		t.Errorf("there are %d messages, want one", len(messages))
	}
}

type counting struct{ paid *int }

func (c counting) Pay(mechanism.Event) error { *c.paid++; return nil }

// TestGroupIsFaultyAsAWhole lets the check of one record fail in the first sum of a group: no sum of the group is released.
func TestGroupIsFaultyAsAWhole(t *testing.T) {
	rows, s := made(t, [][]float64{{1, 2}, {3, 4}}, 0.01)
	other := fullSample(t, 2)
	a := newTestSum(t, rows, s, 1, 1, 2)
	b := newTestSum(t, rows, other, 1, 1, 2)
	g, err := NewGroup(a, b)
	if err != nil {
		t.Fatal(err)
	}
	blockA, _ := rows.Load(0, 2, Block{})
	blockB := blockA
	faulty := *rows
	faulty.known = &entered{n2: []int64{-1, rows.n2[1]}, mixes: rows.known.mixes} // the fault: of record 0 alone
	blockA.rows = &faulty
	c := kernel.Contributions{Columns: 1, Coefficients: []float64{0.01, 0.02}}
	if err = g.AddBlock([]Block{blockA, blockB}, []kernel.Contributions{c, c}); !errors.Is(err, ErrComputation) {
		t.Fatal(err)
	}
	sealed := g.Seal()
	if !sealed[1].state.faulty {
		t.Errorf("the second sum is %v and not faulty; its record 1 is lost because of record 0. Added: %b", sealed[1].state.values, g.added)
	}
}

// TestInfiniteScalesAddNothing proposes where the factor of proposals is infinite: products with 0 are not numbers, and add 0.
func TestInfiniteScalesAddNothing(t *testing.T) {
	for _, o := range []struct {
		step, bound float64
		f           Standardization
		p           []float64
	}{
		{1e300, 1e-10, Standardization{}, []float64{1, 1, 1, 1}},
		{1e39, 1, Standardization{Normalize: NormalizeClip, Radius: 1e45}, []float64{1, 1, 1, 1}},
		{1e39, 1, Standardization{Normalize: NormalizeClip, Radius: 1e45}, []float64{0, 0, 0, 0}},
		{1, 1e-305, Standardization{}, []float64{0, 0, 0, 0}},
	} {
		rows, err := NewRows(1, RowsOptions{Dim: 1, Step: o.step, Frame: o.f}, func(dst []float64, first, n int) { dst[0] = o.step })
		if err != nil {
			t.Fatal(err)
		}
		s := newTestSum(t, rows, fullSample(t, 1), 4, o.bound, 1)
		q := make([]int64, 4)
		adderOf(s).roundWithin(q, o.p, rows.n2[0], rows.measures.multiplier(0, &rows.frame))
		err = s.Add(0, kernel.Contributions{Columns: 4, Coefficients: o.p})
		if q[0] != 0 || err != nil {
			t.Errorf("step %v, bound %v, %v: roundWithin writes %d; Add: %v", o.step, o.bound, o.f, q, err)
		}
	}
}

// TestExtremeRowsAreNotFaulty sums rows, frames, bounds and noises of extreme numbers: no true sum is faulty.
func TestExtremeRowsAreNotFaulty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	wild := func(spread float64) float64 { return math.Exp(spread * r.NormFloat64()) }
	alarms, built, counted, none, largest := 0, 0, 0, 0, int64(0)
	for trial := range plantedTrials(4000, 100000) {
		kind := rowTypes[trial%len(rowTypes)]
		dim := 1 + r.IntN(9)
		if r.IntN(20) == 0 {
			dim = 1 + r.IntN(3000)
		}
		n := 1 + r.IntN(40)
		o := RowsOptions{Dim: dim, Step: wild([]float64{1, 30, 200}[r.IntN(3)]), Type: kind}
		f := Standardization{Normalize: Normalize(r.IntN(3)), Radius: o.Step * wild(10)}
		if r.IntN(2) == 0 {
			f.Intercept = wild([]float64{1, 5, 40, 300}[r.IntN(4)]) * []float64{1, o.Step}[r.IntN(2)]
		}
		if r.IntN(2) == 0 {
			f.Center = make([]float64, dim)
			spread, scale := []float64{0.1, 3, 20, 200}[r.IntN(4)], []float64{1, o.Step, o.Step * 32767, 0}[r.IntN(4)]
			for j := range f.Center {
				f.Center[j] = scale * r.NormFloat64() * wild(spread)
			}
		}
		if r.IntN(5) == 0 && dim < 20 {
			f.Normalize = NormalizeUnit
			f.Whitening = &IntMatrix{Unit: wild(5)}
			for range dim * dim {
				f.Whitening.Numbers = append(f.Whitening.Numbers, int16(r.Uint32())>>r.IntN(16))
			}
		}
		o.Frame = f
		way := r.IntN(4)
		rows, err := NewRows(n, o, func(dst []float64, first, n int) {
			local := rand.New(rand.NewPCG(uint64(first), uint64(trial)))
			for j := range dst {
				switch way {
				case 0:
					dst[j] = o.Step * local.NormFloat64() * 1e6
				case 1:
					dst[j] = o.Step * float64(local.IntN(3)-1)
				case 2:
					dst[j] = o.Step * 40000
				default:
					dst[j] = o.Step * (local.Float64() - 0.3) * math.Exp(local.Float64()*11)
				}
			}
		})
		if err != nil {
			if errors.Is(err, ErrComputation) {
				alarms++
				t.Errorf("trial %d: %v %+v dim %d: %v", trial, kind, o, dim, err)
			}
			continue
		}
		built++
		for _, v := range rows.n2 {
			if v > 0 {
				counted++
			} else {
				none++
			}
		}
		columns := 1 + r.IntN(4)
		records := n << max(0, r.IntN(25)-5)
		so := SumOptions{Columns: columns, Bound: wild([]float64{1, 100, 300}[r.IntN(3)]), MaxRecords: records, Coarse: r.IntN(2) == 0}
		switch r.IntN(4) {
		case 0:
			so.Noise = mechanism.NonPrivate{}
		case 1:
			so.Noise = mechanism.KNorm{NoiseMultiplier: wild(3)}
		default:
			so.Noise = mechanism.Gaussian{NoiseMultiplier: wild(6)}
		}
		if rows.Dim()*columns == 1 {
			so.Noise = mechanism.DiscreteGaussian{StandardDeviation: 1000, Sensitivity: (1<<60 - 1) / int64(records) >> r.IntN(50)}
		}
		s, err := NewSum(fullSample(t, n), rows, so)
		if err != nil {
			continue
		}
		infinite := false
		for i := range n {
			scale := adderOf(s).scale * rows.measures.multiplier(i, &rows.frame)
			infinite = infinite || scale-scale != 0
		}
		if infinite {
			continue
		}
		p := proposed(r, n*columns)
		if r.IntN(3) == 0 {
			for i := range p {
				p[i] = math.Copysign(so.Bound/rows.measures.multiplier(i/columns, &rows.frame)*[]float64{1, 1e-3, 1e6, 1e20}[r.IntN(4)], r.Float64()-0.02)
			}
		}
		if err = s.Add(0, kernel.Contributions{Columns: columns, Coefficients: p}); err != nil {
			t.Errorf("trial %d: add: %v", trial, err)
		}
		sealed := s.Seal().state
		for _, v := range sealed.values {
			largest = max(largest, v, -v)
		}
		if sealed.faulty {
			t.Errorf("trial %d: faulty sum: %v %+v %+v", trial, kind, o, so)
		}
		if t.Failed() && trial > 100 {
			break
		}
	}
	t.Logf("%d built, %d rows count, %d do not, %.4f of 2^60", built, counted, none, float64(largest)/(1<<60))
}

// TestReadingsAtOnceAreOfTheirRows reads rows of a file from several goroutines, in several frames, in blocks and by lists:
// what is kept of each is its own.
func TestReadingsAtOnceAreOfTheirRows(t *testing.T) {
	const n, dim = 200, 21
	r := rand.New(rand.NewPCG(2, 9))
	for trial := range 4 {
		kind := rowTypes[trial%len(rowTypes)]
		x := coordinates(r, kind, n, dim)
		text := smallBlocks(t, x, kind, make([]float32, n))
		file, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
		if err != nil {
			t.Fatal(err)
		}
		memory := typedRows(t, x, kind, Standardization{}, 0, n)
		memory.origin = &origin{secret: file.origin.secret}
		for _, f := range frames(r, dim) {
			rows, err := file.Standardized(f)
			if err != nil {
				t.Fatal(err)
			}
			inMemory, err := memory.Standardized(f)
			if err != nil {
				t.Fatal(err)
			}
			p := proposed(r, n)
			reference := newTestSum(t, inMemory, fullSample(t, n), 1, 1, n)
			if err := reference.Add(0, kernel.Contributions{Columns: 1, Coefficients: p}); err != nil {
				t.Fatal(err)
			}
			want := reference.Seal().state
			var wait sync.WaitGroup
			for g := range 4 {
				seed := r.Uint64()
				wait.Go(func() {
					r := rand.New(rand.NewPCG(seed, 1))
					s := newTestSum(t, rows, fullSample(t, n), 1, 1, n)
					var err error
					switch g {
					case 0, 1:
						from := r.IntN(n)
						add := func(b Block) error {
							return s.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: p[b.first : b.first+b.Len()]})
						}
						if err = rows.Each(from, n-from, add); err == nil {
							err = rows.Each(0, from, add)
						}
					case 2:
						order := r.Perm(n)
						for len(order) > 0 && err == nil {
							k := min(len(order), 1+r.IntN(30))
							var c []float64
							for _, i := range order[:k] {
								c = append(c, p[i])
							}
							err = s.AddAt(order[:k], kernel.Contributions{Columns: 1, Coefficients: c})
							order = order[k:]
						}
					case 3:
						for at := 0; at < n && err == nil; {
							k := min(n-at, 1+r.IntN(30))
							var b, seen Block
							if b, err = file.Load(at, k, Block{}); err == nil {
								if seen, err = rows.Standardize(b, Block{}); err == nil {
									err = s.AddBlock(seen, kernel.Contributions{Columns: 1, Coefficients: p[at : at+k]})
								}
							}
							at += k
						}
					}
					if err != nil {
						t.Errorf("way %d: %v", g, err)
						return
					}
					got := s.Seal().state
					if got.faulty || want.faulty || !slices.Equal(got.values, want.values) {
						t.Errorf("way %d: faulty %v, same %v: %v %+v", g, got.faulty, slices.Equal(got.values, want.values), kind, f)
					}
				})
			}
			wait.Wait()
			for i := range n {
				if rows.known == nil {
					break
				}
				if rows.known.n2[i] != inMemory.n2[i] || rows.known.mixes[i] != inMemory.known.mixes[i] {
					t.Fatalf("row %d is known as another", i)
				}
			}
		}
	}
}

// TestChecksOfBlocksOfMoreRows compares sums over rows that begin at a later record with big integers.
func TestChecksOfBlocksOfMoreRows(t *testing.T) {
	const total, dim = 50, 4
	r := rand.New(rand.NewPCG(2, 2))
	for trial := range 300 {
		kind := rowTypes[trial%len(rowTypes)]
		x := coordinates(r, kind, total, dim)
		all := frames(r, dim)
		f := all[r.IntN(len(all))]
		whole := typedRows(t, x, kind, f, 0, total)
		p := proposed(r, total)
		want := newTestSum(t, whole, fullSample(t, total), 1, 1, total)
		if err := want.Add(0, kernel.Contributions{Columns: 1, Coefficients: p}); err != nil {
			t.Fatal(err)
		}
		s := fullSample(t, total)
		var sum *Sum
		cut := 1 + r.IntN(total-2)
		for k, span := range [][2]int{{0, cut}, {cut, total}} {
			own := typedRows(t, x, kind, Standardization{}, span[0], span[1]-span[0])
			seen, err := own.Standardized(f)
			if err != nil {
				t.Fatal(err)
			}
			var part *Sum
			if k == 0 {
				sum = newTestSum(t, seen, s, 1, 1, total)
				part = sum
			} else if part, err = emptyOf(sum, seen); err != nil {
				t.Fatal(err)
			}
			var order []int
			for i := span[0]; i < span[1]; i++ {
				order = append(order, i)
			}
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			var c []float64
			for _, i := range order {
				c = append(c, p[i])
			}
			b, err := own.LoadAt(order, Block{})
			if err != nil {
				t.Fatal(err)
			}
			if trial%2 == 0 {
				b, err = seen.Standardize(b, Block{})
			} else {
				b, err = seen.LoadAt(order, b)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err = part.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: c}); err != nil {
				t.Fatal(err)
			}
			if part != sum {
				if err = sum.Merge(part); err != nil {
					t.Fatal(err)
				}
			}
		}
		a, b := want.Seal().state, sum.Seal().state
		if a.faulty || b.faulty || !slices.Equal(a.values, b.values) {
			t.Fatalf("%v %+v cut %d: faulty %v %v", kind, f, cut, a.faulty, b.faulty)
		}
	}
}

// TestRecursionsWithoutAScaleAreRefused holds that a recursion whose clipping norm leaves no finite scale is refused before it
// pays.
func TestRecursionsWithoutAScaleAreRefused(t *testing.T) {
	rows, err := NewRows(1, RowsOptions{Dim: 1, Step: 1e-304, Labels: []float32{0}}, func(dst []float64, first, n int) { dst[0] = 1e-304 })
	if err != nil {
		t.Fatal(err)
	}
	o := RecursionOptions{Derivative: HuberDerivative{1}, Columns: 1, Dim: 1, RowStep: 1e-304, RowBound: 1e-302, ClippingNorm: 1e-300, LearningRate: 0.5, Ridge: 0.5, Divisor: 1, Reach: 1e-299, MaxRecords: 1}
	c, err := o.Contraction()
	if err != nil {
		t.Fatal(err)
	}
	l := mechanism.LastIterate{NoiseMultiplier: 1, Steps: 1, Contraction: c}
	g, err := fitRecursion(l, o)
	if err != nil {
		return
	}
	paid := 0
	_, err = RunRecursion(counting{&paid}, l, Recursion{Rows: rows, RecursionOptions: o})
	t.Errorf("%v integers a slot were accepted; Run has error %v and paid %d times", g.perSlot, err, paid)
}

// TestAdmitIsThatOfBigIntegers compares what admit accepts and notes with big integers, at every limit.
func TestAdmitIsThatOfBigIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	const n = 3
	edges := []int64{0, 1, 2, 3, 1<<28 - 1, 1 << 28, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 51, 1<<52 - 1, 1 << 52, 1<<52 + 1, 1<<53 - 1}
	x := [][]float64{{1}, {2}, {3}}
	for _, columns := range []int{1, 2, 3, 64, 65, 100} {
		for range 4000 {
			rows, _ := NewRows(n, RowsOptions{Dim: 1, Step: 1}, func(dst []float64, first, k int) {
				for i := range k {
					dst[i] = x[first+i][0]
				}
			})
			s := newTestSum(t, rows, fullSample(t, n), columns, 1, n)
			s.limit = []int64{0, 1, 1 << 20, 1<<31 - 1, 1 << 44, 1 << 51, 1<<60 - 1}[r.IntN(7)]
			b, _ := rows.Load(0, n, Block{})
			b.n2 = []int64{pickEdge(r, edges), pickEdge(r, edges), pickEdge(r, edges)}
			if r.IntN(10) == 0 {
				b.n2[r.IntN(n)] = []int64{-1, math.MinInt64, math.MaxInt64, 1 << 61, 1 << 62}[r.IntN(5)]
			}
			rows.known.n2 = b.n2
			q := make([]float64, n*columns)
			for i := range q {
				if r.IntN(3) > 0 {
					q[i] = float64(pickEdge(r, edges) >> r.IntN(40))
					if r.IntN(2) == 0 {
						q[i] = -q[i]
					}
				}
			}
			ok := true
			for i := range n {
				sum := new(big.Int)
				for k := range columns {
					v := big.NewInt(int64(q[i*columns+k]))
					sum.Add(sum, v.Mul(v, v))
				}
				some := sum.Sign() != 0
				sum.Mul(sum, big.NewInt(b.n2[i]))
				limit := big.NewInt(s.limit)
				ok = ok && b.n2[i] >= 0 && sum.Cmp(limit.Mul(limit, limit)) <= 0 && !(some && b.n2[i] == 0)
			}
			err := s.admit(q, columns, 1, &b)
			if (err == nil) != ok {
				t.Fatalf("admit of %v with n2 %v, limit %d: %v, want %v", q, b.n2, s.limit, err, ok)
			}
			if err == nil {
				for k := range columns {
					want := new(big.Int)
					for i := range n {
						want.Add(want, new(big.Int).Mul(big.NewInt(int64(q[i*columns+k])), new(big.Int).SetUint64(rows.known.mixes[i])))
					}
					want.Mod(want, big.NewInt(prime))
					if want.Cmp(new(big.Int).SetUint64(s.notes[k])) != 0 {
						t.Fatal("mix")
					}
				}
			}
		}
	}
}

func pickEdge(r *rand.Rand, edges []int64) int64 {
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Int64N(1<<53) >> r.IntN(53)
}

// TestMixesAtTheEnds compares products with secrets at their ends with big integers, at the ends of the numbers.
func TestMixesAtTheEnds(t *testing.T) {
	p := big.NewInt(prime)
	for _, n := range []int{1, 63, 64, 65, 128, 65535, 65536, 65537, 131073} {
		for _, secret := range []uint64{0, 1, prime - 1, 1<<31 - 1, 1 << 31, prime &^ (1<<31 - 1)} {
			for _, w := range []int64{1<<60 - 1, -(1<<60 - 1), 1 << 60, -1 << 60, math.MaxInt64, math.MinInt64 + 1, -1} {
				v, s := slices.Repeat([]int64{w}, n), slices.Repeat([]uint64{secret}, n)
				want := new(big.Int).Mul(big.NewInt(w), new(big.Int).SetUint64(secret))
				want.Mul(want, big.NewInt(int64(n))).Mod(want, p)
				if got := mixLong(v, s); want.Cmp(new(big.Int).SetUint64(got)) != 0 {
					if w > 1<<60 || w < -1<<60 {
						continue
					}
					t.Errorf("mixLong of %d times %d·%d is %d, want %v", n, w, secret, got, want)
				}
			}
			for _, w := range []int16{-32768, 32767, -1} {
				v, s := slices.Repeat([]int16{w}, n), slices.Repeat([]uint64{secret}, n)
				want := new(big.Int).Mul(big.NewInt(int64(w)), new(big.Int).SetUint64(secret))
				want.Mul(want, big.NewInt(int64(n))).Mod(want, p)
				square, got := mixWhole(v, s)
				if want.Cmp(new(big.Int).SetUint64(got)) != 0 || square != int64(n)*int64(w)*int64(w) {
					t.Errorf("mixWhole of %d times %d·%d", n, w, secret)
				}
				sparse := crooked{values: v}
				for j := range n {
					sparse.index = append(sparse.index, uint32(j))
				}
				if s2, m2 := new(reader).mix(sparse, 0, s); s2 != square || m2 != got {
					t.Errorf("sparse mix of %d", n)
				}
			}
			ones := rows.New(Bit, 1, n)
			ones.Put(0, slices.Repeat([]int16{1}, n))
			square, got := new(reader).mix(ones, 0, slices.Repeat([]uint64{secret}, n))
			want := new(big.Int).Mul(big.NewInt(int64(n)), new(big.Int).SetUint64(secret))
			if want.Mod(want, p); square != int64(n) || want.Cmp(new(big.Int).SetUint64(got)) != 0 {
				t.Errorf("bits mix of %d", n)
			}
		}
	}
}

// TestLargestSumsAreNotFaulty sums up to just below 2^60.
func TestLargestSumsAreNotFaulty(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	largest := int64(0)
	for range checkTrials {
		n := 1 + r.IntN(600)
		x := int16(32767)
		rows, err := NewRows(n, RowsOptions{Dim: 1, Step: 1}, func(dst []float64, first, k int) {
			for i := range k {
				dst[i] = float64(x)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSum(fullSample(t, n), rows, SumOptions{Noise: mechanism.DiscreteGaussian{StandardDeviation: 1000, Sensitivity: min(1<<52, (1<<60-1)/int64(n))}, Columns: 1, Bound: 1, MaxRecords: n})
		if err != nil {
			t.Fatal(err)
		}
		p, sign := make([]float64, n), []float64{1, -1}[r.IntN(2)]
		for i := range p {
			p[i] = sign * math.Exp(3*r.Float64())
		}
		if err = s.Add(0, kernel.Contributions{Columns: 1, Coefficients: p}); err != nil {
			t.Fatal(err)
		}
		sealed := s.Seal().state
		largest = max(largest, sealed.values[0], -sealed.values[0])
		if sealed.faulty {
			t.Fatalf("faulty: %v", sealed.values)
		}
	}
	if largest < 1<<59 {
		t.Errorf("the largest sum is %d, want one near 2^60", largest)
	}
}

// TestTooManyColumnsAreRefused asks for one column more than have squares whose sum has 128 bits.
func TestTooManyColumnsAreRefused(t *testing.T) {
	rows, sample := made(t, [][]float64{{1}}, 1)
	for columns, refused := range map[int]bool{maxColumns: false, maxColumns + 1: true} {
		if _, err := NewSum(sample, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 1}, Columns: columns, Bound: 1, MaxRecords: 1}); (err != nil) != refused {
			t.Errorf("%d columns: got %v", columns, err)
		}
	}
}
