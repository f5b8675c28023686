package grid

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

// TestRulesOf wants equal runs to have one hash. Everything that a run would do changes it, and the last
// digits of a number do not.
func TestRulesOf(t *testing.T) {
	s := schema(t)
	hash := func(change func(*sweep.Candidate)) string {
		c := candidate(t, s, train.Request{Epsilon: 1, Steps: 4})
		own := *c.Linear.Features
		c.Linear.Features = &own
		change(&c)
		text, err := rulesOf("dither test", []sweep.Candidate{c})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := hash(func(*sweep.Candidate) {})
	if again := hash(func(*sweep.Candidate) {}); again != first {
		t.Errorf("one plan: got %s and %s, want one hash", first, again)
	}
	// change changes numbers of the plan, the event and the options by a factor.
	change := func(c *sweep.Candidate, by float64) {
		numbers := regexp.MustCompile(`\d+\.\d+`)
		changed := func(text string) string {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return strconv.FormatFloat(v*by, 'g', -1, 64)
		}
		if !numbers.MatchString(c.Certificate.Event) || !numbers.Match(c.Certificate.Plan) {
			t.Fatalf("the event %s and the plan %s have no fractions, want some", c.Certificate.Event, c.Certificate.Plan)
		}
		c.Certificate.Event = numbers.ReplaceAllStringFunc(c.Certificate.Event, changed)
		c.Certificate.Plan = []byte(numbers.ReplaceAllStringFunc(string(c.Certificate.Plan), changed))
		c.Options.Momentum *= by
	}
	loss := func(name string, width float64) model.Loss {
		l, err := model.LossSpec{Name: name, Width: width}.Loss()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	seen := map[string]string{first: "the plan before"}
	for name, change := range map[string]func(*sweep.Candidate){
		"noise": func(c *sweep.Candidate) {
			if err := setNoise(c, "20"); err != nil {
				t.Fatal(err)
			}
		},
		"event":           func(c *sweep.Candidate) { c.Certificate.Event += " " },
		"plan":            func(c *sweep.Candidate) { c.Certificate.Plan = []byte("{}") },
		"draws":           func(c *sweep.Candidate) { c.Certificate.NoiseDraws++ },
		"delta":           func(c *sweep.Candidate) { c.Certificate.Delta /= 2 },
		"the ninth digit": func(c *sweep.Candidate) { change(c, 1+2e-8) },

		"learning rate":   func(c *sweep.Candidate) { c.Options.LearningRate = 7 },
		"momentum":        func(c *sweep.Candidate) { c.Options.Momentum = 0.1 },
		"ridge":           func(c *sweep.Candidate) { c.Options.Ridge = 0.1 },
		"average":         func(c *sweep.Candidate) { c.Options.Average = train.No },
		"optimizer":       func(c *sweep.Candidate) { c.Options.Optimizer = "adam" },
		"schedule":        func(c *sweep.Candidate) { c.Options.Schedule = "cosine" },
		"feature bits":    func(c *sweep.Candidate) { c.Options.FeatureBits = 8 },
		"intercept":       func(c *sweep.Candidate) { c.Linear.Features.Intercept = 0.1 },
		"normalization":   func(c *sweep.Candidate) { c.Linear.Features.Norm = feature.NormNone },
		"radius":          func(c *sweep.Candidate) { c.Linear.Features.Radius = 3 },
		"center":          func(c *sweep.Candidate) { c.Linear.Features.Center = []float64{0, 0.5} },
		"loss":            func(c *sweep.Candidate) { c.Linear.Model.Loss = loss("hinge", 0) },
		"width of a loss": func(c *sweep.Candidate) { c.Linear.Model.Loss = loss("hinge", 0.3) },
		"network rate":    func(c *sweep.Candidate) { c.NetworkOptions.LearningRate = 7 },
		"network average": func(c *sweep.Candidate) { c.NetworkOptions.AverageDecay = 0.5 },
		"first weights":   func(c *sweep.Candidate) { c.NetworkOptions.Initial = []float32{0, 1} },
	} {
		other := hash(change)
		if seen[other] != "" {
			t.Errorf("%s: got the hash of %s, want another", name, seen[other])
		}
		seen[other] = name
	}
	for name, same := range map[string]func(*sweep.Candidate){
		"last digits": func(c *sweep.Candidate) { change(c, 1+1e-14) },
		"progress": func(c *sweep.Candidate) {
			c.Options.Progress, c.NetworkOptions.Progress = func(train.Progress) {}, func(train.Progress) {}
		},
	} {
		if hash(same) != first {
			t.Errorf("%s: got another hash, want the same", name)
		}
	}
	c := []sweep.Candidate{candidate(t, s, train.Request{Epsilon: 1, Steps: 4})}
	if other, err := rulesOf("dither other", c); err != nil || other == first {
		t.Errorf("another program: got %s, %v, want another hash", other, err)
	}
}
