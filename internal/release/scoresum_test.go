package release

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// scored are rows of several types and frames, of count records, with what they are as numbers: rows as they
// are seen.
func scored(t *testing.T, r *rand.Rand, count int) (*Rows, [][]float64) {
	t.Helper()
	kind := RowType(r.IntN(4))
	f := []Standardization{{}, {Normalize: NormalizeUnit, Intercept: 0.5}, {Normalize: NormalizeClip, Radius: 0.5}, {Intercept: 2}}[r.IntN(4)]
	const dim = 5
	values := make([]float64, count*dim)
	for i := range values {
		values[i] = math.Exp(2 * r.NormFloat64())
		switch {
		case kind == Bit || r.IntN(4) == 0:
			values[i] = float64(r.IntN(2))
		case kind == Int16 || kind == Sparse:
			values[i] = r.NormFloat64()
		}
	}
	step := map[RowType]float64{Int16: 1e-4, Uint8: 0.01, Bit: 1, Sparse: 1e-4}[kind]
	rows, err := NewRows(count, RowsOptions{Dim: dim, Step: step, Type: kind, Frame: f}, func(dst []float64, first, n int) { copy(dst, values[first*dim:(first+n)*dim]) })
	if err != nil {
		t.Fatal(err)
	}
	seen := make([][]float64, count)
	err = rows.Each(0, count, func(b Block) error {
		for i := range b.Len() {
			seen[b.Record(i)] = make([]float64, rows.Dim())
			b.AddTo(seen[b.Record(i)], i, []float64{1}, make([]int16, dim))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, seen
}

// scoreSumOf returns the sum of the rows that are listed times their coefficients, of so many columns.
func scoreSumOf(t *testing.T, rows *Rows, o ScoreOptions, coefficients []float64, listed ...int) Scores {
	t.Helper()
	peaks, err := NewRowsWithMax(rows)
	if err != nil {
		t.Fatal(err)
	}
	sample, _ := Draw(Full(), rows.Len())
	sum, err := NewScoreSum(sample, peaks, o)
	if err != nil {
		t.Fatal(err)
	}
	addScores(t, sum, rows, coefficients, listed...)
	return sum.Seal()
}

func addScores(t *testing.T, sum *ScoreSum, rows *Rows, coefficients []float64, listed ...int) {
	t.Helper()
	b, err := rows.LoadAt(listed, Block{})
	if err != nil {
		t.Fatal(err)
	}
	k := sum.o.Columns
	c := kernel.Contributions{Columns: k}
	for _, i := range listed {
		c.Coefficients = append(c.Coefficients, coefficients[i*k:(i+1)*k]...)
	}
	if err = sum.AddBlock(b, c); err != nil {
		t.Fatal(err)
	}
}

// wildCoefficient is mostly of a usual size.
func wildCoefficient(r *rand.Rand) float64 {
	switch r.IntN(12) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1 - 2*r.IntN(2))
	case 2:
		return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000)
	}
	return r.NormFloat64() * math.Exp(3*r.NormFloat64())
}

// TestScoresMoveByAtMostOne takes 2000 pairs of neighbors, of all types and frames, with wild coefficients: one
// record moves each score by at most one unit, exactly, and some score by at least 0.95 of it.
func TestScoresMoveByAtMostOne(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	largest := int64(0)
	for range 2000 {
		rows, _ := scored(t, r, 4)
		o := ScoreOptions{Columns: 1 + r.IntN(3), Bound: math.Exp(2 * r.NormFloat64()), MaxRecords: 4 << r.IntN(36)}
		coefficients := make([]float64, 4*o.Columns)
		for i := range coefficients {
			coefficients[i] = wildCoefficient(r)
		}
		few, more := scoreSumOf(t, rows, o, coefficients, 0, 1, 2).state, scoreSumOf(t, rows, o, coefficients, 0, 1, 2, 3).state
		if len(more.loss) != 2*o.Columns*rows.Dim() {
			t.Fatalf("there are %d scores, want two for each of %d columns and %d coordinates", len(more.loss), o.Columns, rows.Dim())
		}
		for j, v := range more.loss {
			move := max(v-few.loss[j], few.loss[j]-v)
			if largest = max(largest, move); move > more.unit {
				t.Fatalf("one record moved score %d by %d of %d units of %v rows with %+v and coefficients %v", j, move, more.unit, rows.kind, o, coefficients)
			}
		}
	}
	if largest < maxUnit*95/100 {
		t.Errorf("the largest move is %d of %d units, want 0.95 of them", largest, maxUnit)
	}
}

