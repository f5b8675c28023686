package certificate

import (
	"fmt"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// Combine returns what several certificates about the same records imply for all their releases at
// one delta: the events one after the other. They must be of one relation and one unit; the largest
// declared number of rows of one person counts. PriceOf then gives the cost if all plans had been
// fixed before the first release. For plans that were chosen after earlier results were seen, a
// ledger's filter is what may be claimed (see ledger.NewFiltered). That the certificates are of the
// same records, and are all there are, no certificate shows.
func Combine(delta float64, certificates ...Certificate) (Claim, error) {
	if len(certificates) == 0 {
		return Claim{}, fmt.Errorf("certificate: there are no certificates to put together, want at least one")
	}
	if !(delta >= 0 && delta < 1) {
		return Claim{}, fmt.Errorf("certificate: delta is %v, want at least 0 and less than 1", delta)
	}
	first, all := certificates[0], mechanism.Sequence{}
	d := Claim{Neighboring: first.Neighboring, Delta: delta, Unit: privacy.Unit{Row: first.Unit}}
	for i, c := range certificates {
		if c.Neighboring != first.Neighboring || c.Unit != first.Unit {
			return Claim{}, fmt.Errorf("certificate: certificate %d is of %q under %v, want %q under %v like the first", i+1, c.Unit, c.Neighboring, first.Unit, first.Neighboring)
		}
		e, err := mechanism.ParseEvent(c.Event)
		if err != nil {
			return Claim{}, fmt.Errorf("certificate: certificate %d: %w", i+1, err)
		}
		all = append(all, e)
		d.NoiseDraws += c.NoiseDraws
		d.Unit.RowsPerPerson = max(d.Unit.RowsPerPerson, c.GroupRows)
	}
	d.Event = all
	return d, nil
}
