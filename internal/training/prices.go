package training

import (
	"fmt"
	"io"

	"github.com/ditherml/dither/train"
)

// pricedNoise is what one way to price a run takes.
type pricedNoise struct {
	Accounting      train.Accounting `json:"accounting"`
	NoiseMultiplier float64          `json:"noise-multiplier,omitempty"`
	// Refused is why there is none.
	Refused string `json:"refused,omitempty"`
}

// Compare prices what is asked for in each way, for a dry run, unless only composition is asked for.
func (run *Run) Compare() {
	r := run.request
	if r.Accounting == "" || r.Accounting == train.AccountingComposition {
		return
	}
	for _, way := range []train.Accounting{train.AccountingComposition, train.AccountingLastIterate} {
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
