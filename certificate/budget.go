package certificate

import (
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
)

// Ledger returns a ledger that pays for this run only. Its limit is the epsilon that was requested
// for the whole run. If no epsilon was requested for the whole run, the limit is the price of the
// plan. This happens if an epsilon was requested for each step.
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
