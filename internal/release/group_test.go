package release

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// groupSums is how many sums grouped makes.
const groupSums = 6

// grouped are sums over one table seen from several frames, with bounds and columns of their own; the last three have one
// column and rows in common, and the first and the last of them the bound.
func grouped(t *testing.T, base *Rows, dim int, s []Sample) []*Sum {
	t.Helper()
	center := slices.Repeat([]float64{0.3}, dim)
	sums, seen := make([]*Sum, groupSums), make([]*Rows, groupSums)
	for i, f := range []Standardization{{}, {Normalize: NormalizeUnit, Center: center, Intercept: 0.5}, {Normalize: NormalizeClip, Radius: 1, Intercept: 0.1}, {Normalize: NormalizeUnit}} {
		var err error
		if seen[i], err = base.Standardized(f); err != nil {
			t.Fatal(err)
		}
	}
	seen[4], seen[5] = seen[3], seen[3]
	for i, rows := range seen {
		o := SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 0.01 * float64(1+i)}, Columns: 2 + i, Bound: 1 + float64(i), MaxRecords: base.total}
		if i > 2 { // one block ends as the next begins
			o.Noise, o.Columns, o.Bound = mechanism.Gaussian{NoiseMultiplier: 0.01}, 1, 4+float64(i%2)
		}
		var err error
		if sums[i], err = NewSum(s[i], rows, o); err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

// TestGroupIsItsSums fills sums together and one by one with wild proposals, for every type, in memory and
// in a file, in parts that are merged: the same integers. What one sum refuses, none takes.
func TestGroupIsItsSums(t *testing.T) {
	const n, dim = 90, 9
	r := rand.New(rand.NewPCG(12, 1))
	for _, kind := range rowTypes {
		x := coordinates(r, kind, n, dim)
		memory := typedRows(t, x, kind, Standardization{}, 0, n)
		text := inFile(t, memory)
		file, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
		if err != nil {
			t.Fatal(err)
		}
		for name, base := range map[string]*Rows{"memory": memory, "file": file} {
			samples := make([]Sample, groupSums)
			for i := range samples {
				samples[i], _ = Draw(Full(), n)
			}
			alone, together := grouped(t, base, dim, samples), grouped(t, base, dim, samples)
			group, err := NewGroup(together...)
			if err != nil {
				t.Fatal(err)
			}
			parts := []*Group{group.Empty(), group.Empty()}
			for first := 0; first < n; first += 30 {
				fillBoth(t, r, alone, parts[first/30%2], base, first, 30)
			}
			for _, p := range parts {
				if err = group.Merge(p); err != nil {
					t.Fatal(err)
				}
			}
			for i, sealed := range group.Seal() {
				if want := alone[i].Seal().state.values; !slices.Equal(sealed.state.values, want) {
					t.Fatalf("%v in %s, sum %d: got %d, want %d", kind, name, i, sealed.state.values, want)
				}
			}
		}
	}
}

// fillBoth adds the same proposals for n records to sums and to a group of their like.
func fillBoth(t *testing.T, r *rand.Rand, alone []*Sum, group *Group, base *Rows, first, n int) {
	t.Helper()
	b, err := base.Load(first, n, Block{})
	if err != nil {
		t.Fatal(err)
	}
	blocks, c := make([]Block, len(alone)), make([]kernel.Contributions, len(alone))
	for i, s := range alone {
		if blocks[i], err = s.rows.Standardize(b, Block{}); err != nil {
			t.Fatal(err)
		}
		c[i].Columns = s.columns
		for range n * s.columns {
			v := math.Abs(r.NormFloat64()) * 1e6
			if r.IntN(3) == 0 {
				v = wildFloat(r)
			}
			c[i].Coefficients = append(c[i].Coefficients, v)
		}
		if err = s.Add(first, c[i]); err != nil {
			t.Fatal(err)
		}
	}
	broken := slices.Clone(c)
	broken[2].Coefficients = broken[2].Coefficients[1:]
	if group.AddBlock(blocks, broken) == nil {
		t.Fatal("contributions of another shape were taken")
	}
	if err = group.AddBlock(blocks, c); err != nil {
		t.Fatalf("after a refusal: %v", err)
	}
	if group.AddBlock(blocks, c) == nil {
		t.Fatal("records were taken twice")
	}
}

