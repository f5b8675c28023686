package explain

import (
	"errors"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestOneReasonIsSaidOnce asks at a delta that all accountants refuse for the same reason.
func TestOneReasonIsSaidOnce(t *testing.T) {
	const reason = "want 0 or at least"
	q := Question{Event: mechanism.Gaussian{NoiseMultiplier: 1}, Neighboring: privacy.AddOrRemoveOne, Delta: 1e-310}
	if _, err := q.Answer(); err == nil || strings.Count(err.Error(), reason) != 1 {
		t.Errorf("got %v, want the reason once", err)
	}
	if err := curve.Distinct([]error{errors.New("one reason"), errors.New("one reason")}); err == nil || err.Error() != "one reason" {
		t.Errorf("got %v, want the reason once", err)
	}
}

func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		"account: accountant gdp has no proof for laplace(1)":       "no proof for laplace(1)",
		"account: accountant rdp cannot price laplace(1): it is so": "cannot price laplace(1): it is so",
		"pld: no lattice holds the composition\nand more":           "no lattice holds the composition",
		"something else": "something else",
	} {
		if got := reason(errors.New(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := brief(strings.Repeat("é", 61)); got != strings.Repeat("é", 59)+"…" {
		t.Errorf("got %q, want 60 characters", got)
	}
}
