package outcome

import (
	"strings"
	"testing"

	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/sweep"
)

// TestNoticeOfNoPrivateRun wants no price where no run has one.
func TestNoticeOfNoPrivateRun(t *testing.T) {
	s := Study{Cost: sweep.Cost{}}
	for _, public := range []bool{false, true} {
		s.Public = public
		if text := s.Notice(); strings.Contains(text, "cost") || strings.Contains(text, privacy.Neighboring(0).String()) || strings.Contains(text, "NOT PRIVATE") == public {
			t.Errorf("public %v: got %q, want no cost and no relation", public, text)
		}
	}
}
