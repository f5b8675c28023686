package erm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// housesSchema declares two numbers and one column of levels, with a numeric target.
func housesSchema(records int) *data.Schema {
	return &data.Schema{Name: "houses", Row: "one house", Records: records, MaxRecords: 1 << 20,
		Columns: []data.Column{
			{Name: "size", Kind: data.Numeric, Lower: 0, Upper: 300, OutOfRange: data.Clamp, Missing: data.Zero},
			{Name: "age", Kind: data.Numeric, Lower: 0, Upper: 100, OutOfRange: data.Clamp, Missing: data.Indicator},
			{Name: "place", Kind: data.Categorical, Levels: []string{"town", "land"}, Unknown: data.Zero, Missing: data.Zero},
		},
		Target: data.Target{Column: "price", Lower: 0, Upper: 1e6}}
}

// classesSchema is housesSchema with classes for a target.
func classesSchema(records int) *data.Schema {
	s := housesSchema(records)
	s.Target = data.Target{Column: "kind", Levels: []string{"a", "b", "c"}}
	return s
}

// house is one random record, often at a corner of what the schema allows.
func house(r *rand.Rand, classes bool) (values [3]float32, target float32) {
	number := func(upper float64) float32 {
		if r.IntN(3) == 0 {
			return float32(upper * float64(r.IntN(2)))
		}
		return float32(upper * r.Float64())
	}
	values = [3]float32{number(300), number(100), float32(r.IntN(2))}
	if r.IntN(4) == 0 {
		values[1] = float32(math.NaN())
	}
	if classes {
		return values, float32(r.IntN(3))
	}
	return values, number(1e6)
}

