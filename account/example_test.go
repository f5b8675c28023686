package account_test

import (
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// training is a run of DP-SGD: steps on Poisson samples of one record in a hundred.
func training(steps int, z float64) mechanism.Event {
	step := mechanism.PoissonSampled{Probability: 0.01, Event: mechanism.Gaussian{NoiseMultiplier: z}}
	return mechanism.Repeat{Event: step, Count: steps}
}

// What is my epsilon? A thousand steps with noise of 1.1 times the clipping norm.
func ExamplePLD_Epsilon() {
	v, err := account.PLD.Epsilon(training(1000, 1.1), 1e-6, privacy.AddOrRemoveOne)
	fmt.Printf("between %.3f and %.3f, %v\n", v.Lower, v.Upper, err)
	// Output: between 1.753 and 1.753, <nil>
}

// What noise do I need? A thousand steps at (2, 1e-6).
func ExampleCalibrate() {
	target, err := privacy.NewGuarantee(2, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	z, err := account.Calibrate(account.PLD, target, func(z float64) mechanism.Event { return training(1000, z) })
	fmt.Printf("%.3f %v\n", z, err)
	// Output: 1.029 <nil>
}

// How many steps can I afford?
func ExampleCalibrateCount() {
	target, err := privacy.NewGuarantee(2, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	steps, err := account.CalibrateCount(account.PLD, target, 1e6, func(steps int) mechanism.Event { return training(steps, 1.1) })
	fmt.Println(steps/10*10, err)
	// Output: 1310 <nil>
}

// What does epsilon = 2 mean for an attacker?
func ExampleRiskOf() {
	curve, err := account.PLD.Curve(training(1000, 1.032), privacy.AddOrRemoveOne)
	if err != nil {
		panic(err)
	}
	tradeOff, err := account.NewTradeOff(curve.Delta)
	if err != nil {
		panic(err)
	}
	risk := account.RiskOf(tradeOff, 2, 1e-6)
	fmt.Printf("finds at most %.1f %% of the members at 1 %% false alarms\n", 100*risk.TruePositiveAt1)
	// Output: finds at most 2.8 % of the members at 1 % false alarms
}

// What if one person has ten rows?
func ExampleEpsilonGroup() {
	v, err := account.EpsilonGroup(account.PLD, training(1000, 1.1), 1e-6, privacy.AddOrRemoveOne, 10)
	fmt.Printf("%.1f %v\n", v, err)
	// Output: 25.2 <nil>
}

// Sixty full-batch steps with noise of 40 times the clipping norm are exact.
func ExampleGDP_Epsilon() {
	steps := mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 40}, Count: 60}
	v, err := account.GDP.Epsilon(steps, 1e-6, privacy.AddOrRemoveOne)
	fmt.Printf("%.4f %v\n", v.Upper, err)
	// Output: 0.8057 <nil>
}
