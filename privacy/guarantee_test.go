package privacy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestStringRoundsUpward prints random guarantees. No printed number is below the number that holds, or a thousandth
// above it.
func TestStringRoundsUpward(t *testing.T) {
	values := []float64{1, 0.5, 1e-6, 0.1, 1.00005, 9.99951, 99995, 1e-300, 5e-324, math.Nextafter(1, 2), 0.30000000000000004}
	for range 10_000 {
		values = append(values, math.Exp(60*rand.Float64()-50))
	}
	for _, v := range values {
		delta := min(v, 0.5)
		g, err := NewGuarantee(v, delta, AddOrRemoveOne, Unit{Row: "one row"})
		if err != nil {
			t.Fatal(err)
		}
		var epsilon, printed float64
		var relation string
		if _, err = fmt.Sscanf(strings.ReplaceAll(g.String(), ",", ""), "epsilon %g delta %g %s", &epsilon, &printed, &relation); err != nil {
			t.Fatalf("%v: %v", g, err)
		}
		for _, c := range [][2]float64{{epsilon, v}, {printed, delta}} {
			if !(c[0] >= c[1]) || c[0] > c[1]*(1+1.001e-3) {
				t.Errorf("%v is printed as %v", c[1], c[0])
			}
		}
	}
	g, err := NewGuarantee(1.00005, 1e-6, AddOrRemoveOne, Unit{})
	if want := "epsilon 1.001, delta 1e-06, add-or-remove-one"; err != nil || g.String() != want {
		t.Errorf("got %q (%v), want %q", g, err, want)
	}
}
