package budget

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/privacy"
)

// TestBasicCountsEveryDelta: a release that happened counts whatever its delta is, and closes a ledger whose cap has
// no room for it. A plan with too much delta is told what fits. A plan that is pure takes no delta, whatever it declares.
func TestBasicCountsEveryDelta(t *testing.T) {
	for _, delta := range []float64{0, 1e-6} {
		t.Run(fmt.Sprint(delta), func(t *testing.T) {
			terms := Terms{Name: "visits", Epsilon: 1, Delta: delta, Neighboring: privacy.AddOrRemoveOne, Unit: privacy.Unit{Row: "one visit"}, Filter: Filter{Name: Basic}}
			b, store := made(t, terms)
			a := askOf(t, terms, "laplace(10)")
			a.Delta = 1e-4
			if _, err := b.Reserve(background, a); err != nil {
				t.Errorf("a pure plan that declares delta 1e-4: %v", err)
			}
			a = askOf(t, terms, "gaussian(40)")
			a.Delta = 1e-4
			want := map[bool]string{true: "--delta 0", false: "fits at delta 9.999e-07 or less"}[delta == 0]
			if _, err := b.Reserve(background, a); !errors.Is(err, ErrOverBudget) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want a refusal with %q", err, want)
			}
			if err := b.Import(background, a, strings.Repeat("a", 64), "a folder"); err != nil {
				t.Fatalf("a release that happened: %v", err)
			}
			again, err := Open(background, store.Open())
			if err != nil {
				t.Fatal(err)
			}
			s := again.Summary()
			if s.Fits || !math.IsInf(s.Spent, 1) || len(s.Releases) != 2 || s.Left.Epsilon != 0 || !(again.Standing().Share > 1) || math.IsInf(again.Standing().Share, 1) {
				t.Errorf("got %+v and %+v, want two releases and a cap that is not kept", s, again.Standing())
			}
			if _, err = again.Reserve(background, askOf(t, terms, "laplace(1e6)")); !errors.Is(err, ErrOverBudget) || !strings.Contains(err.Error(), "nothing is left") {
				t.Errorf("got %v, want nothing more admitted", err)
			}
		})
	}
}
