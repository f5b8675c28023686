package neural

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// abandonedRun is a run that stopped before its end. Its noise was drawn, and what it released beyond what was kept
// is lost; both are counted.
type abandonedRun struct {
	// Kept is how many of its steps are part of the model, Released how many it made at most.
	Kept     int `json:"kept"`
	Released int `json:"released"`
}

// kept is how many steps of earlier runs are part of the model.
func (p Plan) kept() int {
	sum := 0
	for _, i := range p.Interrupted {
		sum += i.Kept
	}
	return sum
}

// runs returns how many steps each run makes at most, the last one being the one that ends.
func (p Plan) runs() []int {
	var runs []int
	for _, i := range p.Interrupted {
		runs = append(runs, i.Released)
	}
	return append(runs, p.Steps-p.kept())
}

// upTo is the plan as if it ended after this many steps.
func (p Plan) upTo(steps int) Plan {
	p.Steps = steps
	return p
}

// interruptedAfter is the plan of a run that goes on after this many steps, where the run before
// may have made this many more.
func (p Plan) interruptedAfter(steps, ahead int) Plan {
	kept := steps - p.kept()
	released := min(kept+ahead, p.Steps-p.kept())
	p.Interrupted = append(append([]abandonedRun(nil), p.Interrupted...), abandonedRun{kept, released})
	return p
}

// maxInterrupted bounds the runs of a plan.
const maxInterrupted = 1 << 10

func (p Plan) validateInterrupted() error {
	left := p.Steps
	for _, i := range p.Interrupted {
		if i.Kept < 0 || i.Released < i.Kept || i.Released > left {
			return fmt.Errorf("neural: an interrupted run kept %d of %d steps, want 0 or more, no more than were made, and no more than the %d that were left", i.Kept, i.Released, left)
		}
		left -= i.Kept
	}
	if len(p.Interrupted) > maxInterrupted {
		return fmt.Errorf("neural: plan has %d interrupted runs, want at most %d", len(p.Interrupted), maxInterrupted)
	}
	return nil
}

// payEarlier pays for what earlier runs released, without releasing anything: the record of the budget must hold
// it.
func (p Plan) payEarlier(payer mechanism.Payer) error {
	if p.Records == 0 {
		if err := payer.Pay(p.noise(p.CountNoise)); err != nil {
			return err
		}
	}
	for _, i := range p.Interrupted {
		step, count, err := p.run(p.NoiseMultiplier, i.Released)
		if err != nil {
			return err
		}
		events := []mechanism.Event{step}
		if joint, ok := step.(mechanism.Sequence); ok { // without sampling each release is paid by itself
			events = joint
		}
		for range count {
			for _, e := range events {
				if err = payer.Pay(e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
