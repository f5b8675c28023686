package ledger_test

import (
	"errors"
	"fmt"

	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func ExampleLedger_Reserve() {
	limit, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: "one person"})
	if err != nil {
		panic(err)
	}
	l, err := ledger.New(limit)
	if err != nil {
		panic(err)
	}
	count := mechanism.Gaussian{NoiseMultiplier: 6}
	grant, err := l.Reserve(count, "a count")
	fmt.Println(err, grant.Pay(count))
	_, err = l.Reserve(mechanism.Repeat{Event: count, Count: 5}, "five more")
	fmt.Println(errors.Is(err, ledger.ErrOverBudget))
	// Output:
	// <nil> <nil>
	// true
}
