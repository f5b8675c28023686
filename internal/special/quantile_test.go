package special

import (
	"math"
	"testing"
)

// TestNormalQuantile compares with quantiles to 20 digits by mpmath 1.3.
func TestNormalQuantile(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{
		{1e-300, -37.047096299361199237}, {1e-100, -21.273453560965324294}, {1e-30, -11.46402468844361572}, {1e-12, -7.0344838253011319326},
		{1.4e-11, -6.6567230915181836356}, {1e-6, -4.7534243088228989573}, {0.001, -3.0902323061678135354}, {0.02, -2.0537489106318230443},
		{0.0749, -1.4402382675279636631}, {0.0751, -1.4388253927525399824}, {0.3, -0.52440051270804081597}, {0.5, 0}, {0.6, 0.25334710313579974132},
		{0.924, 1.43250272082581191}, {0.926, 1.446632067158978807}, {0.999, 3.0902323061678132778}, {0.999999, 4.7534243088170877657},
	} {
		if got := NormalQuantile(c.p); !(math.Abs(got-c.want) <= 1e-14*math.Abs(c.want)) {
			t.Errorf("quantile of %v: got %v, want %v", c.p, got, c.want)
		}
	}
	if !math.IsInf(NormalQuantile(0), -1) || !math.IsInf(NormalQuantile(1), 1) {
		t.Errorf("got %v and %v at the ends, want infinities", NormalQuantile(0), NormalQuantile(1))
	}
}

// TestBinomialHead compares with sums of exact masses by mpmath 1.3, and with the other tail.
func TestBinomialHead(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		k    int
		want float64
	}{
		{10, 0.3, 0, 0.028247524900000004}, {10, 0.3, 2, 0.38278278640000003}, {10, 0.3, 7, 0.9984096136},
		{1000, 0.01, 0, 4.3171247410658242e-5}, {1000, 0.01, 3, 0.010072654772014379}, {1000, 0.4, 300, 3.1499459284720599e-11},
		{20000, 0.25, 4500, 7.855764201010952e-17}, {20000, 0.25, 3000, 4.906052104005261e-261}, {20000, 0.5, 10100, 0.92238386273589669},
		{1000000, 0.01, 9000, 8.3504159169235831e-25}, {1000000, 0.3, 298000, 6.3299684047719269e-6}, {1000000, 1e-06, 0, 0.36787925723164511},
		{137, 0.999, 100, 3.5403140416176006e-78}, {5, 0.5, -1, 0}, {5, 0.5, 5, 1},
	} {
		got := BinomialHead(c.n, c.p, c.k)
		if !(math.Abs(got-c.want) <= 1e-10*c.want) {
			t.Errorf("P(X ≤ %d) of %d at %v: got %v, want %v", c.k, c.n, c.p, got, c.want)
		}
		if sum := got + BinomialTail(c.n, c.p, c.k+1); !(math.Abs(sum-1) <= 1e-10) {
			t.Errorf("both tails at %d of %d at %v sum to %v", c.k, c.n, c.p, sum)
		}
		if c.k < 0 {
			continue
		}
		if mass := BinomialMass(c.n, c.p, c.k); !(math.Abs(got-BinomialHead(c.n, c.p, c.k-1)-mass) <= 1e-10*got) {
			t.Errorf("the mass at %d of %d at %v is %v, which is not the step of the sums", c.k, c.n, c.p, mass)
		}
	}
}
