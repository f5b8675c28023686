package report

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	four := func(x float64) string { return digitsUp(x, 4) }
	tests := []struct {
		name  string
		write func(float64) string
		x     float64
		want  string
	}{
		{"digits of e", four, math.E, "2.719"},
		{"digits that fit", four, .3, "0.3"},
		{"digits just above", four, math.Nextafter(1, 2), "1.001"},
		{"digits carry", four, 9.9991, "10"},
		{"digits of 0", four, 0, "0"},
		{"digits of infinity", four, math.Inf(1), "∞"},
		{"digits of a large number", four, math.Exp(50), "5.185e21"},
		{"digits of a small number", four, 1.23456e-9, "1.235e-9"},
		{"plain power", plain, 1e-6, "1e-6"},
		{"plain small power", plain, 1e-12, "1e-12"},
		{"plain fraction", plain, .0001, "0.0001"},
		{"percent up", percentUp, .7310585786, "73.2 %"},
		{"percent below 10", percentUp, .0271828, "2.72 %"},
		{"percent exact", percentUp, .5, "50.0 %"},
		{"percent near 1", percentUp, .99966, "99.97 %"},
		{"percent nearer", percentUp, .99999999, "100.0000 %"},
		{"percent of 1", percentUp, 1, "100.0 %"},
		{"percent", percent, .125, "12.5 %"},
		{"percent of NaN", percent, math.NaN(), "–"},
		{"weight", signed, .123456, "+0.1235"},
		{"negative weight", signed, -12.5, "−12.5000"},
		{"small weight", signed, -1.23456e-5, "−1.235e-5"},
		{"large weight", signed, 1.5e8, "+1.5e8"},
		{"no weight", signed, math.Copysign(0, -1), "0"},
		{"weight of NaN", signed, math.NaN(), "not finite"},
		{"chance", chance, 1e-6, "one chance in 1,000,000"},
		{"chance rounded down", chance, 3e-4, "one chance in 3,333"},
		{"chance of 0", chance, 0, "never"},
		{"large chance", chance, .6, "60.0 %"},
		{"grouped", grouped, 1234567, "1,234,567"},
		{"grouped short", grouped, 123, "123"},
	}
	for _, test := range tests {
		if got := test.write(test.x); got != test.want {
			t.Errorf("%s of %v: got %q, want %q", test.name, test.x, got, test.want)
		}
	}
}

// TestBoundsAreRoundedUp checks that a printed bound is never below the bound,
// nor much above.
func TestBoundsAreRoundedUp(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		x := math.Exp(40*random.Float64() - 20)
		if got := parse(digitsUp(x, 4)); got < x || got > x*1.0011 {
			t.Fatalf("got %v for %v, want at least it and at most 0.11 %% more", got, x)
		}
		p := random.Float64()
		got := parse(strings.TrimSuffix(percentUp(p), " %"))
		if got < 100*p-1e-12 || got > 100*p+.1000001 {
			t.Fatalf("got %v %% for %v, want at least it and at most 0.1 more", got, p)
		}
	}
}
