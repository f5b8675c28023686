package neural

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// Correlated describes noise that is correlated between steps, so that it partly cancels over the
// steps (DP-FTRL). Gradient descent moves along the sum of the released gradients. At the same
// cost, the noise in that sum is far smaller than with independent noise. The records are divided
// into parts, and each step uses the next part. A round is one step for each part.
type Correlated struct {
	// Kind is the form of the correlation. "banded" correlates the noise of the steps within a
	// round by a banded matrix. "tree" sums the gradients of a round by a binary tree of noisy
	// sums.
	Kind string `json:"kind"`
	// Coefficients are the first column of the banded matrix, from the diagonal down. They affect
	// how much noise cancels, but not the cost. There are at most as many coefficients as parts.
	// They are nil for "tree".
	Coefficients []int64 `json:"coefficients,omitempty"`
}

// correlated returns the requested correlation for steps that go round this number of parts.
func (r Request) correlated(parts int) (*Correlated, error) {
	if r.Correlation == "" {
		if r.BandMomentum != 0 || r.Bands != 0 {
			return nil, fmt.Errorf("neural: correlated noise has momentum %v and %d bands without a kind, want one of %v", r.BandMomentum, r.Bands, option.CorrelatedKinds())
		}
		return nil, nil
	}
	out := &Correlated{Kind: r.Correlation}
	if r.Correlation != option.CorrelatedBanded {
		return out, nil
	}
	momentum, bands, most := Options{Momentum: r.BandMomentum}.momentum(), r.Bands, max(1, min(parts, maxBands))
	if bands == 0 {
		bands = most
	}
	if !(momentum < 1) || bands < 1 || bands > most {
		return nil, fmt.Errorf("neural: correlated noise is for momentum %v with %d bands, want less than 1, and 1 to %d bands, as many as there are parts", momentum, bands, most)
	}
	out.Coefficients = squareRoot(bands, momentum)
	return out, nil
}

// maxBands bounds the default number of bands. Each band keeps one number for every number of the
// network.
const maxBands = 64

// coefficientScale is the first coefficient. The others are rounded to integers on this scale.
const coefficientScale = 1 << 12

// squareRoot returns the first coefficients of ((1-x)·(1-βx))^(-1/2), times coefficientScale and
// rounded. They are the square root of the matrix that adds up steps with momentum β (Kalinin &
// Lampert, "Banded Square Root Matrix Factorization for Differentially Private Model Training",
// NeurIPS 2024, theorem 1, https://arxiv.org/abs/2405.13763). With r_k = (2k choose k)/4^k,
// coefficient k is Σ_j r_j·r_(k-j)·β^(k-j). The coefficients never rise.
func squareRoot(bands int, momentum float64) []int64 {
	r, decayed := make([]float64, bands), make([]float64, bands)
	r[0], decayed[0] = 1, 1
	for k := 1; k < bands; k++ {
		ratio := 1 - 1/float64(2*k)
		r[k], decayed[k] = r[k-1]*ratio, decayed[k-1]*ratio*momentum
	}
	out := make([]int64, bands)
	for k := range out {
		sum := 0.0
		for j := range k + 1 {
			sum += r[j] * decayed[k-j]
		}
		out[k] = int64(math.Round(sum * coefficientScale))
	}
	return out
}

// checkSeries returns the error with which the plan's series would be refused before payment.
func (p Plan) checkSeries() error {
	if p.Correlated == nil {
		return nil
	}
	options, err := p.seriesOptions(p.NoiseMultiplier)
	if err != nil {
		return err
	}
	event, _ := p.series(p.NoiseMultiplier, p.Steps)
	return release.CheckSeries(event, options)
}

// series returns the event of a series, and the number of series in a run with this number of
// steps.
func (p Plan) series(multiplier float64, steps int) (mechanism.Event, int) {
	if p.Correlated.Kind == option.CorrelatedTree {
		return mechanism.TreeAggregation{NoiseMultiplier: multiplier, Steps: p.Sampling.Parts}, p.rounds(steps)
	}
	probability := 1.0
	if p.Sampling.Kind == option.SamplingCyclic {
		probability = p.Sampling.Probability
	}
	return mechanism.BandedMatrix{NoiseMultiplier: multiplier, Bands: p.Sampling.Parts, Steps: steps, Probability: probability}, 1
}

// seriesOptions returns the public numbers of the plan's series. The sums of a step share the noise
// multiplier as without correlation.
func (p Plan) seriesOptions(multiplier float64) (release.SeriesOptions, error) {
	noises, err := p.Clipping.noises(multiplier)
	if err != nil {
		return release.SeriesOptions{}, err
	}
	multipliers := make([]float64, len(noises))
	for k, n := range noises {
		multipliers[k] = n.NoiseMultiplier
	}
	return release.SeriesOptions{Coefficients: p.Correlated.Coefficients, NoiseMultipliers: multipliers, MaxRecords: p.MaxRecords}, nil
}

// openSeries pays for the series of the next step.
func (r *run) openSeries() (*release.Series, error) {
	event, _ := r.Plan.series(r.Plan.NoiseMultiplier, r.Plan.Steps-r.Plan.kept())
	options, err := r.Plan.seriesOptions(r.Plan.NoiseMultiplier)
	if err != nil {
		return nil, err
	}
	return release.OpenSeries(r.payer, event, r.samples.slots, options)
}

// releaseCorrelated is release within a series, which it opens at the series' first step.
func (r *run) releaseCorrelated() ([]release.Noisy, error) {
	left := (r.taken - r.Plan.kept()) % r.Plan.Sampling.Parts
	if r.series == nil || r.Plan.Correlated.Kind == option.CorrelatedTree && left == 0 {
		var err error
		if r.series, err = r.openSeries(); err != nil {
			return nil, err
		}
		for k := range r.noises {
			r.noises[k] = r.series.Noise(k)
		}
	}
	sample, err := r.series.Draw()
	if err != nil {
		return nil, err
	}
	sealed, err := r.gather(sample)
	if err != nil {
		return nil, err
	}
	return r.series.Release(sealed...)
}

// draws returns how many numbers a series of this number of steps draws for each trained number. A
// tree draws one for each node, fewer than two a step.
func (c *Correlated) draws(steps int) int {
	if c != nil && c.Kind == option.CorrelatedTree {
		return 2 * steps
	}
	return steps
}

// validateCorrelated refuses correlated noise with settings that have no proof here.
func (p Plan) validateCorrelated() error {
	c := p.Correlated
	if c == nil {
		return nil
	}
	samplings := []string{option.SamplingPartition, option.SamplingCyclic}
	if c.Kind == option.CorrelatedTree {
		samplings = []string{option.SamplingShuffle}
	}
	switch {
	case !slices.Contains(option.CorrelatedKinds(), c.Kind):
		return fmt.Errorf("neural: correlated noise is %q, want one of %v", c.Kind, option.CorrelatedKinds())
	case p.NonPrivate:
		return fmt.Errorf("neural: correlated noise is %s in a plan without privacy, want none", c.Kind)
	case !slices.Contains(samplings, p.Sampling.Kind):
		return fmt.Errorf("neural: sampling is %s with correlated noise %s, want one of %v, so that a record takes part once a round", p.Sampling.Kind, c.Kind, samplings)
	case p.Clipping.Projection != nil:
		return fmt.Errorf("neural: clipping rule is %s with correlated noise %s, want a rule that knows norms", p.Clipping.Rule, c.Kind)
	}
	return nil
}
