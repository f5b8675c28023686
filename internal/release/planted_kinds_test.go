package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// plantedGroups are groups of sums with several frames, in parts that are merged.
func plantedGroups() map[string]planting {
	return kernelFaults(func(plant func(f *fault)) planting {
		return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			const n, dim = 20, 4
			kind := rowTypes[trial%len(rowTypes)]
			base := typedRows(t, coordinates(r, kind, n, dim), kind, Standardization{}, 0, n)
			all, p := frames(r, dim), proposed(r, 3*n)
			some := []Standardization{all[r.IntN(len(all))], all[r.IntN(len(all))]}
			want := groupOf(t, base, some, p)
			f := &fault{r: r}
			plant(f)
			base.x, base.form = broken{base.x, f}, broken{base.form, f}
			for k, got := range groupOf(t, base, some, p) {
				differs, stop := !slices.Equal(got.state.values, want[k].state.values), stops(t, got, nil)
				if differs != stop || stops(t, want[k], nil) {
					return differs, stop
				}
				changed, stopped = changed || differs, stopped || stop
			}
			return changed, stopped
		}
	})
}

// groupOf returns sums of one and two columns of rows seen from two frames, filled together in two
// parts.
func groupOf(t *testing.T, base *Rows, some []Standardization, p []float64) []Bounded {
	t.Helper()
	var sums []*Sum
	for k, f := range some {
		seen, err := base.Standardized(f)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, newTestSum(t, seen, fullSample(t, base.count), 1+k, 1, base.count))
	}
	g, err := NewGroup(sums...)
	if err != nil {
		t.Fatal(err)
	}
	part := g.Empty()
	for first := 0; first < base.count; first += 5 {
		b, loadErr := base.Load(first, 5, Block{})
		if loadErr != nil {
			t.Fatal(loadErr)
		}
		var blocks []Block
		var c []kernel.Contributions
		for k, s := range sums {
			seen, seenErr := s.rows.Standardize(b, Block{})
			if seenErr != nil {
				t.Fatal(seenErr)
			}
			own := p[k*base.count:]
			blocks, c = append(blocks, seen), append(c, kernel.Contributions{Columns: 1 + k, Coefficients: own[first*(1+k) : (first+5)*(1+k)]})
		}
		into := g
		if first%10 == 0 {
			into = part
		}
		if err = into.AddBlock(blocks, c); err != nil {
			t.Fatal(err)
		}
	}
	if err = g.Merge(part); err != nil {
		t.Fatal(err)
	}
	return g.Seal()
}

// plantedScores are sums that a coordinate is chosen by.
func plantedScores() map[string]planting {
	all := kernelFaults(func(plant func(f *fault)) planting {
		return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			const n = 12
			rows, _ := scored(t, r, n)
			columns := 1 + trial%2
			p := proposed(r, n*columns)
			fill := func() *scores {
				peaks, err := NewRowsWithMax(rows)
				if err != nil {
					t.Fatal(err)
				}
				s, err := NewScoreSum(fullSample(t, n), peaks, ScoreOptions{columns, 2, 100})
				if err != nil {
					t.Fatal(err)
				}
				part := s.Empty()
				for first := 0; first < n; first += 3 {
					b, loadErr := rows.Load(first, 3, Block{})
					if loadErr != nil {
						t.Fatal(loadErr)
					}
					into := s
					if first >= 6 {
						into = part
					}
					if err = into.AddBlock(b, kernel.Contributions{Columns: columns, Coefficients: p[first*columns : (first+3)*columns]}); err != nil {
						t.Fatal(err)
					}
				}
				if err = s.Merge(part); err != nil {
					t.Fatal(err)
				}
				return s.Seal().state
			}
			want, f := fill(), &fault{r: r}
			plant(f)
			rows.x, rows.form = broken{rows.x, f}, broken{rows.form, f}
			got := fill()
			if same := slices.Equal(got.loss, want.loss); same && !want.faulty && got.faulty {
				return true, true // scores are coarser than sums
			}
			_, err := Choose(free{}, mechanism.Exponential{Epsilon: 1}, Scores{got})
			return !slices.Equal(got.loss, want.loss) || want.faulty, stops(t, Bounded{}, err)
		}
	})
	all["integers beyond the bound"] = func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
		rows, _ := scored(t, r, 3)
		peaks, err := NewRowsWithMax(rows)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewScoreSum(fullSample(t, 3), peaks, ScoreOptions{1, 2, 100})
		if err != nil {
			t.Fatal(err)
		}
		b, err := rows.Load(0, 3, Block{})
		if err != nil || peaks.peaks[1] == 0 {
			return false, stops(t, Bounded{}, err)
		}
		s.exact = []float64{0, float64(s.delta() / peaks.peaks[1]), 0}
		if changed = trial%2 == 0; changed {
			s.exact[1]++
		}
		return changed, stops(t, Bounded{}, s.admit(&b))
	}
	return all
}

