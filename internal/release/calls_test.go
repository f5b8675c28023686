package release

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// called is a sum of some kind that random calls are made of, with the records that it is to have.
type called struct {
	records map[int]bool
	sealed  bool
	add     func(records []int) error
	empty   func(old *called) *called
	merge   func(o *called) error
	seal    func() []Bounded
	sum     any
}

// callKind makes empty sums of one kind over a sample of n records.
type callKind func(t *testing.T, r *rand.Rand, s Sample, n int) (open func() *called)

// TestCallsInAnyOrderKeepSums makes calls of sums in random orders, right ones and wrong ones:
// records twice, of the list or of an earlier call, records outside the sample, sums merged with
// themselves, twice, after their end, or with sums of other samples and secrets. What is sealed is
// the sum over the records whose calls returned no error, each once, and is never refused.
func TestCallsInAnyOrderKeepSums(t *testing.T) {
	for name, kind := range map[string]callKind{"sum": calledSums, "group": calledGroups, "vectors": calledVectors, "products": calledProducts} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(8, 1))
			right, wrong := 0, 0
			for trial := range plantedTrials(60, 3000) {
				n := 1 + r.IntN(150)
				sample := fullSample(t, n)
				if name != "group" && trial%2 == 1 {
					half, _ := Poisson(0.5)
					var err error
					if sample, err = Draw(half, n); err != nil {
						t.Fatal(err)
					}
				}
				a, b := makeCalls(t, r, sample, n, kind(t, r, sample, n))
				right, wrong = right+a, wrong+b
			}
			if right < 300 || wrong < 300 {
				t.Errorf("%d calls were right and %d wrong, want more", right, wrong)
			}
		})
	}
}

// makeCalls makes random calls of sums of one kind and sample. It returns how many were right, and
// how many were refused.
func makeCalls(t *testing.T, r *rand.Rand, sample Sample, n int, open func() *called) (right, wrong int) {
	in := map[int]bool{}
	for _, i := range sample.Indices() {
		in[i] = true
	}
	all := []*called{open(), open()}
	for range 30 {
		s, o := all[r.IntN(len(all))], all[r.IntN(len(all))]
		switch r.IntN(8) {
		case 0:
			all = append(all, open())
		case 1:
			old := o
			if r.IntN(2) == 0 {
				old = nil
			}
			next := s.empty(old)
			if next.sum == o.sum { // in the memory of o, which is of no use any more
				all = slices.DeleteFunc(all, func(c *called) bool { return c == o })
			}
			all = append(all, next)
		case 2, 3:
			common := slices.ContainsFunc(slices.Collect(maps.Keys(o.records)), func(i int) bool { return s.records[i] })
			err := s.merge(o)
			if refuse := common || s.sealed || o.sealed; refuse && err == nil || !refuse && s != o && err != nil {
				t.Fatalf("merge: got error %v, want one: %v", err, refuse)
			}
			if err != nil {
				wrong++
				continue
			}
			right++
			if s != o {
				maps.Copy(s.records, o.records)
				clear(o.records)
			}
		default:
			records, refuse := someRecords(r, n), s.sealed
			seen := maps.Clone(s.records)
			for _, i := range records {
				refuse = refuse || !in[i] || seen[i]
				seen[i] = true
			}
			if err := s.add(records); (err != nil) != refuse || errors.Is(err, ErrComputation) {
				t.Fatalf("add %v: got error %v, want one: %v", records, err, refuse)
			}
			if wrong++; !refuse {
				right, wrong, s.records = right+1, wrong-1, seen
			}
		}
		if r.IntN(20) == 0 {
			s.sealed = true
			isSumOf(t, s, open)
		}
	}
	for _, s := range all {
		isSumOf(t, s, open)
	}
	return right, wrong
}

// someRecords returns numbers of records in a row or in any order, now and then one of them twice.
func someRecords(r *rand.Rand, n int) []int {
	first, count := r.IntN(n), 1+r.IntN(min(n, 70))
	records := make([]int, min(count, n-first))
	for k := range records {
		records[k] = first + k
	}
	if r.IntN(3) == 0 {
		records = r.Perm(n)[:min(n, 1+r.IntN(4))]
	}
	if r.IntN(12) == 0 {
		records = append(records, records[r.IntN(len(records))])
	}
	return records
}

