package audit

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

// reference returns the rows of a table of exact values as numbers.
func reference(t *testing.T, name string) [][]float64 {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 100 {
		t.Fatalf("%d rows, %v, want some hundred", len(rows), err)
	}
	out := make([][]float64, len(rows)-1)
	for i, row := range rows[1:] {
		for _, cell := range row {
			v, failure := strconv.ParseFloat(cell, 64)
			if failure != nil {
				t.Fatal(failure)
			}
			out[i] = append(out[i], v)
		}
	}
	return out
}

// near reports whether a bound is at most the exact value, and within a tolerance of it. The exact values have 16
// digits.
func near(got, exact, tolerance float64) bool {
	return got <= exact*(1+1e-15) && got >= exact*(1-tolerance)-tolerance
}

func TestOneRunBoundsAreExactFromBelow(t *testing.T) {
	for _, r := range reference(t, "onerun.csv") {
		g := Guesses{int(r[0]), int(r[1]), int(r[2])}
		got, err := g.Epsilon(r[3], r[4])
		if err != nil || !near(got, r[5], 1e-7) {
			t.Errorf("%+v, delta %v, confidence %v: got %v, %v, want at most %v and close", g, r[3], r[4], got, err, r[5])
		}
	}
}

func TestCurveBoundsAreExactFromBelow(t *testing.T) {
	for _, r := range reference(t, "fdp.csv") {
		g := Guesses{int(r[0]), int(r[1]), int(r[2])}
		got, err := g.Parameter(Gaussian, r[3])
		if err != nil || !(got <= r[4]+1e-9) || !(got >= r[4]-2e-6*(1+r[4])) {
			t.Errorf("%+v, confidence %v: got %v, %v, want at most %v and close", g, r[3], got, err, r[4])
		}
	}
}

func TestRatesAndBoundsOfCountsAreExactFromOutside(t *testing.T) {
	for _, r := range reference(t, "counts.csv") {
		c := Counts{int(r[0]), int(r[1]), int(r[2]), int(r[3])}
		fp, fn, err := c.Rates(r[5])
		if err != nil || !near(-fp, -r[6], 0) && !(fp >= r[6] && fp <= r[6]*(1+1e-7)) || !(fn >= r[7]*(1-1e-15) && fn <= r[7]*(1+1e-7)) {
			t.Errorf("%+v at %v: got rates %v and %v, %v, want at least %v and %v and close", c, r[5], fp, fn, err, r[6], r[7])
		}
		epsilon, err := c.Epsilon(r[4], r[5])
		if err != nil || !near(epsilon, r[8], 1e-7) {
			t.Errorf("%+v, delta %v, confidence %v: got epsilon %v, %v, want at most %v and close", c, r[4], r[5], epsilon, err, r[8])
		}
		mu, err := c.Mu(r[5])
		if err != nil || !near(mu, r[9], 1e-7) {
			t.Errorf("%+v, confidence %v: got mu %v, %v, want at most %v and close", c, r[5], mu, err, r[9])
		}
	}
}

func TestExtremes(t *testing.T) {
	for _, g := range []Guesses{{1, 1, 1}, {1, 1, 0}, {1, 0, 0}, {1 << 24, 1 << 24, 1 << 24}, {1 << 24, 0, 0}, {1 << 24, 1 << 24, 1 << 23}} {
		for _, delta := range []float64{0, 1e-12, 0.999} {
			for _, confidence := range []float64{0.5, 0.95, 1 - 1e-6, 1 - 1e-12} {
				got, err := g.Epsilon(delta, confidence)
				if err != nil || !(got >= 0 && got < 30) || g.Right == 0 && got != 0 {
					t.Errorf("%+v, delta %v, confidence %v: got %v, %v", g, delta, confidence, got, err)
				}
			}
		}
	}
	// All of n right at δ = 0 refute q with q^n = 1 - confidence.
	for _, n := range []int{1, 10, 1e6, 1 << 24} {
		q := math.Pow(1e-12, 1/float64(n))
		want := max(0, math.Log(q/-math.Expm1(math.Log(1e-12)/float64(n))))
		if got, err := (Guesses{n, n, n}).Epsilon(0, 1-1e-12); err != nil || math.Abs(got-want) > 1e-4 {
			t.Errorf("%d of %d: got %v, %v, want %v", n, n, got, err, want)
		}
	}
	for _, c := range []Counts{{1, 0, 1, 0}, {1, 1, 1, 1}, {1, 0, 1, 1}, {1 << 24, 0, 1 << 24, 0}, {1 << 24, 1 << 23, 1 << 24, 1 << 23}} {
		fp, fn, err := c.Rates(1 - 1e-12)
		if err != nil || !(fp > 0 && fp <= 1 && fn > 0 && fn <= 1) || c.FalsePositives == c.LeftOut && fp != 1 {
			t.Errorf("%+v: rates %v and %v, %v", c, fp, fn, err)
		}
		epsilon, err := c.Epsilon(0, 1-1e-12)
		mu, failure := c.Mu(1 - 1e-12)
		if err != nil || failure != nil || !(epsilon >= 0 && epsilon < 20) || !(mu >= 0 && mu < 15) {
			t.Errorf("%+v: epsilon %v, mu %v, %v, %v", c, epsilon, mu, err, failure)
		}
	}
}

func TestWrongCountsAreRefused(t *testing.T) {
	for _, g := range []Guesses{{}, {-1, 0, 0}, {5, 6, 1}, {5, 5, 6}, {5, 5, -1}, {5, -1, -1}, {1<<24 + 1, 1, 1}} {
		if _, err := g.Epsilon(0, 0.95); err == nil {
			t.Errorf("%+v is accepted", g)
		}
		if _, err := g.Parameter(Gaussian, 0.95); err == nil {
			t.Errorf("%+v is accepted for a curve", g)
		}
	}
	for _, c := range []Counts{{}, {1, 2, 1, 0}, {1, -1, 1, 0}, {0, 0, 1, 1}, {1, 0, 1, 2}} {
		if _, _, err := c.Rates(0.95); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	for _, confidence := range []float64{0, 0.3, 1, 1.5, math.NaN()} {
		if _, err := (Guesses{5, 5, 5}).Epsilon(0, confidence); err == nil {
			t.Errorf("confidence %v is accepted", confidence)
		}
		if _, err := (Counts{5, 1, 5, 1}).Epsilon(0, confidence); err == nil {
			t.Errorf("confidence %v is accepted for counts", confidence)
		}
	}
	for _, delta := range []float64{-1, 1, math.NaN()} {
		if _, err := (Guesses{5, 5, 5}).Epsilon(delta, 0.9); err == nil {
			t.Errorf("delta %v is accepted", delta)
		}
	}
	if _, err := (Guesses{100, 100, 90}).Parameter(func(t float64) Curve { return Gaussian(3 / (1 + t)) }, 0.9); err == nil {
		t.Error("curves that rise are accepted")
	}
}