// plantedRecursions are steps of a recursion of which the last iterate is released.
func plantedRecursions() map[string]planting {
	return kernelFaults(func(plant func(f *fault)) planting {
		return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			const n, dim = 12, 3
			rows := recursionRows(t, r, n, dim, 2)
			run, event := recursionOf(t, rows, usualRecursion(LogisticDerivative{}, 1), 2, 1)
			g, err := fitRecursion(event, run.RecursionOptions)
			if err != nil {
				t.Fatal(err)
			}
			weights := make([]int64, dim)
			for j := range weights {
				weights[j] = r.Int64N(1<<20) - 1<<19
			}
			want, err := run.next(g, fullSample(t, n), weights)
			if err != nil {
				return false, stops(t, Bounded{}, err)
			}
			f := &fault{r: r}
			plant(f)
			f.wait = min(f.wait, 0)
			rows.x, rows.form = broken{rows.x, f}, broken{rows.form, f}
			got, err := run.next(g, fullSample(t, n), weights)
			return err != nil || !slices.Equal(got, want), stops(t, Bounded{}, err)
		}
	})
}

// minimizerFaults change what a search for a minimum returns, or the records that it is over.
var minimizerFaults = map[string]func(r *rand.Rand, w []float64, records []toyRecord) []toyRecord{
	noFault: nil,
	"a record dropped": func(r *rand.Rand, _ []float64, records []toyRecord) []toyRecord {
		i := r.IntN(len(records))
		return slices.Delete(records, i, i+1)
	},
	"a record doubled": func(r *rand.Rand, _ []float64, records []toyRecord) []toyRecord {
		return append(records, records[r.IntN(len(records))])
	},
	"a row taken from its neighbor": func(r *rand.Rand, _ []float64, records []toyRecord) []toyRecord {
		i := r.IntN(len(records))
		records[i].x = records[(i+1)%len(records)].x
		return records
	},
	"a sign flipped": func(r *rand.Rand, w []float64, _ []toyRecord) []toyRecord {
		w[r.IntN(len(w))] *= -1
		return nil
	},
	"a bit flipped in a sum": func(r *rand.Rand, w []float64, _ []toyRecord) []toyRecord {
		j := r.IntN(len(w))
		w[j] = math.Float64frombits(math.Float64bits(w[j]) ^ 1<<(40+r.IntN(24)))
		return nil
	},
	"an error of 0.75": func(r *rand.Rand, w []float64, _ []toyRecord) []toyRecord {
		w[r.IntN(len(w))] += 0.75
		return nil
	},
}

