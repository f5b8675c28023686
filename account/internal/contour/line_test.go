package contour

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// TestRefusalLeavesNothingBehind asks a question that is refused before one that is not.
func TestRefusalLeavesNothingBehind(t *testing.T) {
	m := pair.Sampled(pair.Normal, 1, 0.001)
	i := compose(t, m, 1000)
	if got, err := i.Epsilon(1e-12); !errors.Is(err, ErrUnsuited) {
		t.Fatalf("got ε = %v, %v, want a refusal", got, err)
	}
	if got, want := delta(t, i, 0.1), delta(t, compose(t, m, 1000), 0.1); got != want {
		t.Errorf("got δ = %v, want %v as from a new integral", got, want)
	}
}

// TestLineIsPlacedForTheLeastStep takes rare and large losses, whose saddle point lies where
// the tilted law has two humps. A line through it would need a million points.
func TestLineIsPlacedForTheLeastStep(t *testing.T) {
	i := compose(t, pair.Sampled(pair.Normal, 10, 1e-4), 100)
	epsilon, err := i.Epsilon(1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(i.line.re); n > 4096 {
		t.Errorf("got %d points, want at most 4096", n)
	}
	if got := delta(t, i, epsilon); !near(got, 1e-6, 1e-9) {
		t.Errorf("got δ(%v) = %v, want 1e-6", epsilon, got)
	}
}

// TestDoubtfulValuesAreRefused changes a good value in each way that may make it wrong.
func TestDoubtfulValuesAreRefused(t *testing.T) {
	i := compose(t, pair.Sampled(pair.Normal, 1, 0.01), 1000)
	epsilon, err := i.Epsilon(1e-5)
	if err != nil {
		t.Fatal(err)
	}
	good := value{epsilon: epsilon, logDelta: math.Log(1e-5), sum: i.line.scale}
	rounded, aliased, coarse := good, good, good
	rounded.rounding = 2 * accepted
	aliased.epsilon -= i.line.period / 2
	coarse.sum /= 10
	if err = i.line.suits(good); err != nil {
		t.Errorf("good value: %v", err)
	}
	for name, v := range map[string]value{"rounded": rounded, "aliased": aliased, "coarse": coarse} {
		if err = i.line.suits(v); !errors.Is(err, ErrUnsuited) {
			t.Errorf("%s: got error %v, want ErrUnsuited", name, err)
		}
	}
}

// TestCallsMayBeConcurrent is for the race detector.
func TestCallsMayBeConcurrent(t *testing.T) {
	i, err := New(manyTerms(40))
	if err != nil {
		t.Fatal(err)
	}
	want := delta(t, i, 0.1)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if got, failed := i.Delta(0.1); failed != nil || !near(got, want, 1e-9) {
				t.Errorf("got δ = %v, %v, want %v", got, failed, want)
			}
		})
	}
	group.Wait()
}
