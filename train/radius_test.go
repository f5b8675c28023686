package train

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// radiusRequest asks for a radius and all that is in units of it.
func radiusRequest(r Request) Request {
	r.Epsilon, r.Delta, r.Neighboring, r.Steps, r.Whiten = math.Inf(1), 1e-6, privacy.AddOrRemoveOne, 10, Yes
	return r
}

// TestRadiusIsTheMedian learns without noise and compares with the sorted norms: the radius is the end of the
// median's bin.
func TestRadiusIsTheMedian(t *testing.T) {
	s := toySchema(t)
	d := toyData(t, s, 501)
	m := run(t, radiusRequest(Request{PrivateRadius: true}), Options{}, s, d).Features()
	plain := &feature.Map{Pipeline: m.Pipeline, Norm: feature.NormNone}
	var norms []float64
	for _, x := range centeredRows(plain, d) {
		norms = append(norms, math.Sqrt(dot(x, x)))
	}
	slices.Sort(norms)
	if ratio := m.Radius / norms[250]; ratio < 1-1e-4 || ratio > math.Exp2(1.0/binsOfDouble)+1e-4 {
		t.Errorf("radius is %v, the median of norms %v, want it at the end of its bin", m.Radius, norms[250])
	}
}

// TestRadiusIsAUnit holds that a run with a private radius is the run with that radius declared, and all that
// is in units of it multiplied by it: the same bits.
func TestRadiusIsAUnit(t *testing.T) {
	s := toySchema(t)
	d := toyData(t, s, 400)
	for _, mode := range []string{option.ClipGradient, option.ClipExample} {
		private := radiusRequest(Request{PrivateRadius: true, ClippingMode: mode})
		got := run(t, private, Options{}, s, d)
		radius := got.Features().Radius
		declared := radiusRequest(Request{Normalization: feature.NormClip, Radius: radius, Intercept: option.WhitenedIntercept * radius, ClippingMode: mode})
		want := run(t, declared, Options{}, s, d)
		if radius == 1 || !slices.Equal(got.Weights(), want.Weights()) || got.Features().Intercept != want.Features().Intercept {
			t.Errorf("%s: weights %v with a private radius %v, %v with a declared one", mode, got.Weights(), radius, want.Weights())
		}
	}
}