// TestScoresAreTheSums compares scores with sums in float64 of coefficients times rows, of which each is cut so
// that its row's largest coordinate is at the bound. Rounding a coefficient moves a coordinate by at most Δ/2^9
// here, float32 multipliers by 2^-22 of it.
func TestScoresAreTheSums(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		rows, seen := scored(t, r, 20)
		o := ScoreOptions{Columns: 2, Bound: 0.3, MaxRecords: 100}
		coefficients, listed := make([]float64, 40), make([]int, 20)
		want := make([]float64, 2*rows.Dim())
		for i, x := range seen {
			listed[i] = i
			largest := 0.0
			for _, v := range x {
				largest = max(largest, math.Abs(v))
			}
			for k := range 2 {
				a := r.NormFloat64()
				coefficients[2*i+k] = a
				if largest > 0 {
					a = max(-o.Bound/largest, min(o.Bound/largest, a))
				}
				for j, v := range x {
					want[k*rows.Dim()+j] += a * v
				}
			}
		}
		s := scoreSumOf(t, rows, o, coefficients, listed...).state
		for j, v := range want {
			got := float64(s.loss[2*j]) / float64(s.unit) * o.Bound
			if math.Abs(got-v) > 0.01*o.Bound || s.loss[2*j] != -s.loss[2*j+1] {
				t.Fatalf("%v rows, frame %+v: score %d is %v (and %d, %d), want %v", rows.kind, rows.frame.Standardization, j, got, s.loss[2*j], s.loss[2*j+1], v)
			}
		}
	}
}

// TestScoresMerge holds that parts, in any order, give the same integers.
func TestScoresMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		rows, _ := scored(t, r, 9)
		coefficients := make([]float64, 9)
		for i := range coefficients {
			coefficients[i] = wildCoefficient(r)
		}
		o := ScoreOptions{Columns: 1, Bound: 1, MaxRecords: 9}
		want := scoreSumOf(t, rows, o, coefficients, 0, 1, 2, 3, 4, 5, 6, 7, 8).state.loss
		peaks, err := NewRowsWithMax(rows)
		if err != nil {
			t.Fatal(err)
		}
		sample, _ := Draw(Full(), 9)
		whole, err := NewScoreSum(sample, peaks, o)
		if err != nil {
			t.Fatal(err)
		}
		order, part := r.Perm(9), whole.Empty()
		addScores(t, whole, rows, coefficients, order[:4]...)
		addScores(t, part, rows, coefficients, order[4:]...)
		if err = whole.Merge(part); err != nil {
			t.Fatal(err)
		}
		if got := whole.Seal().state.loss; !slices.Equal(got, want) {
			t.Fatalf("parts in order %v give %v, want %v", order, got, want)
		}
		if err = whole.Merge(part); err == nil {
			t.Fatal("a sealed sum was added to")
		}
	}
}

func TestScoreRefusals(t *testing.T) {
	rows, err := NewRows(3, RowsOptions{Dim: 2, Step: 1}, func(dst []float64, _, _ int) { dst[0] = 1 })
	if err != nil {
		t.Fatal(err)
	}
	centered, err := rows.Standardized(Standardization{Center: []float64{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = NewRowsWithMax(centered); err == nil {
		t.Error("rows with a center were taken")
	}
	if _, err = NewRowsWithMax(nil); err == nil {
		t.Error("no rows were taken")
	}
	text := inFile(t, rows)
	file, err := OpenRows(bytes.NewReader(text), int64(len(text)), Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = NewRowsWithMax(file); err == nil {
		t.Error("rows in a file were taken, which may hold other integers when they are added")
	}
	peaks, err := NewRowsWithMax(rows)
	if err != nil {
		t.Fatal(err)
	}
	sample, _ := Draw(Full(), 3)
	good := ScoreOptions{Columns: 1, Bound: 1, MaxRecords: 3}
	for name, change := range map[string]func(*ScoreOptions){
		"no columns":   func(o *ScoreOptions) { o.Columns = 0 },
		"no bound":     func(o *ScoreOptions) { o.Bound = 0 },
		"few records":  func(o *ScoreOptions) { o.MaxRecords = 2 },
		"many records": func(o *ScoreOptions) { o.MaxRecords = 1 << 41 },
		"many columns": func(o *ScoreOptions) { o.Columns = 1 << 24 },
	} {
		o := good
		change(&o)
		if _, err = NewScoreSum(sample, peaks, o); err == nil {
			t.Errorf("%s: got a sum, want an error", name)
		}
	}
	sum, err := NewScoreSum(sample, peaks, good)
	if err != nil {
		t.Fatal(err)
	}
	block := func(rows *Rows, listed ...int) Block {
		b, failed := rows.LoadAt(listed, Block{})
		if failed != nil {
			t.Fatal(failed)
		}
		return b
	}
	one := kernel.Contributions{Columns: 1, Coefficients: []float64{1}}
	if err = sum.AddBlock(block(rows, 0), one); err != nil {
		t.Fatal(err)
	}
	for name, failed := range map[string]error{
		"a record twice": sum.AddBlock(block(rows, 0), one),
		"another shape":  sum.AddBlock(block(rows, 1, 2), one),
		"other rows":     sum.AddBlock(block(centered, 1), one),
	} {
		if failed == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err = NewScoreSum(sample, nil, good); err == nil {
		t.Error("no peaks were taken")
	}
}
