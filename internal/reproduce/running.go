package reproduce

import (
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// running returns the interval of epsilon after each of these counts of an event, for progress and
// plots. Each is the cost of a run that was planned to end there. A run that stops because of its
// own releases needs a filter (see package ledger).
func running(a account.Accountant, e mechanism.Event, delta float64, n privacy.Neighboring, counts []int) ([]account.Interval, error) {
	out := make([]account.Interval, len(counts))
	for i, count := range counts {
		v, err := a.Epsilon(mechanism.Repeat{Event: e, Count: count}, delta, n)
		if err != nil {
			return nil, fmt.Errorf("after %d times: %w", count, err)
		}
		out[i] = v
	}
	return out, nil
}