// TestRadiusReadsBlocksOnce counts norms of rows in a file of 20 blocks: the same counts as in memory. Each block is
// read once for all of its rows, and blocks of records that are made again to check the others.
func TestRadiusReadsBlocksOnce(t *testing.T) {
	// A record is checked with probability 2^-13. More than 60 of 20 000 are with probability below 1e-50.
	const n, dim, blocks, checks = 20_000, 3, 20, 60
	r := rand.New(rand.NewPCG(7, 7))
	x := make([]float64, n*dim)
	for i := range x {
		if i/dim%17 != 0 {
			x[i] = math.Exp(4*r.Float64()-4) * r.NormFloat64()
		}
	}
	o := release.RowsOptions{Dim: dim, Step: 1e-4}
	encoded := func(from, n int) *release.Rows {
		rows, err := release.NewRows(n, o, func(dst []float64, first, k int) { copy(dst, x[dim*(from+first):dim*(from+first+k)]) })
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	var text bytes.Buffer
	w := release.NewRowsWriter(&text)
	for k := range blocks {
		if err := w.Append(encoded(k*n/blocks, n/blocks)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(nil); err != nil {
		t.Fatal(err)
	}
	file := &countedFile{file: bytes.NewReader(text.Bytes())}
	held, err := holdFile(file, int64(text.Len()))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := release.OpenRows(held, int64(text.Len()), release.Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	persons := [][]int{{}, {1, n - 1}}
	for i := 2; i < n-1; i += 3 {
		persons = append(persons, []int{i, min(i+1, n-2)})
	}
	statistic, out := PreparationStep{Bound: 1e6}, &prepared{features: run(t, radiusRequest(Request{PrivateRadius: true}), Options{}, toySchema(t), toyData(t, toySchema(t), 100)).Features()}
	for _, own := range [][][]int{nil, persons} {
		count := func(rows *release.Rows, whole *rowsFile) []float64 {
			terms := pass.Settings{Payer: payEverything{}, Noise: mechanism.NonPrivate{}, MaxRecords: n}
			_, counts, failed := statistic.countNorms(terms, &table{rows: rows, records: n, persons: own, file: whole}, out)
			if failed != nil {
				t.Fatal(failed)
			}
			return counts
		}
		want := count(encoded(0, n), nil)
		file.readings = 0
		if got := count(rows, &rowsFile{}); !slices.Equal(got, want) {
			t.Errorf("persons %v: counts in a file are %v, want %v", own != nil, got, want)
		}
		if file.readings > blocks+2*checks || file.readings < blocks {
			t.Errorf("persons %v: %d readings of %d blocks, want each block once and at most %d checks", own != nil, file.readings, blocks, checks)
		}
	}
}

// countedFile counts readings.
type countedFile struct {
	file     *bytes.Reader
	mutex    sync.Mutex
	readings int
}

func (f *countedFile) ReadAt(p []byte, at int64) (int, error) {
	f.mutex.Lock()
	f.readings++
	f.mutex.Unlock()
	return f.file.ReadAt(p, at)
}

// TestNeighborsMoveNormsByAtMostTheBound adds one record, of one row or a person of up to 3, to 1000 random
// tables: the histogram before noise moves by at most the bound, and by all of it when a person's rows
// have one norm.
func TestNeighborsMoveNormsByAtMostTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	worst := 0.0
	for trial := range 1000 {
		n := 4 + r.IntN(4)
		scale := math.Exp(20*r.Float64() - 15)
		x := make([]float64, 2*n)
		for j := range x {
			if x[j] = scale * r.NormFloat64(); trial%50 == 0 {
				x[j] = 0.5
			}
		}
		rows, err := release.NewRows(n, release.RowsOptions{Dim: 2, Step: 1e-4}, func(dst []float64, first, k int) { copy(dst, x[2*first:2*(first+k)]) })
		if err != nil {
			t.Fatal(err)
		}
		h, records, bound := histogram{rows: rows, largest: 4}, n, 1.0
		if trial%2 == 0 {
			h.persons, records, bound = [][]int{{0}, {1, 2}, {}, {n - 3, n - 2, n - 1}}, 4, 3
		}
		counts := func(records int) []float64 {
			out, failed := pass.SumVectors(pass.Settings{Payer: payEverything{}, Noise: mechanism.NonPrivate{}, MaxRecords: 10}, records, radiusBins, 1e6, h.norms)
			if failed != nil {
				t.Fatal(failed)
			}
			return out
		}
		with, without, moved := counts(records), counts(records-1), 0.0
		for j := range with {
			moved = math.Hypot(moved, with[j]-without[j])
		}
		if moved > bound*(1+1e-6) {
			t.Fatalf("a record moves the histogram by %v, want at most %v", moved, bound)
		}
		worst = max(worst, moved/bound)
	}
	if worst < 0.95 {
		t.Errorf("the largest move is %v of the bound, want at least 0.95", worst)
	}
}

// TestMedianBin holds the median of plain counts, and of noisy ones.
func TestMedianBin(t *testing.T) {
	for _, c := range []struct {
		at   map[int]float64
		want int
	}{
		{map[int]float64{40: 1000}, 41}, {map[int]float64{0: 10}, 1}, {map[int]float64{127: 10}, 128},
		{map[int]float64{20: 30, 21: 30, 90: 41}, 22}, {map[int]float64{20: 30, 60: 30, 90: 31}, 61},
	} {
		counts := make([]float64, radiusBins)
		for k, v := range c.at {
			counts[k] = v
		}
		if got := medianBin(counts); got != c.want {
			t.Errorf("%v: the median's bin ends at %d, want %d", c.at, got, c.want)
		}
	}
	// 20000 rows in bins 60 to 79, noise of deviation 40. For the best place k the sum of distances differs
	// from that of the true median by noise of deviation at most 40·√128·|k-70|, and by 1000·(k-70)² of the
	// counts: beyond 3 bins, that is 16000 against a deviation of 1812, the odds of an error are below 1e-15.
	r := rand.New(rand.NewPCG(1, 7))
	for range 200 {
		counts := make([]float64, radiusBins)
		for k := range counts {
			if counts[k] = 40 * r.NormFloat64(); k >= 60 && k < 80 {
				counts[k] += 1000
			}
		}
		if got := medianBin(counts); got < 67 || got > 73 {
			t.Errorf("the noisy median's bin ends at %d, want 70", got)
		}
	}
}

// TestPersonsHaveARadius holds that rows beyond the bound of a person do not count.
func TestPersonsHaveARadius(t *testing.T) {
	names := make([]string, 300)
	for i := range names {
		names[i] = fmt.Sprint("p", i%100)
	}
	setup := personPlan(t, 3, func(r *Request) { r.PrivateRadius, r.Whiten, r.Structure = true, Yes, option.StructureFull })
	result, err := Fit(t.Context(), budget(t, 3.01), setup, diary(t, names, rand.New(rand.NewPCG(3, 1))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := result.Model.Features(); !(f.Radius > 0) || math.Abs(f.Intercept-f.Radius*option.WhitenedIntercept) > 1e-12*f.Radius || f.Whitening == nil {
		t.Errorf("radius %v, intercept %v, whitening %v; want an intercept of %v radii, and a whitening", f.Radius, f.Intercept, f.Whitening, option.WhitenedIntercept)
	}
}
