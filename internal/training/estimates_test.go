package training

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/train"
)

func TestReportIntervals(t *testing.T) {
	got := reportIntervals([]train.Estimate{{Name: "a", Value: 2, Lower: 1, Upper: 3, StandardError: 9}})
	if len(got) != 1 || got[0].Name != "a" || got[0].Value != 2 || got[0].Low != 1 || got[0].High != 3 {
		t.Errorf("got %+v, want the estimate with its interval", got)
	}
}

// TestDetermination: an R² that the noise carried beyond 1 is no number.
func TestDetermination(t *testing.T) {
	if got := determinationWords(1.3); strings.Contains(got, "1") {
		t.Errorf("R² beyond 1 is told as %q", got)
	}
}
