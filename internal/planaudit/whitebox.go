package planaudit

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/train"
)

// stepsName and lastName are the names of attacks on what the steps release.
const (
	stepsName = "white box: the noisy sum of every step"
	lastName  = "white box: the last iterate"
)

// descentSteps attacks the steps of gradient descent. Each canary has a gradient that no other
// record shares, and every iterate is looked at.
func (a running) descentSteps(ctx context.Context, confidence float64, tell progress) (auditing.Section, error) {
	s := a.descentSize(*a.Descent)
	w, err := newWorld(ctx, *a.Descent, s.canaries)
	if err != nil {
		return auditing.Section{}, err
	}
	claim, err := a.steps(w)
	if err != nil {
		return auditing.Section{}, err
	}
	c, err := w.setup.Plan.Certificate()
	if err != nil {
		return auditing.Section{}, err
	}
	purse, err := purseOf(c)
	if err != nil {
		return auditing.Section{}, err
	}
	name, known := stepsName, "the iterate after every step"
	if a.Descent.LastIterate != nil {
		name, known = lastName, "the last iterate, which alone is released"
	}
	found, err := repeat(ctx, s.runs, name, tell, func(ctx context.Context) (audit.Scores, error) { return w.run(ctx, purse) })
	if err != nil {
		return auditing.Section{}, err
	}
	design := audit.Design{Coins: true, Independent: a.Descent.Sampling != option.SamplingFixedSize}
	facts := []auditing.Fact{
		fact("trainings", "%s", s.words()),
		fact("attack", "knows %s; a score is the log likelihood ratio of a canary", known),
		fact("a canary moves a sum by", "%s of what one record may move it by", percent(w.reach())),
		fact("as in the plan", "%s", descentWords(*a.Descent)),
	}
	if left := leftOut(*a.Descent); left != "" {
		facts = append(facts, fact("left out", "%s; the attack on the final model has it", left))
	}
	return judge("plan", name, claim, design, confidence, found, facts)
}

// judge returns the section of an attack.
func judge(group, name string, claim auditing.Claim, d audit.Design, confidence float64, s audit.Scores, facts []auditing.Fact) (auditing.Section, error) {
	section, err := auditing.Attack{Group: group, Name: name, Design: d, Confidence: confidence}.OfScores(claim, s)
	section.Facts = append(section.Facts, facts...)
	return section, err
}

// reach returns how far a canary moves a sum, as a share of what one record may move it by. That is
// the bound, or twice the bound for a record that is replaced.
func (w *world) reach() float64 {
	if w.instead == nil {
		return math.Sqrt(w.square(w.step))
	}
	apart := make([]float64, len(w.step))
	for i := range apart {
		apart[i] = w.step[i] - w.instead[i]
	}
	return math.Sqrt(w.square(apart)) / 2
}

// repeat trains several times, on all processors, and returns all scores.
func repeat(ctx context.Context, runs int, name string, tell progress, run func(ctx context.Context) (audit.Scores, error)) (audit.Scores, error) {
	var all audit.Scores
	var lock sync.Mutex
	var failed error
	done := 0
	parallel.Items(runs, func(int) {
		err := ctx.Err()
		var found audit.Scores
		if err == nil {
			found, err = run(ctx)
		}
		lock.Lock()
		defer lock.Unlock()
		if err != nil && failed == nil {
			failed = err
		}
		join(&all, found)
		done++
		tell(name, float64(done)/float64(runs))
	})
	return all, failed
}

// leftOut names what the attack on the steps leaves out of a plan.
func leftOut(d train.Plan) string {
	var out []string
	for _, step := range d.Preparation {
		name := step.Kind
		if step.Column != "" {
			name += " of " + display.Printable(step.Column)
		}
		out = append(out, name)
	}
	if d.Calibration != nil {
		out = append(out, d.Calibration.Kind)
	}
	if d.Holdout != nil {
		out = append(out, "the part that is held out")
	}
	return strings.Join(out, ", ")
}

// networkSteps attacks the steps of a network. The gradients of canaries at public weights are
// known, and the released sum of every step is looked at.
func (a running) networkSteps(ctx context.Context, confidence float64, tell progress) (auditing.Section, error) {
	tell(stepsName, 0)
	claim, err := a.whole()
	if err != nil {
		return auditing.Section{}, err
	}
	of, g, s, err := a.prepareNetwork(ctx)
	if err != nil {
		return auditing.Section{}, err
	}
	found, err := repeat(ctx, s.runs, stepsName, tell, func(ctx context.Context) (audit.Scores, error) { return g.run(ctx, of) })
	if err != nil {
		return auditing.Section{}, err
	}
	return judge("plan", stepsName, claim, audit.Design{Coins: true, Independent: s.canaries == 1}, confidence, found, []auditing.Fact{
		fact("trainings", "%s among %s", s.words(), display.Count(len(of.others), "made-up record")),
		fact("attack", "knows the weights after every step, and what each canary would add to a step; a score is a log likelihood ratio"),
		fact("a canary moves a sum by", "%s of what one record may move it by", percent(g.reach())),
		fact("as in the plan", "%s", networkWords(*a.Network)),
	})
}

// prepareNetwork makes canaries and their gradients, and trains twice, for the time that it takes.
// These trainings are not counted.
func (a running) prepareNetwork(ctx context.Context) (of *pool, g *directions, s size, err error) {
	begin := func(canaries int) error {
		if of, err = a.newPool(ctx, canaries, a.others(canaries), nil); err == nil {
			g, err = newDirections(ctx, a.Plan, of)
		}
		return err
	}
	if err = begin(max(1, a.Canaries)); err != nil {
		return nil, nil, s, err
	}
	seconds, err := timed(func() error {
		_, failed := g.run(ctx, of)
		return failed
	})
	if err != nil {
		return nil, nil, s, err
	}
	s = a.sizeFor(seconds, whiteSeconds)
	s.references = 0
	if s.canaries = min(s.canaries, a.networkMost()); s.canaries != len(of.canaries) {
		err = begin(s.canaries)
	}
	a.foresee(s.runs, seconds)
	return of, g, s, err
}

// timed returns the seconds of work when it is done for the second time: the first time includes
// what is computed once only.
func timed(work func() error) (float64, error) {
	if err := work(); err != nil {
		return 0, err
	}
	start := time.Now()
	err := work()
	return time.Since(start).Seconds(), err
}

// networkMost returns how many canaries fit into the memory for gradients.
func (a running) networkMost() int {
	const numbers, most = 1 << 25, 100
	directions := 1
	if a.replaces() {
		directions = 2
	}
	return max(1, min(most, numbers/a.Network.Network.Trained/directions, a.schema.MaxRecords/2))
}

// reach returns how far a canary moves a sum, as a share of what one record may move it by.
func (g *directions) reach() float64 {
	n, k := len(g.all), len(g.all)
	square := 0.0
	if g.replaced {
		k /= 2
	}
	for i := range k {
		own := g.gram.Data[i*n+i]
		if g.replaced {
			own = (own + g.gram.Data[(k+i)*n+k+i] - 2*g.gram.Data[i*n+k+i]) / 4
		}
		square += own / float64(k)
	}
	return math.Sqrt(square) * g.setup.Plan.NoiseMultiplier
}
