package certificate

import (
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// Ledger returns the ledger of a run alone. Its limit is the epsilon that was asked for. If no
// epsilon was asked for the whole run, as with a budget of each step, the limit is the price of the
// plan.
func (c Certificate) Ledger() (*ledger.Ledger, error) {
	most := float64(c.Asked)
	if most == 0 {
		most = max(float64(c.Epsilon), c.Charge())
	}
	limit, err := privacy.NewGuarantee(most, c.Delta, c.Neighboring, privacy.Unit{Row: c.Unit, RowsPerPerson: c.GroupRows})
	if err != nil {
		return nil, err
	}
	return ledger.NewSingle(limit)
}
