// Command calibrate changes a plan so that it meets a guarantee. It finds the least noise, the
// largest number of steps, and the largest samples. It reads no record.
//
//	go run ./examples/calibrate
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

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// steps returns the event of gradient descent on Poisson samples, which contain each record with
// probability q.
func steps(count int, q, noiseMultiplier float64) mechanism.Event {
	return mechanism.Repeat{Event: mechanism.PoissonSampled{Probability: q, Event: mechanism.Gaussian{NoiseMultiplier: noiseMultiplier}}, Count: count}
}

func run(w io.Writer) error {
	target, err := privacy.NewGuarantee(2, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "target:", target)

	// Find the least noise for 1000 steps. The result never costs more than the target.
	noise, err := account.Calibrate(account.PLD, target, func(noiseMultiplier float64) mechanism.Event { return steps(1000, 0.01, noiseMultiplier) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "1000 steps at sampling probability 0.01 want a noise multiplier of %.3f\n", noise)

	// Find the largest number of steps for a given noise.
	count, err := account.CalibrateCount(account.PLD, target, 1e6, func(count int) mechanism.Event { return steps(count, 0.01, 1.1) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "a noise multiplier of 1.1 affords %d steps\n", count)

	// Find the largest samples for a given noise and number of steps.
	q, err := account.CalibrateLargest(account.PLD, target, 1e-4, 0.5, func(q float64) mechanism.Event { return steps(1000, q, 1.1) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "1000 steps with that noise afford a sampling probability of %.4f\n", q)

	// Compute the cost of the plan with the least noise. It is at most the target.
	cost, err := account.PLD.Epsilon(steps(1000, 0.01, noise), target.Delta(), target.Neighboring())
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "the first plan costs epsilon %.3f\n", cost.Upper)
	return nil
}