func houses(t testing.TB, r *rand.Rand, s *data.Schema, n int) *data.Dataset {
	t.Helper()
	columns, target := make([][]float32, 3), []float32{}
	for range n {
		v, y := house(r, !s.Target.Regression())
		for j := range columns {
			columns[j] = append(columns[j], v[j])
		}
		target = append(target, y)
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// freePayer pays for everything.
type freePayer struct{}

func (freePayer) Pay(mechanism.Event) error { return nil }

// exactSums are the sums of products that a plan's noise would be added to: the same rows and sums, released
// without noise.
func exactSums(t testing.TB, s Setup, d *data.Dataset) *Moments {
	t.Helper()
	rows, err := train.Encode(s.Features, s.Schema, d, 16)
	if err != nil {
		t.Fatal(err)
	}
	s.Plan.NonPrivate = true
	m, err := (&fitting{Setup: s, rows: rows, data: d, grant: freePayer{}}).release()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// moved is by how much released sums differ, in the norm of one record's bound.
func moved(a, b *Moments, laplace bool) float64 {
	sum, side := 0.0, a.features+a.targets
	for i := range side {
		for j := range side {
			v := a.sums.At(i, j) - b.sums.At(i, j)
			switch {
			case !laplace:
				sum += v * v
			case i <= j:
				sum += math.Abs(v)
			}
		}
	}
	if laplace {
		return sum
	}
	return math.Sqrt(sum)
}

// manyLevels is housesSchema with so many levels that the sums are those of rows on a grid of 16 bits.
func manyLevels() *data.Schema {
	s := housesSchema(0)
	for k := range 60 {
		s.Columns[2].Levels = append(s.Columns[2].Levels, fmt.Sprint("place ", k))
	}
	return s
}

// onFine is by how much sums may seem to pass the bound where they are of fine integers: rounding in float64.
const onFine = 1e-9

// wholeRoot is that of rows on a grid of 16 bits: one record's exact bound is the integer Δ = 2^29, and
// the step of rows divides the radius by ⌊√Δ⌋ = 23170, so that Δ stands for Δ/23170² of the squared radius. Noise
// is in units of Δ, so it is as much larger. Rows are also multiplied by a factor of up to a step less than their
// constant of 0.5, squared in sums, and sums and noise divided by it again.
const wholeRoot = float64(1<<29)/(23170*23170) - 1 + 2e-4

// TestRecordMovesSumsByAtMostTheBound looks at neighbors by brute force: adding or removing a record moves the
// sums by at most the bound, replacing one by at most twice that; the record of largest norm reaches 0.95 of
// it. Replacing one cannot move normal sums further than √2 times the bound, and that is reached, too.
func TestRecordMovesSumsByAtMostTheBound(t *testing.T) { checkMoves(t, 100) }

// checkMoves draws so many tables for each method and schema.
func checkMoves(t *testing.T, tables int) {
	t.Helper()
	for _, c := range []struct {
		name, method string
		schema       *data.Schema
		delta, slack float64
	}{
		{"regression", "sufficient-statistics", housesSchema(0), 1e-6, onFine},
		{"regression, Laplace", "adassp", housesSchema(0), 0, onFine},
		{"regression, many levels", "sufficient-statistics", manyLevels(), 1e-6, wholeRoot},
		{"classes", "least-squares", classesSchema(0), 1e-6, onFine},
		{"classes, Laplace", "least-squares", classesSchema(0), 0, onFine},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := NewSetup(Request{Method: c.method, Epsilon: 1, Delta: c.delta, Neighboring: privacy.AddOrRemoveOne}, c.schema)
			if err != nil {
				t.Fatal(err)
			}
			r, laplace, bound := rand.New(rand.NewPCG(21, 22)), s.Plan.Linear.Laplace, s.Plan.Linear.Bound
			most, mostReplaced := 0.0, 0.0
			for range tables {
				d := houses(t, r, c.schema, 1+r.IntN(4))
				n := d.Records()
				all := exactSums(t, s, d)
				most = max(most, moved(all, exactSums(t, s, d.Slice(1, n)), laplace))
				other := append([]int{r.IntN(n)}, 1)
				for i := 2; i < n; i++ {
					other = append(other, i)
				}
				mostReplaced = max(mostReplaced, moved(all, exactSums(t, s, d.Take(other[:n])), laplace))
			}
			if most > bound*(1+c.slack) || mostReplaced > 2*bound*(1+c.slack) {
				t.Errorf("one record moves the sums by %v, another in its place by %v, want at most %v and twice that", most, mostReplaced, bound)
			}
			if most < 0.5*bound {
				t.Errorf("the records that were tried move the sums by at most %v of the bound: they do not test it", most/bound)
			}
			if !laplace && mostReplaced > math.Sqrt2*bound*(1+c.slack) {
				t.Errorf("replacing a record moves the sums by %v of the bound, want at most √2", mostReplaced/bound)
			}
		})
	}
}

// TestLongestRowReachesTheBound constructs the record that the bound is for.
func TestLongestRowReachesTheBound(t *testing.T) {
	schema := housesSchema(0)
	nan := float32(math.NaN())
	long, err := data.New(schema, [][]float32{{300, 300}, {nan, nan}, {0, 1}}, []float32{1e6, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, delta := range []float64{1e-6, 0} {
		s, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: 1, Delta: delta, Neighboring: privacy.AddOrRemoveOne}, schema)
		if err != nil {
			t.Fatal(err)
		}
		got := moved(exactSums(t, s, long.Slice(0, 1)), exactSums(t, s, long.Slice(0, 0)), delta == 0) / s.Plan.Linear.Bound
		if !(got >= 0.95 && got <= 1+onFine) {
			t.Errorf("delta %v: the longest row moves the sums by %v of the bound, want 0.95 to 1", delta, got)
		}
	}
}

// TestRadiusShortensRows holds the bound of a declared radius for rows beyond it.
func TestRadiusShortensRows(t *testing.T) {
	schema := housesSchema(0)
	s, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Radius: 0.7}, schema)
	if err != nil {
		t.Fatal(err)
	}
	r, none, longest := rand.New(rand.NewPCG(1, 9)), houses(t, rand.New(rand.NewPCG(1, 9)), schema, 0), 0.0
	for range 100 {
		longest = max(longest, moved(exactSums(t, s, houses(t, r, schema, 1)), exactSums(t, s, none), false)/s.Plan.Linear.Bound)
	}
	if !(longest > 0.95 && longest <= 1+onFine) {
		t.Errorf("rows move the sums by up to %v of the bound, want 0.95 to 1", longest)
	}
}

