package reproduce

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/special"
)

// table collects the comparisons of an experiment.
type table struct{ rows []experiment.Comparison }

// golden adds a figure that every run must give. It is compared with the printed value if there is
// one, else with a value computed elsewhere.
func (t *table) golden(quantity, published string, value float64, digits int, want experiment.Golden, why string) {
	t.rows = append(t.rows, experiment.Comparison{Quantity: quantity, Published: published, Ours: digitsOf(value, digits), Value: value, Deterministic: true, Why: why, Golden: &want})
}

// count adds a golden number of things.
func (t *table) count(quantity, published string, value int, want experiment.Golden, why string) {
	t.golden(quantity, published, float64(value), 1, want, why)
	t.rows[len(t.rows)-1].Ours = strconv.Itoa(value)
}

// known adds a figure that every run gives, but that was not computed elsewhere.
func (t *table) known(quantity, published string, value float64, digits int, why string) {
	t.rows = append(t.rows, experiment.Comparison{Quantity: quantity, Published: published, Ours: digitsOf(value, digits), Value: value, Deterministic: true, Why: why})
}

// random adds the mean of a figure over several runs. It is printed with this scale and unit.
func (t *table) random(quantity, published string, s sample, scale float64, unit, why string) {
	t.rows = append(t.rows, experiment.Comparison{Quantity: quantity, Published: published, Ours: s.text(scale, unit), Value: s.mean(), Why: why})
}

// say adds a comparison in words.
func (t *table) say(quantity, published, ours, why string) {
	t.rows = append(t.rows, experiment.Comparison{Quantity: quantity, Published: published, Ours: ours, Value: math.NaN(), Deterministic: true, Why: why})
}

// digitsOf returns a number with this number of significant digits, without an exponent if that is
// short.
func digitsOf(v float64, digits int) string {
	if a := math.Abs(v); a >= 1e-4 && a < 1e9 {
		places := max(0, digits-1-int(math.Floor(math.Log10(a))))
		return strconv.FormatFloat(v, 'f', places, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// published reads a published figure.
func published(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// within returns a golden value with a tolerance.
func within(value, tolerance float64) experiment.Golden {
	return experiment.Golden{Value: value, Tolerance: tolerance}
}

// sample are the values of a random figure in several runs.
type sample []float64

// mean returns the mean, NaN without runs.
func (s sample) mean() float64 {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(len(s))
}

// deviation returns the standard deviation of a run, NaN for fewer than two runs.
func (s sample) deviation() float64 {
	if len(s) < 2 {
		return math.NaN()
	}
	mean, sum := s.mean(), 0.0
	for _, v := range s {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(s)-1))
}

// reach returns half the length of the 95 % interval of the mean, by Student's distribution. Fewer
// than two runs have no interval, and reach is 0.
func (s sample) reach() float64 {
	n := float64(len(s))
	if n < 2 {
		return 0
	}
	return s.deviation() / math.Sqrt(n) * special.StudentQuantile(0.975, len(s)-1)
}

// text writes mean and interval.
func (s sample) text(scale float64, unit string) string {
	switch reach := scale * s.reach(); {
	case len(s) == 1:
		return digitsOf(scale*s[0], 4) + unit + " (one run)"
	case reach <= 1e-9*math.Abs(scale*s.mean()):
		return fmt.Sprintf("%s%s (%d runs, all alike)", digitsOf(scale*s.mean(), 4), unit, len(s))
	default:
		places := max(0, 1-int(math.Floor(math.Log10(reach))))
		return fmt.Sprintf("%.*f ± %.*f%s (%d runs)", places, scale*s.mean(), places, reach, unit, len(s))
	}
}

// point returns the point of a curve with the interval of the mean.
func (s sample) point(x, scale float64) figure.Point {
	mean, reach := scale*s.mean(), scale*s.reach()
	return figure.Point{X: x, Y: mean, Low: mean - reach, High: mean + reach}
}

// repeats returns how often an experiment measures a random figure.
func repeats(l experiment.Environment, usual int) int {
	if l.Repeats > 0 {
		return l.Repeats
	}
	return usual
}