// plantedMinimizers are searches for minima. A fault changes what would be released if the exact
// gradient at the result is beyond the tolerance.
func plantedMinimizers() map[string]planting {
	all := map[string]planting{}
	for name, do := range minimizerFaults {
		all[name] = func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			c, dim := toyLosses[trial%len(toyLosses)], 1+r.IntN(3)
			p := Problem{Loss: c.loss, Columns: c.columns, Radius: 1.001, Ridge: 0.1 + r.Float64(), MaxRecords: 12}
			var records []toyRecord
			for range 2 + r.IntN(10) {
				records = append(records, randomRecord(r, dim, c.loss, c.columns))
			}
			linear := make([]float64, dim*c.columns)
			for j := range linear {
				linear[j] = float64(trial%2) * r.NormFloat64()
			}
			m := newMinimization(p, toyRows(t, dim, records), linear, p.Tolerance(dim, normOf(linear)))
			w, err := m.search(t.Context())
			if err == nil && do != nil {
				if other := do(r, w, slices.Clone(records)); other != nil {
					w, err = newMinimization(p, toyRows(t, dim, other), linear, m.tolerance).search(t.Context())
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			g := slowGradient(p, dim, records, w)
			for j, v := range linear {
				g[j] += v
			}
			_, err = m.holds(w, nil)
			return !(normOf(g) <= m.tolerance), stops(t, Bounded{}, err)
		}
	}
	return all
}

// plantedFiles change a byte of a file between two readings of it, in a record that still adds
// something.
func plantedFiles() map[string]planting {
	run := func(change bool) planting {
		return func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			const n, dim = 12, 4
			kind := rowTypes[trial%3]
			file := &changing{smallBlocks(t, coordinates(r, kind, n, dim), kind, make([]float32, n))}
			all := frames(r, dim)
			rows, err := OpenRows(file, int64(len(file.text)), all[r.IntN(len(all))])
			if err != nil {
				t.Fatal(err)
			}
			fill := func(p []float64) (Bounded, error) {
				s := newTestSum(t, rows, fullSample(t, n), 1, 1, n)
				addErr := rows.Each(0, n, func(b Block) error {
					return s.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: p[b.first : b.first+b.Len()]})
				})
				return s.Seal(), addErr
			}
			p := proposed(r, n)
			want, err := fill(p)
			if stops(t, want, err) {
				return false, true
			}
			if !change {
				got, againErr := fill(p)
				return !slices.Equal(got.state.values, want.state.values), stops(t, got, againErr)
			}
			b := rows.file.Table.Blocks[r.IntN(len(rows.file.Table.Blocks))]
			row, bytes := r.IntN(b.Rows), (b.Bytes-4*b.Rows)/b.Rows
			without := slices.Clone(p)
			without[b.First+row] = 0
			nothing, err := fill(without)
			if stops(t, nothing, err) {
				return false, true
			}
			at := r.IntN(bytes)
			if kind == Bit {
				at = 0
			}
			file.text[b.Offset+int64(row*bytes+at)] ^= 1 << r.IntN(dim)
			got, err := fill(p)
			stopped = stops(t, got, err)
			same := func(o Bounded) bool { return slices.Equal(got.state.values, o.state.values) }
			added := !slices.Equal(want.state.values, nothing.state.values) // by the record, before its change
			return err != nil || !same(want) && !same(nothing) || stopped && added, stopped
		}
	}
	return map[string]planting{noFault: run(false), "a byte of a file changed between two readings": run(true)}
}

// totalFaults change the integers of a sum to which records added what each says. They report
// whether they did.
var totalFaults = map[string]func(r *rand.Rand, total []int64, each [][]int64){
	"a record dropped":       func(r *rand.Rand, total []int64, each [][]int64) { addTimes(total, each[r.IntN(len(each))], -1) },
	"a record doubled":       func(r *rand.Rand, total []int64, each [][]int64) { addTimes(total, each[r.IntN(len(each))], 1) },
	"a sign flipped":         func(r *rand.Rand, total []int64, _ [][]int64) { total[r.IntN(len(total))] *= -1 },
	"a carry lost":           func(r *rand.Rand, total []int64, _ [][]int64) { total[r.IntN(len(total))] -= 1 << 32 },
	"a bit flipped in a sum": func(r *rand.Rand, total []int64, _ [][]int64) { total[r.IntN(len(total))] ^= 1 << r.IntN(64) },
	"an error that is a multiple of p": func(r *rand.Rand, total []int64, _ [][]int64) {
		total[r.IntN(len(total))] += prime * int64(1+r.IntN(3))
	},
	"a row taken from its neighbor": func(r *rand.Rand, total []int64, each [][]int64) {
		i := r.IntN(len(each))
		addTimes(total, each[i], -1)
		addTimes(total, each[(i+1)%len(each)], 1)
	},
	"a stale block": func(_ *rand.Rand, total []int64, each [][]int64) {
		for i := 2; i+1 < len(each); i += 2 { // the block before, once more
			for k := range 2 {
				addTimes(total, each[i+k], -1)
				addTimes(total, each[i+k-2], 1)
			}
		}
	},
	"a lane lost": func(r *rand.Rand, total []int64, each [][]int64) {
		j := r.IntN(len(total))
		for _, q := range each[:len(each)/2] {
			total[j] -= q[j]
		}
	},
	"one number one too large, one too small": func(r *rand.Rand, total []int64, _ [][]int64) {
		total[r.IntN(len(total))]++
		total[r.IntN(len(total))]--
	},
}

func addTimes(total, q []int64, times int64) {
	for j, v := range q {
		total[j] += times * v
	}
}