// TestNoiseHasTheStatedDeviation draws the noise of empty tables. Of N numbers the mean square deviates by
// √(2/N) for normal and √(5/N) for Laplace numbers, relatively; 6 of these are allowed, below 1e-8 by the normal
// approximation of a sum of 6000 terms.
func TestNoiseHasTheStatedDeviation(t *testing.T) {
	schema := housesSchema(0)
	for _, delta := range []float64{1e-6, 0} {
		s, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: 1, Delta: delta, Neighboring: privacy.AddOrRemoveOne}, schema)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := train.Encode(s.Features, schema, houses(t, rand.New(rand.NewPCG(1, 1)), schema, 0), 16)
		if err != nil {
			t.Fatal(err)
		}
		on, off, diagonal, others := 0.0, 0.0, 0.0, 0.0
		for range 1000 {
			m, err := (&fitting{Setup: s, rows: rows, grant: freePayer{}}).release()
			if err != nil {
				t.Fatal(err)
			}
			for i := range 7 {
				on, diagonal = on+m.sums.At(i, i)*m.sums.At(i, i), diagonal+1
				for j := range i {
					off, others = off+m.sums.At(i, j)*m.sums.At(i, j), others+1
				}
			}
			if m.noise*m.noise != math.Pow(m.deviation(), 2) || m.equal != (delta == 0) {
				t.Fatal("the moments do not state their noise")
			}
		}
		deviation := s.Plan.Linear.NoiseMultiplier * s.Plan.Linear.Bound
		wantOn, wantOff, kurtosis := deviation*deviation, deviation*deviation/2, 2.0
		if delta == 0 {
			wantOn, wantOff, kurtosis = 2*wantOn, 4*wantOff, 5
		}
		if got := on / diagonal / wantOn; math.Abs(got-1) > 6*math.Sqrt(kurtosis/diagonal) {
			t.Errorf("delta %v: variance on the diagonal is %v of what is stated", delta, got)
		}
		if got := off / others / wantOff; math.Abs(got-1) > 6*math.Sqrt(kurtosis/others) {
			t.Errorf("delta %v: variance off the diagonal is %v of what is stated", delta, got)
		}
	}
}

func TestLinearPlans(t *testing.T) {
	for _, c := range []struct {
		method      string
		schema      *data.Schema
		delta       float64
		neighboring privacy.Neighboring
		epsilon     float64
	}{
		{"sufficient-statistics", housesSchema(0), 1e-6, privacy.AddOrRemoveOne, 1},
		{"sufficient-statistics", housesSchema(0), 0, privacy.AddOrRemoveOne, 0.5},
		{"adassp", housesSchema(500), 1e-6, privacy.ReplaceOne, 2},
		{"least-squares", classesSchema(500), 0, privacy.ReplaceOne, 2},
		{"least-squares", classesSchema(0), 1e-6, privacy.AddOrRemoveOne, math.Inf(1)},
	} {
		s, err := NewSetup(Request{Method: c.method, Epsilon: c.epsilon, Delta: c.delta, Neighboring: c.neighboring}, c.schema)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := s.Plan.Certificate()
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(certificate.Epsilon); !(got <= c.epsilon) || got < c.epsilon*0.999 {
			t.Errorf("%s: certificate says epsilon %v, want %v from below", c.method, got, c.epsilon)
		}
		if err = certificate.VerifyPlan(Methods()); err != nil {
			t.Errorf("%s: %v", c.method, err)
		}
		result, err := Fit(context.Background(), newLedger(t, s.Plan), s, houses(t, rand.New(rand.NewPCG(2, 3)), c.schema, 500), Options{})
		if err != nil || len(result.Model.Weights()) != s.Plan.Dim*s.Plan.Columns {
			t.Errorf("%s: got %v, %v, want weights", c.method, result, err)
		}
	}
}

func TestLinearRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		request Request
		schema  *data.Schema
		want    string
	}{
		"classes by regression": {Request{Method: "adassp"}, classesSchema(0), "numeric targets"},
		"numbers by classifier": {Request{Method: "least-squares"}, housesSchema(0), "targets with levels"},
	} {
		c.request.Epsilon, c.request.Delta, c.request.Neighboring = 1, 1e-6, privacy.AddOrRemoveOne
		if _, err := NewSetup(c.request, c.schema); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
	wide := housesSchema(0)
	wide.Columns = append(wide.Columns, data.Column{Name: "many", Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 5000})
	wide, err := wide.Expand()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewSetup(Request{Method: "adassp", Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, wide); err == nil || !strings.Contains(err.Error(), "use dp-gd") {
		t.Errorf("5000 features: got %v, want a refusal", err)
	}
}

// TestRowsAreWithinTheirBounds maps random records, corners among them, under every center: none is longer than
// the bound, so none is shortened and what is linear stays linear. Corners come near the bound.
func TestRowsAreWithinTheirBounds(t *testing.T) {
	schema := housesSchema(0)
	schema.Columns[2].Levels = []string{"town", "land", "coast"}
	schema.Columns[2].Missing = data.Indicator
	schema.Columns = append(schema.Columns, data.Column{Name: "rooms", Kind: data.Numeric, Lower: 0, Upper: 300, Bins: []float64{2, 5}, OutOfRange: data.Clamp, Missing: data.Zero})
	for name, request := range map[string]Request{
		"normal":  {Method: "sufficient-statistics", Delta: 1e-6},
		"laplace": {Method: "sufficient-statistics"},
		"newton":  {Method: "newton", Delta: 1e-6},
		"plain":   {Method: "sufficient-statistics", Delta: 1e-6, Normalization: feature.NormNone},
	} {
		request.Epsilon, request.Neighboring = 1, privacy.AddOrRemoveOne
		s, err := NewSetup(request, schema)
		if err != nil {
			t.Fatal(err)
		}
		r, bounds, most := rand.New(rand.NewPCG(61, 62)), boundsOf(s.Features, schema), rowNorms{}
		x, scratch := make([]float64, s.Plan.Dim), s.Features.NewScratch(1)
		for range 3000 {
			v, _ := house(r, false)
			values := []float32{v[0], v[1], []float32{0, 1, 2, float32(math.NaN())}[r.IntN(4)], v[0]}
			s.Features.Apply(x, 1, scratch, func(int) []float32 { return values })
			now := rowNorms{}
			for _, v := range x {
				now.l1, now.l2 = now.l1+math.Abs(v), math.Hypot(now.l2, v)
			}
			most = rowNorms{max(most.l1, now.l1), max(most.l2, now.l2)}
		}
		if most.l1 > bounds.l1 || most.l2 > bounds.l2 || most.l1 < 0.95*bounds.l1 || most.l2 < 0.95*bounds.l2 {
			t.Errorf("%s: norms reach %+v, want 0.95 to 1 of %+v", name, most, bounds)
		}
		if err = s.Plan.checkMap(s.Features, schema); err != nil {
			t.Errorf("%s: the plan's own map: %v", name, err)
		}
		moved := *s.Features
		moved.Center = append(append([]float64(nil), make([]float64, s.Features.Pipeline.Dim()-1)...), 0.25)
		if s.Plan.checkMap(&moved, schema) == nil {
			t.Errorf("%s: a map with another center was taken", name)
		}
	}
}
