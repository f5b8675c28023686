package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// seriesCase is an event that opens a series, with its coefficients.
type seriesCase struct {
	open    mechanism.Event
	options SeriesOptions
	period  int // between the steps of one record
	rounds  int // in how many at most it takes part
}

func seriesCases(z float64, maxRecords int) map[string]seriesCase {
	c := SeriesOptions{Coefficients: []int64{64, 32, 24, 20}, MaxRecords: maxRecords}
	return map[string]seriesCase{
		"banded":         {mechanism.BandedMatrix{NoiseMultiplier: z, Bands: 4, Steps: 10, Probability: 1}, c, 4, 3},
		"banded sampled": {mechanism.BandedMatrix{NoiseMultiplier: z, Bands: 4, Steps: 10, Probability: 0.5}, c, 4, 3},
		"wider period":   {mechanism.BandedMatrix{NoiseMultiplier: z, Bands: 5, Steps: 10, Probability: 1}, c, 5, 2},
		"one band":       {mechanism.BandedMatrix{NoiseMultiplier: z, Bands: 1, Steps: 3, Probability: 1}, SeriesOptions{Coefficients: []int64{1}, MaxRecords: maxRecords}, 1, 3},
		"tree":           {mechanism.TreeAggregation{NoiseMultiplier: z, Steps: 11}, SeriesOptions{MaxRecords: maxRecords}, 11, 1},
	}
}

// kindOfVectors are the options of the sums of these tests.
func kindOfVectors(s *Series, dim, maxRecords int) VectorOptions {
	return VectorOptions{Noise: s.Noise(0), Norm: L2(), Dim: dim, Bound: 2, MaxRecords: maxRecords}
}

// sumOf is the sealed sum of these vectors, by record, over a sample.
func sumOf(t *testing.T, sample Sample, o VectorOptions, vectors func(record int) []float64) Bounded {
	t.Helper()
	sum, err := NewVectorSum(sample, o)
	if err != nil {
		t.Fatal(err)
	}
	indices := sample.Indices()
	var all []float64
	for _, i := range indices {
		all = append(all, vectors(i)...)
	}
	if err = sum.AddAt(indices, all); err != nil {
		t.Fatal(err)
	}
	return sum.Seal()
}

// run takes all steps of a series, with vectors by step and record, and returns what it released.
func (c seriesCase) run(t *testing.T, s *Series, o VectorOptions, steps int, vectors func(step, record int) []float64) [][]float64 {
	t.Helper()
	var released [][]float64
	for step := range steps {
		sample, err := s.Draw()
		if err != nil {
			t.Fatal(err)
		}
		noisy, err := s.Release(sumOf(t, sample, o, func(record int) []float64 { return vectors(step, record) }))
		if err != nil {
			t.Fatal(err)
		}
		released = append(released, noisy[0].Values())
	}
	return released
}

// TestSeriesIsTheSumsOfItsSteps releases with next to no noise: what comes back is the sum of the sample's
// vectors in each step, and one payment was made, before the first sample.
func TestSeriesIsTheSumsOfItsSteps(t *testing.T) {
	const records, dim = 200, 3
	for name, c := range seriesCases(1e-5, records) {
		p := &purse{left: 1}
		s, err := OpenSeries(p, c.open, records, c.options)
		if err != nil {
			t.Fatal(err)
		}
		if want := c.open.String(); len(p.paid) != 1 || p.paid[0] != want {
			t.Errorf("%s: paid %v, want %s", name, p.paid, want)
		}
		want := make([][]float64, s.steps)
		got := c.run(t, s, kindOfVectors(s, dim, records), s.steps, func(step, record int) []float64 {
			v := []float64{math.Sin(float64(record)), 0.5, float64(step) / 20}
			if want[step] == nil {
				want[step] = make([]float64, dim)
			}
			for j := range v {
				want[step][j] += v[j]
			}
			return v
		})
		for step := range want {
			for j, v := range want[step] {
				if math.Abs(got[step][j]-v) > 0.05 {
					t.Errorf("%s: step %d, number %d: got %v, want %v", name, step, j, got[step][j], v)
				}
			}
		}
		if _, err = s.Draw(); err == nil {
			t.Errorf("%s: more steps were drawn than paid for", name)
		}
	}
}