// filledTotal is a sum that is not sealed yet.
type filledTotal struct {
	total []int64
	each  [][]int64 // what the records added
	seal  func() Bounded
}

// totals plant faults of totals into what fill makes.
func totals(fill func(t *testing.T, r *rand.Rand, trial int) filledTotal) map[string]planting {
	all := map[string]planting{noFault: func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
		return false, stops(t, fill(t, r, trial).seal(), nil)
	}}
	for name, do := range totalFaults {
		all[name] = func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			s := fill(t, r, trial)
			was := slices.Clone(s.total)
			do(r, s.total, s.each)
			return !slices.Equal(was, s.total), stops(t, s.seal(), nil)
		}
	}
	return all
}

// plantedVectors are sums of vectors of each norm, and of vectors that random directions clip.
func plantedVectors() map[string]map[string]planting {
	const n, dim = 8, 5
	all := map[string]map[string]planting{}
	for name, norm := range map[string]Norm{"l1": L1(), "l2": L2(), "l-infinity": LInfinity()} {
		fill := func(t *testing.T, sample Sample) *VectorSum {
			s, err := NewVectorSum(sample, VectorOptions{Noise: mechanism.KNorm{NoiseMultiplier: 3}, Norm: norm, Dim: dim, Bound: 2, MaxRecords: n})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		kind := totals(func(t *testing.T, r *rand.Rand, _ int) filledTotal {
			sample := fullSample(t, n)
			s, other, p := fill(t, sample), fill(t, sample), proposed(r, n*dim) // other has a secret of its own
			f := filledTotal{total: s.total, seal: s.Seal}
			for i := range n {
				into, own := s, fill(t, sample)
				if i%3 == 2 {
					into = other
				}
				if err := into.Add(i, p[i*dim:(i+1)*dim]); err != nil {
					t.Fatal(err)
				}
				if err := own.Add(i, p[i*dim:(i+1)*dim]); err != nil {
					t.Fatal(err)
				}
				f.each = append(f.each, own.total)
			}
			if err := s.Merge(other); err != nil {
				t.Fatal(err)
			}
			return f
		})
		kind["integers beyond the bound"] = func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			s, q := fill(t, fullSample(t, n)), make([]int64, dim)
			j := r.IntN(dim)
			for bit := int64(1) << 52; bit > 0; bit /= 2 { // the largest that is within
				if q[j] += bit; !norm.within(q, s.limit) {
					q[j] -= bit
				}
			}
			if changed = trial%2 == 0; changed {
				q[j]++
			}
			if trial%4 == 0 {
				q[j] = math.MinInt64 >> r.IntN(2)
			}
			return changed, stops(t, Bounded{}, s.check.admit(q, norm, s.limit))
		}
		all["vectors "+name] = kind
	}
	all["projected"] = totals(func(t *testing.T, r *rand.Rand, _ int) filledTotal {
		s := newTestProjectedSum(t, fullSample(t, n), mechanism.JLClipping{NoiseMultiplier: 1.7, Projections: 3, Cap: 2, Probability: 1}, dim)
		part, p := s.Empty(), proposed(r, n*dim)
		f := filledTotal{total: s.total, seal: s.Seal}
		for i := range n {
			into, own := s, s.Empty()
			if i%2 == 1 {
				into = part
			}
			for _, to := range []*ProjectedSum{into, own} {
				if err := to.AddAt([]int{i}, p[i*dim:(i+1)*dim]); err != nil {
					t.Fatal(err)
				}
			}
			f.each = append(f.each, own.total)
		}
		if err := s.Merge(part); err != nil {
			t.Fatal(err)
		}
		return f
	})
	return all
}

// plantedProducts are sums of a network's gradients, of all shapes of layers.
func plantedProducts() map[string]planting {
	const n = 4
	return totals(func(t *testing.T, r *rand.Rand, trial int) filledTotal {
		sample := fullSample(t, n)
		fresh := func() *ProductSum {
			s, err := NewProductSum(sample, ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 5}, Blocks: productBlocks(), Bound: 1, MaxRecords: n})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s, other := fresh(), fresh() // with a secret of its own
		f := filledTotal{total: s.total, seal: s.Seal}
		for i := range n {
			factors := someFactors(r, 1, func() float32 {
				if trial%5 == 0 {
					return float32(wildFloat(r))
				}
				return float32(r.NormFloat64())
			})
			into, own := s, s.Empty()
			if i%2 == 1 {
				into = other
			}
			for _, to := range []*ProductSum{into, own} {
				if err := to.Add([]int{i}, factors, nil); err != nil {
					t.Fatal(err)
				}
			}
			f.each = append(f.each, own.total)
		}
		if err := s.Merge(other); err != nil {
			t.Fatal(err)
		}
		return f
	})
}

