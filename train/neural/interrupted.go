package neural

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// abandonedRun is a run that stopped before its end. Its noise was drawn, and its releases after
// the kept steps are lost; both are counted.
type abandonedRun struct {
	// Kept is how many of its steps are part of the model. Released is the largest number that it
	// may have made.
	Kept     int `json:"kept"`
	Released int `json:"released"`
}

// kept returns how many steps of earlier runs are part of the model.
func (p Plan) kept() int {
	sum := 0
	for _, i := range p.Interrupted {
		sum += i.Kept
	}
	return sum
}

// runs returns the largest number of steps of each run, the last being the run that ends.
func (p Plan) runs() []int {
	var runs []int
	for _, i := range p.Interrupted {
		runs = append(runs, i.Released)
	}
	return append(runs, p.Steps-p.kept())
}

// upTo returns the plan with an end after this number of steps.
func (p Plan) upTo(steps int) Plan {
	p.Steps = steps
	return p
}

// interruptedAfter returns the plan of a run that continues after this number of steps. The run
// before may have made ahead more.
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

// payEarlier pays for the releases of earlier runs without releasing anything, because the record
// of the budget must hold them.
func (p Plan) payEarlier(payer mechanism.Payer) error {
	if p.countsRecords() {
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
		if joint, ok := step.(mechanism.Sequence); ok { // without sampling each release is paid separately
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