// TestSeriesSamplesFollowTheEvent holds that a record takes part in steps a period apart alone, that without
// sampling it takes part in all of those, and with it in some.
func TestSeriesSamplesFollowTheEvent(t *testing.T) {
	const records = 400
	for name, c := range seriesCases(1, records) {
		s, err := OpenSeries(free{}, c.open, records, c.options)
		if err != nil {
			t.Fatal(err)
		}
		taken := make([][]int, records)
		c.run(t, s, kindOfVectors(s, 1, records), s.steps, func(step, record int) []float64 {
			taken[record] = append(taken[record], step)
			return []float64{0}
		})
		total, sampled := 0, strings.Contains(name, "sampled")
		for record, steps := range taken {
			total += len(steps)
			if len(steps) > c.rounds || !sampled && len(steps) < s.steps/c.period {
				t.Fatalf("%s: record %d took part in steps %v", name, record, steps)
			}
			for k := 1; k < len(steps); k++ {
				if d := steps[k] - steps[k-1]; d%c.period != 0 || !sampled && d != c.period {
					t.Fatalf("%s: record %d took part in steps %v, want them %d apart", name, record, steps, c.period)
				}
			}
		}
		// 400 records, each in 2 or 3 steps with probability 1/2: 1000 tosses, sd below 16; 8 of them have
		// a probability below 1e-14. The mean is 500 up to what the groups make of it, below ±50.
		if sampled && (total < 500-180 || total > 500+180) {
			t.Errorf("%s: %d took part in all, want about 500", name, total)
		}
	}
}

// spy keeps the exact rows of a series.
type spy struct {
	matrix
	all [][]int64
}

func (s *spy) rows(sum []int64) [][]int64 {
	rows := s.matrix.rows(sum)
	for _, row := range rows {
		s.all = append(s.all, slices.Clone(row))
	}
	return rows
}

// exactRows runs a series with the given parts and returns the rows of C·G, and the grid.
func (c seriesCase) exactRows(t *testing.T, members [][]int, records, maxRecords, dim int, vectors func(step, record int) []float64) ([][]int64, grid) {
	t.Helper()
	s, err := OpenSeries(free{}, c.open, records, c.options)
	if err != nil {
		t.Fatal(err)
	}
	watched := &spy{matrix: s.parts[0].matrix}
	s.parts[0].matrix, s.rotation.members = watched, members
	c.run(t, s, kindOfVectors(s, dim, maxRecords), s.steps, vectors)
	return watched.all, s.parts[0].grid
}

// TestNeighborsMoveARunByAtMostWhatIsCharged compares runs with and without one record, of which the vectors hang
// on the step: ‖C·G - C·G'‖² is at most the number of participations (of a tree the number of nodes above
// a leaf) times (S/multiplier)², in exact integers; and vectors of the full bound in one direction reach
// 0.95 of it.
func TestNeighborsMoveARunByAtMostWhatIsCharged(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 7))
	const z, maxRecords, dim = 0.7, 50, 3
	for name, c := range seriesCases(z, maxRecords) {
		if strings.Contains(name, "sampled") {
			continue // two runs draw their own samples
		}
		participations := float64(c.rounds)
		if name == "tree" {
			participations = 4 // ⌈log2(11+1)⌉
		}
		reached := 0.0
		for pair := range trials(100, 300) {
			records, table := 1+r.IntN(6), map[[2]int][]float64{}
			vectors := func(step, record int) []float64 {
				key := [2]int{step, record}
				if table[key] == nil {
					table[key] = []float64{3 * r.NormFloat64(), wildFloat(r), r.NormFloat64()}
					if pair%10 == 0 {
						table[key] = []float64{1e9, 0, 0}
					}
				}
				return table[key]
			}
			members := divide(records, c.period)
			without := make([][]int, len(members))
			for k, part := range members {
				without[k] = slices.DeleteFunc(slices.Clone(part), func(i int) bool { return i == 0 })
			}
			one, g := c.exactRows(t, members, records, maxRecords, dim, vectors)
			other, _ := c.exactRows(t, without, records, maxRecords, dim, vectors)
			square := new(big.Int)
			for k := range one {
				for j, v := range one[k] {
					d := big.NewInt(v - other[k][j])
					square.Add(square, d.Mul(d, d))
				}
			}
			norm, _ := new(big.Float).SetInt(square).Float64()
			share := math.Sqrt(norm/participations) / (math.Ldexp(1, int(g.bits)) / z)
			if !(share <= 1) {
				t.Fatalf("%s: one record moves the run by %v of what is charged", name, share)
			}
			reached = max(reached, share)
		}
		if reached < 0.95 {
			t.Errorf("%s: at most %v of the charge was reached", name, reached)
		}
	}
}

