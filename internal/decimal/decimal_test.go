package decimal

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestParse compares numbers with those of package strconv, and wants other texts refused.
func TestParse(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "-0": math.Copysign(0, -1), "+7": 7, "007": 7, "3.": 3, "-.5": -0.5, "6.02e23": 6.02e23, "1E+2": 100, "1e-400": 0, "5e-324": 5e-324,
		"1e400": math.Inf(1), "-1e400": math.Inf(-1), "1e99999999999999999999": math.Inf(1), strings.Repeat("0", MostBytes-1) + "1": 1} {
		if got, ok := Parse(text); !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "+", ".", "-.", "e5", ".e5", "1e", "1e+", "1e1.5", "1.2.3", "--1", "+-1", "1_000", "0x10", "0x1p2", "0b1", "1p2", "inf", "+Inf", "-infinity", "nan", "NaN", "1,5", "1 ", " 1",
		"1f", "1d", "١", "１", "−1", "½", "2024-02-29", "1\x00", "\xff1", strings.Repeat("0", MostBytes) + "1"} {
		if got, ok := Parse(text); ok {
			t.Errorf("%q: got %v, want no number", text, got)
		}
	}
}

// TestParseLong reads numbers with hundreds of digits before and after the point.
func TestParseLong(t *testing.T) {
	zeros, sevens := strings.Repeat("0", 900), strings.Repeat("7", 900)
	for text, want := range map[string]float64{"1" + zeros + "e-900": 1, "-1" + zeros + ".5e-901": -0.1, "+1" + zeros + "E-1000": 1e-100, "1" + zeros: math.Inf(1), zeros + "12.5e+1": 125, zeros + ".5": 0.5,
		"1" + zeros + "e-99999999999999999999": 0, "-1" + zeros + "e99999999999999999999": math.Inf(-1), sevens + "e-900": 7.0 / 9, sevens + "." + sevens[:50] + "e-1210": 7.777777777777778e-311} {
		if got, ok := Parse(text); !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%.10s… of %d bytes: got %v, %v, want %v", text, len(text), got, ok, want)
		}
	}
}

// TestParseIsARegularExpression compares random texts with a regular expression, which other programs have too.
func TestParseIsARegularExpression(t *testing.T) {
	form := regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	r := rand.New(rand.NewPCG(3, 4))
	numbers := 0
	for range 100_000 {
		b := make([]byte, r.IntN(9))
		for i := range b {
			b[i] = "0019+-..eE_xinf "[r.IntN(16)]
		}
		text := string(b)
		v, ok := Parse(text)
		if want := form.MatchString(text); ok != want {
			t.Fatalf("%q: got %v, want %v", text, ok, want)
		}
		if ok {
			numbers++
			if want, _ := strconv.ParseFloat(text, 64); math.Float64bits(v) != math.Float64bits(want) {
				t.Fatalf("%q: got %v, want %v", text, v, want)
			}
		}
	}
	if numbers < 5000 {
		t.Errorf("got %d numbers, want more for a test", numbers)
	}
}
