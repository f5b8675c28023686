package grid

import (
	"testing"

	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

// TestPlansOf wants equal plans to have one hash, and the noise, the event and the plan to change it.
func TestPlansOf(t *testing.T) {
	s := schema(t)
	hash := func(change func(*sweep.Candidate)) string {
		c := candidate(t, s, train.Request{Epsilon: 1, Steps: 4})
		change(&c)
		text, err := plansOf([]sweep.Candidate{c})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := hash(func(*sweep.Candidate) {})
	if again := hash(func(*sweep.Candidate) {}); again != first {
		t.Errorf("one plan: got %s and %s, want one hash", first, again)
	}
	for name, change := range map[string]func(*sweep.Candidate){
		"noise": func(c *sweep.Candidate) {
			if err := setNoise(c, "20"); err != nil {
				t.Fatal(err)
			}
		},
		"event": func(c *sweep.Candidate) { c.Certificate.Event += " " },
		"plan":  func(c *sweep.Candidate) { c.Certificate.Plan = []byte("{}") },
		"draws": func(c *sweep.Candidate) { c.Certificate.NoiseDraws++ },
		"delta": func(c *sweep.Candidate) { c.Certificate.Delta /= 2 },
	} {
		if other := hash(change); other == first {
			t.Errorf("%s: got the hash of the plan before, want another", name)
		}
	}
}