// TestSeriesNoiseHasThePricedLaw draws a series over no records: C times what it released is independent normal
// noise of standard deviation multiplier·‖c‖ bounds, or a little more. 60000 numbers a row: a variance is off by
// more than 6.2·√(2/60000) = 3.6 %, or a product of rows by more than 6.2/√60000 = 2.6 %, with probability
// below 1e-8 in all.
func TestSeriesNoiseHasThePricedLaw(t *testing.T) {
	const z, dim = 3.0, 60000
	c := seriesCases(z, 10)["banded"]
	s, err := OpenSeries(free{}, c.open, 0, c.options)
	if err != nil {
		t.Fatal(err)
	}
	released := c.run(t, s, kindOfVectors(s, dim, 10), s.steps, nil)
	norm := 0.0
	for _, v := range c.options.Coefficients {
		norm = math.Hypot(norm, float64(v))
	}
	// By the definition of the product, in units of z·‖c‖·Bound.
	rows := make([][]float64, len(released))
	for step := range rows {
		rows[step] = make([]float64, dim)
		for k := 0; k < len(c.options.Coefficients) && k <= step; k++ {
			for j, v := range released[step-k] {
				rows[step][j] += float64(c.options.Coefficients[k]) * v / (z * norm * 2)
			}
		}
	}
	for a := range rows {
		for b := range a + 1 {
			product := 0.0
			for j, v := range rows[a] {
				product += v * rows[b][j] / dim
			}
			if a == b && math.Abs(product-1) > 0.036 || a != b && math.Abs(product) > 0.026 {
				t.Errorf("rows %d and %d: %v, want %v", a, b, product, a == b)
			}
		}
	}
}

// TestTreeNoiseHasThePricedLaw draws a tree over no records, with the exact nodes 0, and compares the released
// prefix sums with the variances of the estimation from below: 1, 2/3, 4/7, … of a node of 1, 2, 4, … steps
// (1/(1+1/(2v)) from level to level), times multiplier² bounds². 60000 numbers: as above.
func TestTreeNoiseHasThePricedLaw(t *testing.T) {
	const z, dim = 3.0, 60000
	c := seriesCases(z, 10)["tree"]
	s, err := OpenSeries(free{}, c.open, 0, c.options)
	if err != nil {
		t.Fatal(err)
	}
	variances := []float64{1, 2.0 / 3, 4.0 / 7, 8.0 / 15}
	prefix := make([]float64, dim)
	for step, grown := range c.run(t, s, kindOfVectors(s, dim, 10), s.steps, nil) {
		got, want := 0.0, 0.0
		for j, v := range grown {
			prefix[j] += v
			got += prefix[j] * prefix[j] / (z * z * 4) / dim
		}
		for level, v := range variances {
			if (step+1)>>level&1 == 1 {
				want += v
			}
		}
		if math.Abs(got/want-1) > 0.036 {
			t.Errorf("after step %d: variance %v, want %v", step+1, got, want)
		}
	}
}
