package training

import (
	"fmt"
	"io"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
)

// pricedNoise is the noise of one way to price a run.
type pricedNoise struct {
	Accounting      string  `json:"accounting"`
	NoiseMultiplier float64 `json:"noise-multiplier,omitempty"`
	// Refused is the reason if there is no price.
	Refused string `json:"refused,omitempty"`
}

// Compare prices the request in each way, for a dry run, unless only composition is requested.
func (run *Run) Compare() {
	r := run.request
	if r.Accounting == "" || r.Accounting == option.AccountingComposition {
		return
	}
	for _, way := range []string{option.AccountingComposition, option.AccountingLastIterate} {
		r.Accounting = way
		setup, err := train.NewPlan(r, run.Tables.Schema)
		if err != nil {
			run.prices = append(run.prices, pricedNoise{Accounting: way, Refused: err.Error()})
			continue
		}
		run.prices = append(run.prices, pricedNoise{Accounting: way, NoiseMultiplier: setup.Plan.NoiseMultiplier})
	}
}

// writePrices writes a line for each way.
func writePrices(w io.Writer, prices []pricedNoise) {
	for _, p := range prices {
		if p.Refused != "" {
			fmt.Fprintf(w, "accounting %s: refused: %s\n", p.Accounting, p.Refused)
			continue
		}
		fmt.Fprintf(w, "accounting %s: noise multiplier %.6g in every step\n", p.Accounting, p.NoiseMultiplier)
	}
}

// Settle decides what is priced, after all options are known. Under auto, options that the last
// iterate alone does not allow select composition. A momentum that was not requested is dropped.
func Settle(r *train.Request, o *train.Options, momentum bool) {
	plain := o.Optimizer == option.OptimizerMomentum && o.Schedule == option.ScheduleConstant && o.WarmUp == 0 && o.L1 == 0 && o.Temperature == 0 && o.Average != train.Yes &&
		(o.Output == "" || o.Output == option.OutputLast) && !(momentum && o.Momentum > 0)
	switch {
	case r.Accounting == option.AccountingAuto && !plain:
		r.Accounting = option.AccountingComposition
	case r.Accounting == option.AccountingLastIterate && !momentum:
		o.Momentum = 0
	}
	if o.Temperature != 0 && !momentum {
		o.Momentum = 0
	}
	if o.Temperature != 0 && o.Average == train.Auto && o.Output == "" {
		o.Output = option.OutputLast
	}
}
