package reproduce

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/privacy"
)

func TestRunning(t *testing.T) {
	all, err := running(account.PLD, sampledSteps(0.01, 1, 1), 1e-5, privacy.AddOrRemoveOne, []int{0, 100, 1000})
	if err != nil || len(all) != 3 || all[0] != (account.Interval{}) || math.Abs(all[1].Estimate-0.7180356613) > 1e-6 || math.Abs(all[2].Estimate-1.8282366665) > 1e-6 {
		t.Errorf("got %v, %v", all, err)
	}
	if _, err = running(account.PLD, sampledSteps(0.01, 1, 1), 1e-5, privacy.AddOrRemoveOne, []int{-1}); err == nil {
		t.Error("a negative count was priced")
	}
}
