package account_test

import (
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// What is my epsilon? Sixty full-batch steps with noise of 40 times the clipping norm.
func ExampleGDP_Epsilon() {
	steps := mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 40}, Count: 60}
	v, err := account.GDP{}.Epsilon(steps, 1e-6, privacy.AddOrRemoveOne)
	fmt.Printf("%.4f %v\n", v.Upper, err)
	// Output: 0.8057 <nil>
}

// What noise do I need? Sixty steps at (1, 1e-6).
func ExampleCalibrate() {
	target, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	z, err := account.Calibrate(account.GDP{}, target, func(z float64) mechanism.Event {
		return mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: z}, Count: 60}
	})
	fmt.Printf("%.3f %v\n", z, err)
	// Output: 32.724 <nil>
}

// What if one person has five rows?
func ExampleGDP_EpsilonGroup() {
	steps := mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: 40}, Count: 60}
	v, err := account.GDP{}.EpsilonGroup(steps, 1e-6, privacy.AddOrRemoveOne, 5)
	fmt.Printf("%.3f %v\n", v, err)
	// Output: 4.711 <nil>
}