// plantedMoments are second moments of all forms.
func plantedMoments() map[string]map[string]planting {
	all := map[string]map[string]planting{}
	for form, p := range momentForms {
		fill := func(t *testing.T, r *rand.Rand, trial int) filledTotal {
			rows := momentRowsOf(t, 2+r.IntN(12), 6, trial)
			values := momentOf(t, p, rows)
			f := filledTotal{total: values.values, seal: func() Bounded {
				check := newMomentCheck(fullSample(t, rows.Len()), p, 6, rows.limit)
				check.noteRows(rows)
				values.faulty = values.faulty || !check.agrees(values.values)
				return Bounded{values}
			}}
			for i := range rows.Len() {
				var x [6]float64
				row, products := make([]int64, len(values.values)), make([]float64, len(values.values))
				if own := momentRow(rows, i); own != nil {
					for j, v := range own {
						x[j] = float64(v)
					}
				}
				p.Add(products, x[:])
				for j, v := range products {
					row[j] = int64(v)
				}
				f.each = append(f.each, row)
			}
			return f
		}
		all["moments "+form] = totals(fill)
		if side := p.Side(6); p.form != squares {
			all["moments "+form]["an antisymmetric error in a second moment"] = func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
				s, j, k, e := fill(t, r, trial), r.IntN(side), r.IntN(side), 1+r.Int64N(1<<30)
				s.total[j*side+k] += e
				s.total[k*side+j] -= e
				return j != k, stops(t, s.seal(), nil)
			}
		}
	}
	return all
}

// plantedPairs are second moments of rows that are not kept, with a kernel that is wrong once a
// run.
func plantedPairs() map[string]planting {
	all := map[string]planting{}
	for name, do := range map[string]func(r *rand.Rand, sum []int64, x []int16, d int){
		noFault:            func(_ *rand.Rand, sum []int64, x []int16, d int) { addPairs(sum, x, d) },
		"a record dropped": func(_ *rand.Rand, sum []int64, x []int16, d int) { addPairs(sum, x[d:], d) },
		"a record doubled": func(_ *rand.Rand, sum []int64, x []int16, d int) {
			addPairs(sum, x, d)
			addPairs(sum, x[:d], d)
		},
		"a row taken from its neighbor": func(_ *rand.Rand, sum []int64, x []int16, d int) {
			y := slices.Clone(x)
			copy(y[:d], x[len(x)-d:])
			addPairs(sum, y, d)
		},
		"a stale block": func(_ *rand.Rand, sum []int64, x []int16, d int) { addPairs(sum, make([]int16, len(x)), d) },
		"a bit flipped in a sum": func(r *rand.Rand, sum []int64, x []int16, d int) {
			addPairs(sum, x, d)
			sum[r.IntN(d)*d] ^= 1 << r.IntN(64)
		},
	} {
		all[name] = func(t *testing.T, r *rand.Rand, trial int) (changed, stopped bool) {
			n, dim := 2+r.IntN(30), 4
			o, err := MomentRowsOf(mechanism.Gaussian{NoiseMultiplier: 1}, n, dim, 1)
			if err != nil {
				t.Fatal(err)
			}
			x := make([]int16, n*dim)
			for j := range x {
				x[j] = int16(r.IntN(4001) - 2000)
			}
			worker := func() func(dst []int16, first, count int) {
				return func(dst []int16, first, count int) { copy(dst, x[first*dim:(first+count)*dim]) }
			}
			want, err := secondMomentOf(fullSample(t, n), o, mechanism.Gaussian{NoiseMultiplier: 1}, n, worker, addPairs)
			if err != nil || stops(t, want, nil) {
				t.Fatal(err)
			}
			got, err := secondMomentOf(fullSample(t, n), o, mechanism.Gaussian{NoiseMultiplier: 1}, n, worker, func(sum []int64, x []int16, d int) {
				do(rand.New(rand.NewPCG(uint64(trial), 1)), sum, x, d)
			})
			if err != nil {
				t.Fatal(err)
			}
			return !slices.Equal(got.state.values, want.state.values), stops(t, got, nil)
		}
	}
	return all
}
