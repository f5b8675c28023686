package erm

import (
	"github.com/ditherml/dither/internal/option"
	"math"
	"strings"
	"testing"
)

// TestHasBaseline plans each request without privacy: exactly the methods that have no baseline refuse for that reason.
func TestHasBaseline(t *testing.T) {
	refused := map[string]bool{}
	for name, r := range requests() {
		for _, levels := range []int{2, 0} {
			r.Epsilon = math.Inf(1)
			schema, _ := small(t, levels, 200)
			_, err := NewSetup(r, schema)
			// A request with an option of its own may be refused for another reason, and so may a target.
			without := err != nil && strings.Contains(err.Error(), "without privacy")
			if without && option.HasBaseline(r.Method) || err == nil && !option.HasBaseline(r.Method) {
				t.Errorf("%s, %d levels: %v, and the method is said to have a baseline: %v", name, levels, err, option.HasBaseline(r.Method))
			}
			refused[r.Method] = refused[r.Method] || without
		}
	}
	for _, method := range []string{option.MethodObjective, option.MethodExponential, option.MethodFrankWolfe} {
		if !refused[method] {
			t.Errorf("no request of %s was refused without privacy", method)
		}
	}
}
