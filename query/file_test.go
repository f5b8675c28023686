package query

import (
	"errors"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/privacy"
)

func TestShortList(t *testing.T) {
	if got := shortList([]string{"a", "b", "c", "d", "e"}, 9); got != "5 of 9 rows" {
		t.Errorf("five rows of nine are written %q", got)
	}
}

// countWithin is a count with the least noise for a target.
func countWithin(t *testing.T, epsilon, delta float64, noise string) (*Question, error) {
	t.Helper()
	q, err := NewQuestion(schemaOf(t, schemaText), Plan{Statistic: countStatistic, Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne, Delta: delta}, Noise: noise, Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	target, err := privacy.NewGuarantee(epsilon, delta, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		t.Fatal(err)
	}
	return q.Within(target)
}

// TestWithin wants the price of the certificate to be at most the target and hardly less, and what no noise meets to be
// refused.
func TestWithin(t *testing.T) {
	for _, noise := range []string{"laplace", "gaussian"} {
		q, err := countWithin(t, 0.5, 1e-6, noise)
		if err != nil {
			t.Fatal(err)
		}
		c, err := q.Plan().Certificate()
		if e := float64(c.Epsilon); err != nil || e > 0.5 || e < 0.499 {
			t.Errorf("%s: got epsilon %v, %v, want at most 0.5 and hardly less", noise, e, err)
		}
	}
	if _, err := countWithin(t, 1e-15, 1e-15, "gaussian"); !errors.Is(err, account.ErrUnreachable) {
		t.Errorf("got %v for an epsilon that no noise meets, want %v", err, account.ErrUnreachable)
	}
}

// TestFileCheck wants what does not follow from the plan to be refused.
func TestFileCheck(t *testing.T) {
	q, err := countWithin(t, 1, 1e-6, "gaussian")
	if err != nil {
		t.Fatal(err)
	}
	c, err := q.Plan().Certificate()
	if err != nil {
		t.Fatal(err)
	}
	f := NewFile(q.Plan(), c, []Row{{Name: "all", Answer: Answer{Value: 5, Deviation: 1, Lower: 3, Upper: 7}}})
	f.Certificate = nil
	if err = f.Check(); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	low, forged := *f.Rows[0].Lower, f
	*f.Rows[0].Lower = 8
	if err = f.Check(); err == nil {
		t.Error("got no error for an interval whose ends are not in order")
	}
	*f.Rows[0].Lower = low
	forged.Threshold = 3
	if err = forged.Check(); err == nil {
		t.Error("got no error for a threshold that the plan has not")
	}
}
