package budget

import (
	"testing"

	"github.com/ditherml/dither/privacy"
)

// integerBudget is a filter whose prices are integers in the noise multiplier's place: price 2 under
// replace-one and 1 otherwise, times what the test says.
func integerSpent(relation privacy.Neighboring, populations int) *spent {
	t := Terms{Neighboring: relation, Populations: make([]Population, populations)}
	return newSpent(t, 1)
}

// dearest is the cost of all plans by its definition: the dearest of all ways in which two neighbors differ.
func dearest(relation privacy.Neighboring, populations int, plans []testPlan) float64 {
	most := 0.0
	cost := func(counts func(testPlan) float64) {
		sum := 0.0
		for _, p := range plans {
			sum += counts(p)
		}
		most = max(most, sum)
	}
	for from := -1; from < populations; from++ { // -1: outside of all populations
		for to := -1; to < populations; to++ {
			if from != to && relation != privacy.ReplaceOne {
				continue
			}
			cost(func(p testPlan) float64 {
				switch {
				case p.population < 0:
					return p.near
				case from == to && p.population == from:
					return p.near
				case from != to && (p.population == from || p.population == to):
					return p.moved
				}
				return 0
			})
		}
	}
	return most
}

type testPlan struct {
	population  int
	near, moved float64
}

// TestPopulationsByBruteForce compares sums with the definition over small integer prices. The case of the
// issue: the maximum under add-or-remove-one, and the larger of the dearest and of the two dearest moves
// under replace-one.
func TestPopulationsByBruteForce(t *testing.T) {
	random := newRandom()
	for range 3000 {
		relation := []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut}[random.below(3)]
		populations := random.below(4)
		s := integerSpent(relation, populations)
		var plans []testPlan
		for range random.below(8) {
			p := testPlan{random.below(populations+1) - 1, float64(random.below(6)), float64(random.below(6))}
			plans = append(plans, p)
			price := Price{Near: []float64{p.near}}
			if p.population >= 0 && relation == privacy.ReplaceOne {
				price.Moved = []float64{p.moved}
			}
			s.add(p.population, price)
		}
		got := 0.0
		s.cases(func(sum sums) bool {
			got = max(got, sum.floats()[0])
			return true
		})
		if want := dearest(relation, populations, plans); got != want {
			t.Fatalf("%v, %d populations, plans %v: got %v, want %v", relation, populations, plans, got, want)
		}
	}
}

// TestPopulationsShareTheirCap: each population may spend all of the cap, and plans about all add to each.
func TestPopulationsShareTheirCap(t *testing.T) {
	terms := termsOf(GDP)
	terms.Populations = []Population{{"north", "live north of the river"}, {"south", "live south of it"}}
	b, store := made(t, terms)
	half := askOf(t, terms, "repeat(2, gaussian(4))")
	fill := func(population string) (count int) {
		a := half
		a.Population = population
		for count < 5000 {
			if _, fit := reserve(t, b, a); !fit {
				break
			}
			count++
		}
		return count
	}
	north, south := fill("north"), fill("south")
	if north < 2 || north != south {
		t.Errorf("north %d, south %d plans fit, want the same number", north, south)
	}
	if all := fill(""); all != 0 {
		t.Errorf("%d plans about all fit after each part was spent", all)
	}
	sameTotals(t, b, opened(t, store))
}

// TestMovesArePriced: under replace-one a plan about a population has two prices, and without one of them
// it is refused.
func TestMovesArePriced(t *testing.T) {
	terms := termsOf(ZCDP)
	terms.Neighboring = privacy.ReplaceOne
	terms.Populations = []Population{{"north", "live north of the river"}, {"south", "live south of it"}}
	b, store := made(t, terms)
	a := askOf(t, terms, "gaussian(20)")
	a.Population = "north"
	if _, fit := reserve(t, b, a); !fit {
		t.Fatal("does not fit")
	}
	if p := b.state.list[0].price; !near(p.Near[0], 4*p.Moved[0], 1e-9) {
		t.Errorf("prices are %v, want four times as much under replace-one", p)
	}
	a.Event = askOf(t, terms, "without-replacement(1000, 10, gaussian(20))").Event
	if _, err := b.Reserve(background, a); err == nil {
		t.Error("a batch of fixed size has no price for a person who moves, and was taken")
	}
	a.Population = ""
	if _, fit := reserve(t, b, a); !fit {
		t.Error("a plan about all is refused")
	}
	sameTotals(t, b, opened(t, store))
}

// random draws for tests: reproducible, and not from a banned package.
type random struct{ at uint64 }

func newRandom() *random { return &random{at: 1} }

func (r *random) below(n int) int {
	r.at = r.at*6364136223846793005 + 1442695040888963407
	return int((r.at >> 33) % uint64(n))
}
