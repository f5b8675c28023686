package planaudit

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/kernel"
)

// Options say how large an audit of a plan is.
type Options struct {
	// Confidence is the least probability that no correct claim of the whole audit is refuted.
	Confidence float64
	// Effort is the size of the audit, relative to one of about two minutes.
	Effort float64
	// Runs is how many trainings each attack counts, and Canaries how many canaries each training
	// has. 0 means numbers for the time that the effort allows.
	Runs, Canaries int
	// Public, if not nil, are public records among which the canaries are. PublicName is their
	// table's.
	Public     *data.Dataset
	PublicName string
	// Progress, if not nil, is told what is done, and which share of the audit.
	Progress func(what string, done float64)
}

// running is an audit that runs.
type running struct {
	*Plan
	Options
	// expect, if not nil, is told how many seconds the rest of an attack takes.
	expect func(seconds float64)
}

// seconds returns about how long each attack takes, before anything is measured.
func (a running) seconds() []float64 {
	if a.Minimizer != nil {
		return []float64{blackSeconds * a.Effort}
	}
	return []float64{whiteSeconds * a.Effort, blackSeconds * a.Effort}
}

// foresee tells how long some trainings take, from the seconds of one.
func (a running) foresee(trainings int, one float64) {
	if a.expect != nil {
		a.expect(float64(trainings) * one / float64(min(trainings, runtime.GOMAXPROCS(0))))
	}
}

// Run audits the plan and returns the report. An error says that a training failed, or that ctx
// ended.
func (p *Plan) Run(ctx context.Context, o Options) (auditing.Report, error) {
	if most := p.mostCanaries(); o.Canaries > most {
		return auditing.Report{}, fmt.Errorf("--canaries is %d, want at most %d: canaries are up to half of the %d rows that the plan allows", o.Canaries, most, p.maxRecords())
	}
	start := time.Now()
	a := running{Plan: p, Options: o}
	w := newWatch(o.Progress, time.Now, a.seconds())
	a.expect = w.expect
	attacks := a.attacks()
	defer w.every(time.Second)()
	var sections []auditing.Section
	for i, attack := range attacks {
		begin := time.Now()
		w.start(i)
		s, err := attack(ctx, 1-(1-o.Confidence)/float64(len(attacks)), w.progress)
		if err != nil {
			return auditing.Report{}, err
		}
		s.Seconds = time.Since(begin).Seconds()
		sections = append(sections, s)
	}
	r := auditing.NewReport("the plan of "+p.Name, time.Since(start), sections...)
	r.Processor = runtime.GOOS + "/" + runtime.GOARCH + ", kernels for " + kernel.Instructions()
	r.Program = "dither, built with " + runtime.Version()
	r.Split = fmt.Sprintf("The %s share it evenly. In each attack, kinds of bounds that count share its part: thresholds take three parts, every other kind one. Canaries, scores, bounds and thresholds were fixed before a score was computed. Numbers of runs follow from the time of the first.",
		display.Count(len(attacks), "attack"))
	return r, nil
}

// progress is told what goes on and which share of an attack is done.
type progress func(what string, done float64)

// attack trains and judges what was released at a confidence.
type attack func(ctx context.Context, confidence float64, tell progress) (auditing.Section, error)

// attacks lists the attacks on the plan.
func (a running) attacks() []attack {
	switch {
	case a.Descent != nil:
		return []attack{a.descentSteps, a.finalModel}
	case a.Network != nil:
		return []attack{a.networkSteps, a.finalModel}
	}
	return []attack{a.finalModel}
}
