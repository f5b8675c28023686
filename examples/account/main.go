// Command account prices a plan for training. It prints the privacy cost by every accountant, and
// bounds on the success of attackers. It reads no record.
//
//	go run ./examples/account
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

const delta = 1e-5

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	// The plan first releases a noisy count. Then it takes 2000 steps, each on a Poisson sample that
	// contains a record with probability 0.01.
	step := mechanism.PoissonSampled{Probability: 0.01, Event: mechanism.Gaussian{NoiseMultiplier: 1.1}}
	plan := mechanism.Sequence{mechanism.Laplace{NoiseMultiplier: 10}, mechanism.Repeat{Event: step, Count: 2000}}
	fmt.Fprintln(w, plan)

	for _, accountant := range account.All() {
		epsilon, err := accountant.Epsilon(plan, delta, privacy.AddOrRemoveOne)
		if err != nil {
			fmt.Fprintf(w, "%-8s has no proof for it\n", accountant.Name())
			continue
		}
		fmt.Fprintf(w, "%-8s epsilon is at most %.2f\n", accountant.Name(), epsilon.Upper)
	}

	// If a person has five rows, the guarantee for all five together has a larger epsilon.
	group, err := account.EpsilonGroup(account.PLD, plan, delta, privacy.AddOrRemoveOne, 5)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "five rows of one person: at most %.2f\n", group)

	curve, err := account.PLD.Curve(plan, privacy.AddOrRemoveOne)
	if err != nil {
		return err
	}
	epsilon, err := curve.Epsilon(delta)
	if err != nil {
		return err
	}
	tradeOff, err := account.NewTradeOff(curve.Delta)
	if err != nil {
		return err
	}
	risk := account.RiskOf(tradeOff, epsilon, delta)
	fmt.Fprintf(w, "an attacker who accuses 1 %% falsely finds at most %.1f %% of the members\n", 100*risk.TruePositiveAt1)
	return nil
}
