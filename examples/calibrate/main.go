// Command calibrate finds what to change in a plan so that it meets a guarantee: the noise, the number of steps
// or the size of samples. It reads no record.
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

// steps is gradient descent on samples that take each record with probability q.
func steps(count int, q, noiseMultiplier float64) mechanism.Event {
	return mechanism.Repeat{Event: mechanism.PoissonSampled{Probability: q, Event: mechanism.Gaussian{NoiseMultiplier: noiseMultiplier}}, Count: count}
}

func run(w io.Writer) error {
	target, err := privacy.NewGuarantee(2, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "target:", target)

	// The noise for a thousand steps: it ends on the private side.
	noise, err := account.Calibrate(account.PLD, target, func(noiseMultiplier float64) mechanism.Event { return steps(1000, 0.01, noiseMultiplier) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "1000 steps at sampling probability 0.01 want a noise multiplier of %.3f\n", noise)

	// The steps that a given noise affords.
	count, err := account.CalibrateCount(account.PLD, target, 1e6, func(count int) mechanism.Event { return steps(count, 0.01, 1.1) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "a noise multiplier of 1.1 affords %d steps\n", count)

	// The largest samples.
	q, err := account.CalibrateLargest(account.PLD, target, 1e-4, 0.5, func(q float64) mechanism.Event { return steps(1000, q, 1.1) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "1000 steps with that noise afford a sampling probability of %.4f\n", q)

	// What was found costs no more than the target.
	cost, err := account.PLD.Epsilon(steps(1000, 0.01, noise), target.Delta(), target.Neighboring())
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "the first plan costs epsilon %.3f\n", cost.Upper)
	return nil
}
