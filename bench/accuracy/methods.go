package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/erm"
)

// methodNames lists the methods that a call measures. For "all" these are the methods that make a
// private model without further options.
func methodNames(text string) []string {
	if text == "" {
		return []string{option.MethodGD}
	}
	if text != "all" {
		return strings.Split(text, ",")
	}
	all := append([]string{option.MethodGD, option.MethodAuto}, erm.Names()...)
	return slices.DeleteFunc(all, func(name string) bool { return name == option.MethodLBFGS || name == option.MethodExponential })
}

// chosen returns the method recommended for a set at epsilon if the method is auto, else the method
// itself.
func (s settings) chosen(method string, p parts, epsilon float64) (string, error) {
	if method != option.MethodAuto {
		return method, nil
	}
	chosen, _, err := erm.Recommend(erm.Request{Epsilon: epsilon, Delta: s.delta, Neighboring: privacy.AddOrRemoveOne}, p.schema)
	return chosen, err
}

// onceBy trains once by a method of package erm and measures on the test part. A method that is not for
// the target of the set gives no outcome.
func (s settings) onceBy(ctx context.Context, c set, p parts, method string, epsilon float64) (out outcome, fits bool, err error) {
	r := erm.Request{Method: method, Epsilon: epsilon, Delta: s.delta, Neighboring: privacy.AddOrRemoveOne, Intercept: s.request.Intercept}
	if method == option.MethodFrankWolfe {
		r.Steps, r.L1Radius, r.ClippingNorm = s.request.Steps, s.l1Radius, s.request.ClippingNorm
	}
	if r.Transforms, err = c.chain(); err != nil {
		return out, false, err
	}
	setup, err := erm.NewSetup(r, p.schema)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s, %s: %v\n", c.name, method, err)
		return out, false, nil
	}
	budget, err := budgetOf(epsilon, s.delta, setup.Plan.Unit, setup.Plan.RowsPerPerson)
	if err != nil {
		return out, false, err
	}
	result, err := erm.Fit(ctx, budget, setup, p.records, erm.Options{})
	if err != nil {
		return out, false, err
	}
	out.score, err = p.score(result.Model, c.regression)
	return out, true, err
}

// budgetOf returns a ledger for one plan. By the rounding of its noise, a plan may cost slightly
// more than requested.
func budgetOf(epsilon, delta float64, row string, rowsPerPerson int) (*ledger.Ledger, error) {
	limit, err := privacy.NewGuarantee(epsilon*(1+1e-3), delta, privacy.AddOrRemoveOne, privacy.Unit{Row: row, RowsPerPerson: rowsPerPerson})
	if err != nil {
		return nil, err
	}
	return ledger.NewSingle(limit)
}

// numbers is a set with a numeric target, whose schema lies with the tests of package erm: every fifth row
// is for testing.
func numbers(name, file string) set {
	return set{name: name, epsilons: []float64{0.1, 0.5, 1, 3}, regression: true,
		schema: func() (*data.Schema, error) {
			path := filepath.Join("train", "erm", "testdata", name+".yaml")
			if _, err := os.Stat(path); err != nil {
				path = filepath.Join("..", "..", path) // within the tests of this package
			}
			return data.ReadSchema(path)
		},
		read: everyFifth(filepath.Join(name, file))}
}