// isSumOf holds that a sum is the one over its records, which are added one by one to another.
func isSumOf(t *testing.T, s *called, open func() *called) {
	t.Helper()
	want := open()
	for i := range s.records {
		if err := want.add([]int{i}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := s.seal(), want.seal()
	for k := range a {
		if a[k].state.faulty || b[k].state.faulty || !slices.Equal(a[k].state.values, b[k].state.values) {
			t.Fatalf("sum %d of %d records is not theirs, or refused: %v, %v", k, len(s.records), a[k].state.faulty, b[k].state.faulty)
		}
	}
}

// inRow reports whether records follow one another.
func inRow(records []int) bool {
	for k, i := range records {
		if i != records[0]+k {
			return false
		}
	}
	return true
}

// loaded returns the block of records.
func loaded(t *testing.T, rows *Rows, records []int) Block {
	b, err := rows.LoadAt(records, Block{})
	if inRow(records) {
		b, err = rows.Load(records[0], len(records), Block{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// picked returns the numbers of listed records, width each.
func picked[T any](all []T, records []int, width int) (out []T) {
	for _, i := range records {
		out = append(out, all[i*width:(i+1)*width]...)
	}
	return out
}

func calledSums(t *testing.T, r *rand.Rand, s Sample, n int) func() *called {
	kind, columns := rowTypes[r.IntN(len(rowTypes))], 1+r.IntN(3)
	all := frames(r, 4)
	f, x, p := all[r.IntN(len(all))], coordinates(r, kind, n, 4), proposed(r, n*columns)
	var wrap func(sum *Sum) *called
	wrap = func(sum *Sum) *called {
		c := &called{records: map[int]bool{}, sum: sum}
		c.add = func(records []int) error {
			return sum.AddBlock(loaded(t, sum.rows, records), kernel.Contributions{Columns: columns, Coefficients: picked(p, records, columns)})
		}
		c.empty = func(*called) *called { return wrap(sum.Empty()) }
		c.merge = func(o *called) error { return sum.Merge(o.sum.(*Sum)) }
		c.seal = func() []Bounded { return []Bounded{sum.Seal()} }
		return c
	}
	rows := []*Rows{typedRows(t, x, kind, f, 0, n), typedRows(t, x, kind, f, 0, n)}
	return func() *called { return wrap(newTestSum(t, rows[r.IntN(2)], s, columns, 1, n)) }
}

func calledGroups(t *testing.T, r *rand.Rand, s Sample, n int) func() *called {
	kind := rowTypes[r.IntN(len(rowTypes))]
	all := frames(r, 4)
	some, x, p := []Standardization{all[r.IntN(len(all))], all[r.IntN(len(all))]}, coordinates(r, kind, n, 4), proposed(r, 3*n)
	var wrap func(g *Group) *called
	wrap = func(g *Group) *called {
		c := &called{records: map[int]bool{}, sum: g}
		c.add = func(records []int) error {
			var blocks []Block
			var of []kernel.Contributions
			for k, sum := range g.sums {
				blocks = append(blocks, loaded(t, sum.rows, records))
				of = append(of, kernel.Contributions{Columns: 1 + k, Coefficients: picked(p[k*n:], records, 1+k)})
			}
			return g.AddBlock(blocks, of)
		}
		c.empty = func(*called) *called { return wrap(g.Empty()) }
		c.merge = func(o *called) error { return g.Merge(o.sum.(*Group)) }
		c.seal = g.Seal
		return c
	}
	var rows [2][]*Rows
	for k := range rows {
		base := typedRows(t, x, kind, Standardization{}, 0, n)
		for _, f := range some {
			seen, err := base.Standardized(f)
			if err != nil {
				t.Fatal(err)
			}
			rows[k] = append(rows[k], seen)
		}
	}
	first, err := Draw(Full(), n)
	if err != nil {
		t.Fatal(err)
	}
	return func() *called {
		own := rows[r.IntN(2)]
		g, err := NewGroup(newTestSum(t, own[0], s, 1, 1, n), newTestSum(t, own[1], first, 2, 1, n))
		if err != nil {
			t.Fatal(err)
		}
		return wrap(g)
	}
}

func calledVectors(t *testing.T, r *rand.Rand, s Sample, n int) func() *called {
	norm, p := []Norm{L1(), L2(), LInfinity()}[r.IntN(3)], proposed(r, 3*n)
	var wrap func(v *VectorSum) *called
	wrap = func(v *VectorSum) *called {
		c := &called{records: map[int]bool{}, sum: v}
		c.add = func(records []int) error {
			if inRow(records) && r.IntN(2) == 0 {
				return v.Add(records[0], picked(p, records, 3))
			}
			return v.AddAt(records, picked(p, records, 3))
		}
		c.empty = func(*called) *called { return wrap(v.Empty()) }
		c.merge = func(o *called) error { return v.Merge(o.sum.(*VectorSum)) }
		c.seal = func() []Bounded { return []Bounded{v.Seal()} }
		return c
	}
	return func() *called {
		v, err := NewVectorSum(s, VectorOptions{Noise: mechanism.KNorm{NoiseMultiplier: 3}, Norm: norm, Dim: 3, Bound: 1, MaxRecords: n})
		if err != nil {
			t.Fatal(err)
		}
		return wrap(v)
	}
}

func calledProducts(t *testing.T, r *rand.Rand, s Sample, n int) func() *called {
	next := func() float32 { return float32(r.NormFloat64()) }
	each := make([][]kernel.Factors[float32], n)
	for i := range each {
		each[i] = someFactors(r, 1, next)
	}
	var wrap func(p *ProductSum) *called
	wrap = func(p *ProductSum) *called {
		c := &called{records: map[int]bool{}, sum: p}
		c.add = func(records []int) error {
			all := slices.Clone(each[records[0]])
			for _, i := range records[1:] {
				for k, f := range each[i] {
					a := &all[k]
					a.Records++
					a.Lefts, a.Rights = slices.Concat(a.Lefts, f.Lefts), slices.Concat(a.Rights, f.Rights)
					a.Index, a.Values = slices.Concat(a.Index, f.Index), slices.Concat(a.Values, f.Values)
				}
			}
			return p.Add(records, all, nil)
		}
		c.empty = func(old *called) *called {
			if old == nil {
				return wrap(p.Empty())
			}
			return wrap(p.EmptyIn(old.sum.(*ProductSum)))
		}
		c.merge = func(o *called) error { return p.Merge(o.sum.(*ProductSum)) }
		c.seal = func() []Bounded { return []Bounded{p.Seal()} }
		return c
	}
	return func() *called {
		p, err := NewProductSum(s, ProductOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 5}, Blocks: productBlocks(), Bound: 1, MaxRecords: n})
		if err != nil {
			t.Fatal(err)
		}
		return wrap(p)
	}
}
