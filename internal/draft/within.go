package draft

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/ledger"
)

// mostAttempts is the largest number of times that a plan is made anew for less than asked.
const mostAttempts = 4

// Within returns the certificate of a plan whose price is at most asked, both for the certificate
// and for a ledger. It notes asked in the certificate. A plan of a proven accountant meets the
// target that it was calibrated to. Another lattice, at the delta of a ledger, may put the price
// slightly above asked. Then the plan is made again for that much less. A plan without a whole
// budget, asked 0, is made once.
func Within(asked float64, plan func(epsilon float64) (certificate.Certificate, error)) (certificate.Certificate, error) {
	epsilon := asked
	for range mostAttempts {
		c, err := plan(epsilon)
		if err != nil || asked == 0 || math.IsInf(asked, 1) {
			return c, err
		}
		price := max(float64(c.Epsilon), c.Charge())
		if price <= asked {
			c.Asked = certificate.Epsilon(asked)
			return c, nil
		}
		epsilon *= asked / price * (1 - 1e-12)
	}
	return certificate.Certificate{}, fmt.Errorf("certificate: %w: no plan for epsilon %v was found to cost at most that, want another epsilon", ledger.ErrOverBudget, asked)
}
