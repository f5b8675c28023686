package planaudit

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/option"
)

// finalName is the name of the attack on the final model.
const finalName = "black box: the final model"

// finalModel attacks the final model of the plan as a whole.
func (a running) finalModel(ctx context.Context, confidence float64, tell progress) (auditing.Section, error) {
	tell(finalName, 0)
	claim, err := a.whole()
	if err != nil {
		return auditing.Section{}, err
	}
	if a.refusal != "" {
		return auditing.Section{Group: "plan", Name: finalName, Claim: claim.Words, Claimed: display.Finite(claim.Epsilon), Delta: display.Finite(claim.Delta), Confidence: 1, Verdict: auditing.NotRun, Note: a.refusal}, nil
	}
	of, s, err := a.prepareFinal(ctx)
	if err != nil {
		return auditing.Section{}, err
	}
	var lock sync.Mutex
	done, all := 0, s.runs+s.references
	margins, in, err := a.trainings(ctx, of, all, func() {
		lock.Lock()
		defer lock.Unlock()
		done++
		tell(finalName, float64(done)/float64(all))
	})
	if err != nil {
		return auditing.Section{}, err
	}
	begin, err := a.begin(of)
	if err != nil {
		return auditing.Section{}, err
	}
	found := calibrated(margins, in, s.references, begin)
	return judge("plan", finalName, claim, audit.Design{Coins: true, Independent: s.canaries == 1}, confidence, found, a.finalFacts(of, s))
}

// prepareFinal makes the tables and trains twice, for the time that it takes. These trainings are
// not counted.
func (a running) prepareFinal(ctx context.Context) (*pool, size, error) {
	of, err := a.newFinalPool(ctx, max(1, a.Canaries))
	if err != nil {
		return nil, size{}, err
	}
	seconds, err := timed(func() error {
		_, failed := a.margins(ctx, of, make([]bool, len(of.canaries)))
		return failed
	})
	if err != nil {
		return nil, size{}, err
	}
	s := a.sizeFor(seconds, blackSeconds)
	if s.canaries = min(s.canaries, a.mostCanaries()); s.canaries != len(of.canaries) {
		of, err = a.newFinalPool(ctx, s.canaries)
	}
	a.foresee(s.runs+s.references, seconds)
	return of, s, err
}

// mostCanaries returns the largest number of canaries of a training.
func (p *Plan) mostCanaries() int {
	return max(1, p.maxRecords()/2/p.rows)
}

// maxRecords returns the largest number of rows that the plan allows.
func (p *Plan) maxRecords() int {
	if p.schema == nil { // of a plan that is not trained as a whole
		return p.Descent.MaxRecords
	}
	return p.schema.MaxRecords
}

// newFinalPool returns the rows of an attack on the final model.
func (a running) newFinalPool(ctx context.Context, canaries int) (*pool, error) {
	of, err := a.newPool(ctx, canaries, a.others(canaries), a.Public)
	if err != nil {
		return nil, err
	}
	if a.records = float64(a.schema.Records); a.records == 0 {
		a.records = float64(len(of.others)) + float64(len(of.canaries)*a.rows)/2
	}
	return of, nil
}

// others returns the number of other made-up records of a table. It is about three times the noise
// of a released count, so that the count is near the true number. An even number lets labels cancel.
func (a running) others(canaries int) int {
	if n := a.exact(); n > 0 {
		return max(0, n-canaries)
	}
	return max(1, min(a.schema.MaxRecords/2, 2*int(math.Ceil(1.5*a.counted))))
}

// exact returns the number of records that the plan takes as public and insists on, 0 for none. Its
// canaries are replaced, so that the number stays.
func (p *Plan) exact() int {
	if m := p.Minimizer; m != nil && m.Output != nil && m.Output.Solver != nil && m.Output.Solver.Name == option.SolverPermuted {
		return m.Records
	}
	return 0
}

// finalFacts describe the attack on the final model.
func (a running) finalFacts(of *pool, s size) []auditing.Fact {
	records := display.Count(len(of.others), "other made-up record")
	if a.Public != nil {
		records = fmt.Sprintf("%d records of %s, which were declared public", len(of.others), display.Printable(a.PublicName))
	}
	facts := []auditing.Fact{
		fact("trainings", "%s among %s", s.words(), records),
		fact("attack", "knows the final model and the other records; a score is how far the model has moved toward the label of a canary"),
	}
	if a.Descent != nil && a.Descent.LastIterate == nil || a.Network != nil {
		facts = append(facts, fact("learning rate", "small and constant, without momentum, so that the model shows most of what was released; no guarantee depends on it"))
	}
	if a.Model == nil {
		facts = append(facts, fact("schema", "made up, with the width of the plan's rows; a model folder has its own"))
	}
	return facts
}