// refuseUsedSums holds that a sum with records in it, of a part of the records, sealed or in a group joins no
// group, that a sum in a group takes no records by itself, and that groups merge with their like alone.
func refuseUsedSums(t *testing.T, rows *Rows, sample Sample) {
	t.Helper()
	c := kernel.Contributions{Columns: 1, Coefficients: []float64{1, 1}}
	poisson, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	some, _ := Draw(poisson, rows.total)
	used, sealed, part := newTestSum(t, rows, sample, 1, 1, 2), newTestSum(t, rows, sample, 1, 1, 2), newTestSum(t, rows, some, 1, 1, 2)
	if err = used.Add(0, c); err != nil {
		t.Fatal(err)
	}
	sealed.Seal()
	for name, s := range map[string]*Sum{"used": used, "sealed": sealed, "of a part": part} {
		if _, err = NewGroup(s); err == nil {
			t.Errorf("a sum that is %s was grouped", name)
		}
	}
	a := newTestSum(t, rows, sample, 1, 1, 2)
	group, err := NewGroup(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = NewGroup(a); err == nil {
		t.Error("a sum was grouped twice")
	}
	if err = a.Add(0, c); err == nil {
		t.Error("a sum in a group took records by itself")
	}
	again, _ := Draw(Full(), rows.total)
	for name, s := range map[string]*Sum{"another sample": newTestSum(t, rows, again, 1, 1, 2), "another bound": newTestSum(t, rows, sample, 1, 2, 2)} {
		other, _ := NewGroup(s)
		if err = group.Merge(other); err == nil {
			t.Errorf("groups were merged: %s", name)
		}
	}
	mergeTwice(t, group, c)
}

// mergeTwice holds that a record is in one part of a group, and that a sealed group is closed.
func mergeTwice(t *testing.T, group *Group, c kernel.Contributions) {
	t.Helper()
	b, err := group.sums[0].rows.Load(0, 2, Block{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(g *Group) error { return g.AddBlock([]Block{b}, []kernel.Contributions{c}) }
	for i := range 2 {
		other := group.Empty()
		if err = add(other); err != nil {
			t.Fatal(err)
		}
		if err = group.Merge(other); (err == nil) != (i == 0) {
			t.Errorf("records were merged %d times: %v", i+1, err)
		}
	}
	group.Seal()
	if open := group.Empty(); add(group) == nil || group.Merge(open) == nil {
		t.Error("a sealed group took records")
	}
}

// TestSameRows holds that rows are the same if integers, frame and place are.
func TestSameRows(t *testing.T) {
	x := [][]float64{{1, 2}, {3, 4}}
	one, _ := made(t, x, 1)
	two, _ := made(t, x, 1)
	seen := func(f Standardization) *Rows {
		rows, err := one.Standardized(f)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	unit := Standardization{Normalize: NormalizeUnit, Center: []float64{0.5, 0.25}}
	moved := Standardization{Normalize: NormalizeUnit, Center: []float64{0.25, 0.5}}
	if !seen(unit).Same(seen(unit)) || !one.Same(one) {
		t.Error("rows that are seen alike are not the same")
	}
	if one.Same(two) || seen(unit).Same(seen(moved)) || seen(unit).Same(one) {
		t.Error("rows of other integers or another frame are the same")
	}
}

func TestGroupRefusals(t *testing.T) {
	x := [][]float64{{1, 2}, {3, 4}}
	one, sample := made(t, x, 1)
	two, _ := made(t, x, 1)
	a, b := newTestSum(t, one, sample, 1, 1, 2), newTestSum(t, two, sample, 1, 1, 2)
	if _, err := NewGroup(a, b); err == nil {
		t.Error("sums over other integers were grouped")
	}
	if _, err := NewGroup(); err == nil {
		t.Error("nothing was grouped")
	}
	refuseUsedSums(t, one, sample)
	block, _ := two.Load(0, 2, Block{})
	if _, err := one.Standardize(block, Block{}); err == nil {
		t.Error("a block of other integers was seen")
	}
	if _, err := NewGroupScorer(one.Scorer([]float64{1, 1}, 1), two.Scorer([]float64{1, 1}, 1)); err == nil {
		t.Error("scorers over other integers were grouped")
	}
}

// TestGroupTakesOneRecordsRows holds that the blocks of all sums must be of the same records: else the integers of
// one record would count with coefficients that were verified for another.
func TestGroupTakesOneRecordsRows(t *testing.T) {
	base, sample := made(t, [][]float64{{1, 2}, {3, 4}, {5, 6}}, 1)
	other, err := base.Standardized(Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	group, err := NewGroup(newTestSum(t, base, sample, 1, 1, 3), newTestSum(t, other, sample, 1, 1, 3))
	if err != nil {
		t.Fatal(err)
	}
	c := kernel.Contributions{Columns: 1, Coefficients: []float64{0.1}}
	load := func(rows *Rows, first int, at []int) Block {
		b, failed := rows.Load(first, 1, Block{})
		if at != nil {
			b, failed = rows.LoadAt(at, Block{})
		}
		if failed != nil {
			t.Fatal(failed)
		}
		return b
	}
	for name, b := range map[string]Block{"another record": load(other, 1, nil), "another listed record": load(other, 0, []int{2}), "another number": {}} {
		if group.AddBlock([]Block{load(base, 0, nil), b}, []kernel.Contributions{c, c}) == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if err = group.AddBlock([]Block{load(base, 0, nil), load(other, 0, []int{0})}, []kernel.Contributions{c, c}); err != nil {
		t.Errorf("one record, listed and not: %v", err)
	}
}

// TestGroupTakesOneReading holds that the blocks of rows in a file must be of one reading: between two the file may have
// changed, and what was verified with the integers of one would be added with those of the other.
func TestGroupTakesOneReading(t *testing.T) {
	for _, kind := range rowTypes {
		memory := typedRows(t, coordinates(rand.New(rand.NewPCG(12, 9)), kind, 4, 3), kind, Standardization{}, 0, 4)
		text := inFile(t, memory)
		rows, err := OpenRows(&changing{text}, int64(len(text)), Standardization{})
		if err != nil {
			t.Fatal(err)
		}
		sample := fullSample(t, 4)
		group, err := NewGroup(newTestSum(t, rows, sample, 1, 1, 4), newTestSum(t, rows, sample, 1, 1, 4))
		if err != nil {
			t.Fatal(err)
		}
		c := kernel.Contributions{Columns: 1, Coefficients: []float64{0.1}}
		first, err := rows.Load(0, 1, Block{})
		if err != nil {
			t.Fatal(err)
		}
		second, err := rows.Load(0, 1, Block{})
		if err != nil {
			t.Fatal(err)
		}
		if group.AddBlock([]Block{first, second}, []kernel.Contributions{c, c}) == nil {
			t.Errorf("%v: two readings of a file were taken for one", kind)
		}
		if err = group.AddBlock([]Block{first, first}, []kernel.Contributions{c, c}); err != nil {
			t.Errorf("%v: one reading: %v", kind, err)
		}
	}
}
