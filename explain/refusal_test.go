package explain

import (
	"errors"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestOneReasonIsSaidOnce asks at a delta that all accountants refuse for the same reason.
func TestOneReasonIsSaidOnce(t *testing.T) {
	const reason = "want 0 or at least"
	event, delta := mechanism.Gaussian{NoiseMultiplier: 1}, 1e-310
	q := Question{Event: event, Neighboring: privacy.AddOrRemoveOne, Delta: delta, Accountants: account.All()}
	if _, _, err := q.prices(); err == nil || strings.Count(err.Error(), reason) != 1 {
		t.Errorf("got %v, want the reason once", err)
	}
	_, err := bestOf(make([]account.Interval, 2), []error{errors.New("one reason"), errors.New("one reason")})
	if err == nil || err.Error() != "one reason" {
		t.Errorf("got %v, want the reason once", err)
	}
}
