package sweep

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/model"
)

// seeded is a source of random bytes that begins alike for one seed.
func seeded(seed uint64) *coin {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	return &coin{random: rand.NewChaCha8(key)}
}

// TestChoiceMakesTheDrawnRuns makes selections under each distribution. The number of runs is
// exactly the drawn one, whatever the scores are, and even if some runs have no model. The first of
// the best runs wins.
func TestChoiceMakesTheDrawnRuns(t *testing.T) {
	for _, text := range laws {
		l, err := ParseLaw(text)
		if err != nil {
			t.Fatal(err)
		}
		numbers := map[int]bool{}
		for seed := range uint64(200) {
			want, failed := l.draw(seeded(seed))
			if failed != nil {
				t.Fatal(failed)
			}
			numbers[want] = true
			scores := rand.New(rand.NewPCG(seed, 7))
			made, best, first, of := 0, math.Inf(-1), (*model.Model)(nil), map[*model.Model]int{}
			won, m, failed := l.best(seeded(seed), 3, func(at int) (float64, *model.Model, error) {
				made++
				score := float64(scores.IntN(4))
				if score == 0 {
					return math.Inf(-1), nil, nil // a run that diverged
				}
				if at == 2 {
					score = math.Inf(-1) // a score that is not defined
				}
				own := &model.Model{}
				of[own] = at
				if first == nil || score > best {
					best, first = score, own
				}
				return score, own, nil
			})
			if made != want {
				t.Fatalf("%s: %d runs were made, want %d, the number that was drawn", text, made, want)
			}
			switch {
			case want == 0 && !errors.Is(failed, ErrNoRuns), want > 0 && first == nil && !errors.Is(failed, ErrAllDiverged), first != nil && failed != nil:
				t.Fatalf("%s: got %v after %d runs", text, failed, want)
			case m != first || m != nil && of[m] != won:
				t.Fatalf("%s: the model of candidate %d won, want the first of the best", text, won)
			}
		}
		if len(numbers) < 4 {
			t.Errorf("%s: the numbers of runs were %v, want more of them", text, numbers)
		}
	}
}

// TestChoiceDrawsCandidatesAlike counts which of 3 candidates 20,000 and more runs are of. A count is off by more than
// 6 standard deviations with probability below 2.0e-9.
func TestChoiceDrawsCandidatesAlike(t *testing.T) {
	l, counts, runs := RunCountDistribution{Name: lawPoisson, Mean: 100}, [3]float64{}, 0.0
	for range 200 {
		_, _, err := l.best(newCoin(), 3, func(at int) (float64, *model.Model, error) {
			counts[at]++
			runs++
			return 0, &model.Model{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for at, n := range counts {
		if off := math.Abs(n - runs/3); off > 6*math.Sqrt(runs*2/9) {
			t.Errorf("candidate %d has %v of %v runs, want a third", at, n, runs)
		}
	}
	// Runs are Poisson of mean 20,000 in total: 6 standard deviations are 849.
	if math.Abs(runs-20_000) > 849 {
		t.Errorf("200 choices of mean 100 made %v runs, want about 20,000", runs)
	}
}
