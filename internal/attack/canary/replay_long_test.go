//go:build long

package canary

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
)

// replayVariable says that every stream has one fixed key, as the test of that name in
// internal/repocheck arranges by an overlay; without it a replay makes no sense.
const replayVariable = "DITHER_TEST_REPLAY"

// TestReplayOfEveryTraining trains twice under one tape of randomness, of every kind that trains all
// canaries together: without the last canary, and with it. In each step its own number moves by at
// most the bound, and no other number moves by a bit, or by more than rounding if the canary moves
// the divisor.
func TestReplayOfEveryTraining(t *testing.T) {
	if os.Getenv(replayVariable) == "" {
		t.Skip("streams have keys of their own: run by TestReplayUnderOneKey of internal/repocheck")
	}
	trained, moving := 0, 0
	for _, k := range kinds() {
		if k.reason() != "" || !strings.HasPrefix(k.method, "dp-") {
			continue
		}
		p, err := k.plan()(60)
		if err != nil {
			t.Fatal(err)
		}
		trained++
		if farthest := k.replay(t, p); farthest > 0.5 {
			moving++
		}
	}
	if trained < 90 || moving < trained/2 {
		t.Errorf("%d kinds of training, and in %d the canary moves its number, want most of more than 90", trained, moving)
	}
}

// replay compares two runs that differ in the last canary, and returns how far its number moved.
func (k kind) replay(t *testing.T, p planned) float64 {
	t.Helper()
	w := p.training.world
	run := func(last bool) trace {
		w.fixed = slices.Repeat([]bool{true}, w.canaries)
		w.fixed[w.canaries-1] = last
		seen, err := p.training.run(t.Context(), w.again())
		if err != nil {
			t.Fatalf("%s: %v", k.name(), err)
		}
		return seen
	}
	without, with := run(false), run(true)
	own := []int{w.canaries - 1, 2*w.canaries - 1} // under replace-one the other level too
	adapts := k.clipping == "quantile" || k.clipping == "global-adaptive"
	farthest, all, rounding := 0.0, 0.0, 0.0
	if k.persons && k.method == option.MethodNetwork {
		rounding = 1e-6 // steps are divided by a noisy number of persons, which the canary moves by one
	}
	for step := range with.moves {
		if adapts && step > 0 {
			break // the norm follows a noisy count, which the record moves
		}
		for j, v := range with.moves[step] {
			moved := math.Abs(v - without.moves[step][j])
			if !slices.Contains(own[:1+btoi(w.relation == privacy.ReplaceOne)], j) {
				if moved > rounding {
					t.Errorf("%s: the number of canary %d moves by %v in step %d, want %v", k.name(), j, moved, step+1, rounding)
				}
				continue
			}
			farthest, all = max(farthest, moved), all+v-without.moves[step][j]
		}
	}
	bound, rounds := 1.0, 1.0
	switch {
	case k.clipping == "projected":
		bound = 2 // the cap
	case k.noise == option.AccountingLastIterate:
		bound = 4 // steps
	case k.noise != "" && k.method == option.MethodNetwork:
		rounds = float64(len(with.z) / parts)
		bound = math.Inf(1) // an estimate spreads over steps; their sum is what a record adds
	}
	if !(farthest <= bound*(1+1e-6)) || math.IsInf(bound, 1) && !(math.Abs(all) <= rounds*(1+1e-6)) {
		t.Errorf("%s: a canary moves its number by %v in a step and by %v in all, want at most %v", k.name(), farthest, all, bound)
	}
	return farthest
}

// btoi returns 1 for true.
func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
