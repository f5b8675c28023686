package feature

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

// wideNumber returns the transform of one number from 5 to 100,005 with half-logarithmic bins.
func wideNumber(t *testing.T, bins int) *Pipeline {
	t.Helper()
	s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
		{Name: "pay", Kind: data.Numeric, Lower: 5, Upper: 100005, Integer: true, OutOfRange: data.Clamp, Missing: data.Indicator},
	}}
	c, err := NewPipeline(nil, s, Spec{"interactions", fmt.Appendf(nil, `{"bins": %d, "half-logarithmic": "pay"}`, bins)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestHalfLogarithmicBins: the scale of x is the mean of (x - 5) / 100000 and log(x - 4) / log(100001). Each number
// lies in its bin, up to the rounding to single precision, and a bin lies in one bin of the coarser resolution. A missing cell has its indicator alone.
func TestHalfLogarithmicBins(t *testing.T) {
	c, r := wideNumber(t, 64), rand.New(rand.NewPCG(51, 52))
	if want := 2 + 4 + 8 + 16 + 32 + 64 + 1; c.Dim() != want {
		t.Fatalf("got %d features, want %d", c.Dim(), want)
	}
	if got := c.Names()[1].Level; got != "15951 to 1e+05" {
		t.Errorf("the upper of two bins is %q", got)
	}
	x, s := make([]float64, c.Dim()), c.NewScratch()
	for k := range 2000 {
		v := 5 + math.Expm1(r.Float64()*math.Log1p(100000))
		if k < 40 {
			v = 100005 * float64(k) / 39
		}
		c.features(x, []float32{float32(v)}, s)
		at, last := 0, 0
		for b := 2; b <= 64; b *= 2 {
			cell := slices.Index(x[at:at+b], 1)
			held := min(max(v, 5), 100005)
			place := ((held-5)/1e5 + math.Log(held-4)/math.Log(100001)) / 2 * float64(b)
			if cell < 0 || place < float64(cell)-1e-4 || place > float64(cell+1)+1e-4 {
				t.Fatalf("%v is in bin %d of %d, want %v", v, cell, b, place)
			}
			if b > 2 && cell/2 != last {
				t.Fatalf("%v is in bin %d of %d, and in bin %d of the coarser ones", v, cell, b, last)
			}
			at, last = at+b, cell
		}
	}
	c.features(x, []float32{nan}, s)
	if got := slices.Index(x, 1); got != c.Dim()-1 || slices.Max(x[:got]) != 0 {
		t.Errorf("a missing number has the features %v", x)
	}
}

// TestHalfLogarithmicIntegers: integers have as many bins as other numbers, since half-logarithmic bins near the upper end
// are wider than 1.
func TestHalfLogarithmicIntegers(t *testing.T) {
	s := &data.Schema{MaxRecords: 9, Target: data.Target{Column: "y", Levels: []string{"0", "1"}}, Columns: []data.Column{
		{Name: "age", Kind: data.Numeric, Upper: 20, Integer: true, OutOfRange: data.Clamp, Missing: data.Zero},
	}}
	for parameters, want := range map[string]int{`{"bins": 64}`: 2 + 4 + 8 + 16 + 32, `{"bins": 64, "half-logarithmic": ["age"]}`: 2 + 4 + 8 + 16 + 32 + 64} {
		if c, err := NewPipeline(nil, s, Spec{"interactions", []byte(parameters)}); err != nil || c.Dim() != want {
			t.Errorf("%s: got %v features, want %d (%v)", parameters, c.Dim(), want, err)
		}
	}
}

// TestHalfLogarithmicBinsAreUsed fills all bins alike by numbers, half of them uniform, half of them with uniform logarithms.
// The draws are fixed, so the test has no chance of a false alarm.
func TestHalfLogarithmicBinsAreUsed(t *testing.T) {
	c, r, counts := wideNumber(t, 64), rand.New(rand.NewPCG(53, 54)), [64]int{}
	x, s := make([]float64, c.Dim()), c.NewScratch()
	for range 64000 {
		v := 5 + r.Float64()*100000
		if r.IntN(2) == 0 {
			v = 5 + math.Expm1(r.Float64()*math.Log1p(100000))
		}
		c.features(x, []float32{float32(v)}, s)
		counts[slices.Index(x[62:126], 1)]++
	}
	if slices.Min(counts[:]) < 800 || slices.Max(counts[:]) > 1200 {
		t.Errorf("got counts %v, want about 1000", counts)
	}
}

// TestHalfLogarithmicChangesOneColumn wants the same features of all other columns, and of all columns without the key.
func TestHalfLogarithmicChangesOneColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 56))
	plain, err := crossed("interactions:pairs=all,bins=8")
	if err != nil {
		t.Fatal(err)
	}
	cut, err := crossed("interactions:pairs=all,bins=8,half-logarithmic=age")
	if err != nil {
		t.Fatal(err)
	}
	if parameters := string(plain.Specs()[0].Parameters); strings.Contains(parameters, "half-logarithmic") || !strings.Contains(string(cut.Specs()[0].Parameters), `"half-logarithmic":["age"]`) {
		t.Errorf("got %s and %s", parameters, cut.Specs()[0].Parameters)
	}
	x, y, s, changed := make([]float64, plain.Dim()), make([]float64, plain.Dim()), plain.NewScratch(), 0
	for range 300 {
		v := randomValues(r)
		plain.features(x, v, s)
		cut.features(y, v, s)
		for j, n := range plain.Names() {
			if x[j] != y[j] && n.Column != "age" {
				t.Fatalf("%v changes", n)
			}
			if x[j] != y[j] {
				changed++
			}
		}
	}
	if changed == 0 {
		t.Error("nothing changes")
	}
}

// TestHalfLogarithmicRefuses wants errors that say what to do.
func TestHalfLogarithmicRefuses(t *testing.T) {
	for text, words := range map[string]string{
		"interactions:half-logarithmic=2021":    `half-logarithmic names "2021", want each name of a column of numbers once`,
		"interactions:half-logarithmic=town":    `half-logarithmic names "town", want each name of a column of numbers once`,
		"interactions:half-logarithmic=age+age": `half-logarithmic names "age", want each name of a column of numbers once`,
		"interactions:half-logarithmic=job":     `half-logarithmic names "job", want a column of numbers without declared bins`,
		"interactions:half-logarithmic=hours":   `half-logarithmic names "hours", want a column of numbers without declared bins`,
		"interactions:half-logarithmic=pay":     `half-logarithmic names "pay", which has the transform log1p`,
	} {
		if _, err := crossed(text); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got error %v, want %q", text, err, words)
		}
	}
}
