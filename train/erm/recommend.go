package erm

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/mechanism"
)

const (
	// recommendedNoise is the largest noise at which sums of products are preferred to descent, as
	// a share of the largest sum. On the data sets of docs/methods.md the two methods are about
	// equally accurate at this noise.
	recommendedNoise = 1.0 / 3000
	// recommendedDense is the largest number of features for which Recommend chooses noise on every
	// weight at delta 0.
	recommendedDense = 5000
)

// Recommend returns the name of a method that suits a request, and the reason in words. It ignores
// the Method of the request. It uses only public numbers of the request and the schema, so it costs
// nothing. The rules come from measurements on the data sets of docs/methods.md.
func Recommend(r Request, s *data.Schema) (method, reason string, err error) {
	if math.IsInf(r.Epsilon, 1) {
		return option.MethodGD, "without privacy descent goes on to the minimum, on standardized columns", s.Validate()
	}
	if r.Delta == 0 {
		method, reason = recommendPure(r, s)
		return method, reason, nil
	}
	if !s.Target.Regression() {
		return option.MethodGD, "descent with noise in every step is the most accurate for levels at every epsilon that was measured", nil
	}
	share, ok := r.noiseOfProducts(s)
	switch {
	case !ok:
		return option.MethodGD, "sums of products are not for this loss or these features", nil
	case share <= recommendedNoise:
		return option.MethodSufficientStatistics, fmt.Sprintf("the noise on sums of products is %.2g of the largest sums, so one release fits the whole model", share), nil
	}
	return option.MethodGD, fmt.Sprintf("the noise on sums of products would be %.2g of the largest sums, more than %.2g", share, recommendedNoise), nil
}

// recommendPure chooses a method for delta 0, because normal noise has no guarantee there.
func recommendPure(r Request, s *data.Schema) (method, reason string) {
	if _, ok := r.noiseOfProducts(s); ok && s.Target.Regression() {
		return option.MethodSufficientStatistics, "delta is 0: sums of products can be released with Laplace noise, once"
	}
	r.Method = option.MethodFrankWolfe
	if setup, err := NewSetup(r, s); err == nil && setup.Plan.Dim > recommendedDense {
		return option.MethodFrankWolfe, fmt.Sprintf("delta is 0 and there are %d features: the noise of a chosen coordinate grows with their logarithm alone", setup.Plan.Dim)
	}
	return option.MethodOutput, "delta is 0: the minimizer can be released with noise that has one epsilon at every delta"
}

// noiseOfProducts returns the spectral norm of the noise on sums of products of a numeric target,
// divided by the largest norm of the sums. It also reports whether a plan for such sums exists. For
// Laplace noise it returns 0.
//
// The noise is a symmetric matrix of normal numbers, with standard deviation ν/√2 off the diagonal.
// Its norm is about ν·√(2·rows) (Wigner's semicircle distribution).
func (r Request) noiseOfProducts(s *data.Schema) (share float64, ok bool) {
	r.Method = option.MethodSufficientStatistics
	setup, err := NewSetup(r, s)
	if err != nil {
		return 0, false
	}
	p := setup.Plan
	if _, normal := p.linearNoise().(mechanism.Gaussian); !normal {
		return 0, true
	}
	return p.Linear.NoiseMultiplier * math.Sqrt(2*float64(p.Dim+p.Columns)) / p.records(), true
}
