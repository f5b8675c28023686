package planaudit

import (
	"fmt"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
)

// whole returns the claim of the whole plan: that of its certificate.
func (p *Plan) whole() (auditing.Claim, error) {
	if p.claim != nil {
		return *p.claim, nil
	}
	e, err := mechanism.ParseEvent(p.Certificate.Event)
	if err != nil {
		return auditing.Claim{}, err
	}
	c, err := auditing.EventClaim(e, p.Certificate.Neighboring, p.Certificate.Delta)
	if err != nil {
		return c, err
	}
	epsilon := float64(p.Certificate.Epsilon)
	c = c.Certified(epsilon, p.claimWords(epsilon, p.Certificate.Event))
	p.claim = &c
	return c, nil
}

// steps returns the claim of the steps of gradient descent. If the plan releases nothing else, it
// is the whole claim.
func (p *Plan) steps(w *world) (auditing.Claim, error) {
	all, own := p.Descent.Training(), w.setup.Plan.Training()
	if last := all[len(p.Descent.Preparation)]; len(own) != 1 || own[0].String() != last.String() {
		return auditing.Claim{}, fmt.Errorf("the steps of the audit are %v, want those of the plan, %v", own, last)
	}
	if len(all) == 1 && p.Descent.Holdout == nil {
		return p.whole()
	}
	c, err := auditing.EventClaim(own[0], p.Certificate.Neighboring, p.Certificate.Delta)
	c.Words = "the steps alone: " + p.claimWords(c.Epsilon, own[0].String())
	return c, err
}

// longEvent is the length at which the text of an event is cut.
const longEvent = 160

// claimWords are a claim in words.
func (p *Plan) claimWords(epsilon float64, event string) string {
	if len(event) > longEvent {
		event = event[:longEvent] + " …"
	}
	return fmt.Sprintf("epsilon %s at delta %s under %v, of %s, by %s", display.Rounded(epsilon, 6, true), display.Plain(p.Certificate.Delta), p.Certificate.Neighboring, p.Certificate.Method, event)
}
