package mechanism

import "github.com/ditherml/dither/privacy"

// WithReplacement is an event on a fresh sample with replacement. The records of the sample are
// drawn independently and uniformly from all records. The field Batch is the number of draws. A
// record that is drawn m times moves the sum by up to m times the bound on one record's
// contribution. Event is a Gaussian or a sequence of Gaussians. The cost has a proof only under
// replace-one.
type WithReplacement struct {
	// Records is the number of records. Batch is the number of draws.
	Records, Batch int
	// Event is the event on the drawn records.
	Event Event
}

// TruncatedPoisson is an event on a Poisson sample of at most MaxBatch records. Each record is
// drawn independently, with the probability in the field Probability. If more than MaxBatch records
// are drawn, a uniformly random choice of MaxBatch of them is kept. The data set has at most
// Records records. Under add-or-remove-one this holds for the larger of two neighbors. Event is a
// Gaussian or a sequence of Gaussians.
type TruncatedPoisson struct {
	// Probability is the probability that a record is drawn.
	Probability float64
	// Records is the maximum number of records in the data set. MaxBatch is the maximum number of
	// records in the sample.
	Records, MaxBatch int
	// Event is the event on the sample.
	Event Event
}

// AdaptiveClipping is the pair of releases in one step of adaptive quantile clipping. The first
// release is the sum of clipped gradients, with noise of standard deviation NoiseMultiplier times
// the clipping norm. The second release is the sum of b-½ over the records, with noise of standard
// deviation CountNoise. Here b is 1 if the norm of the record's gradient is at most the clipping
// norm, else 0. The pair costs as much as one Gaussian with the noise multiplier
// (NoiseMultiplier^-2 + (2·CountNoise)^-2)^(-1/2).
//
// Source: Andrew, Thakkar, McMahan & Ramaswamy, "Differentially Private Learning with Adaptive
// Clipping", NeurIPS 2021, theorem 1, https://arxiv.org/abs/1905.03871.
type AdaptiveClipping struct{ NoiseMultiplier, CountNoise float64 }

// JLClipping is the release of a sum of gradients that are clipped by estimated norms. The norm of
// a gradient is estimated from r = Projections public random projections. So the norm of a clipped
// gradient may exceed the clipping norm by a factor. The factor is distributed as √(r/χ²_r), where
// χ²_r is chi-squared with r degrees of freedom, and is at most Cap. The noise has a standard
// deviation of NoiseMultiplier times the clipping norm.
//
// Source: Bu, Gopi, Kulkarni, Lee, Shen & Tantipongpipat, "Fast and Memory Efficient Differentially
// Private-SGD via JL Projections", NeurIPS 2021, https://arxiv.org/abs/2102.03013.
type JLClipping struct {
	// NoiseMultiplier is the standard deviation of the noise divided by the clipping norm.
	NoiseMultiplier float64
	// Projections is the number of random projections from which a norm is estimated.
	Projections int
	// Cap is an upper bound on the norm of a clipped gradient, divided by the clipping norm.
	// Clipping by an estimated norm does not imply any such bound, so the cap must be enforced
	// separately.
	Cap float64
	// Probability is the probability that a record is in the Poisson sample. 1 means that every
	// record is used.
	Probability float64
}

// MixtureOfGaussians is a Gaussian release with a random sensitivity. The protected unit moves the
// sum by a random distance, which is Sensitivities[i] with probability Probabilities[i]. An example
// is a person with several records in a Poisson sample (Ganesh, "Tight Group-Level DP Guarantees
// for DP-SGD with Sampling via Mixture of Gaussians Mechanisms", 2024,
// https://arxiv.org/abs/2401.10294).
type MixtureOfGaussians struct {
	// NoiseMultiplier is the standard deviation of the noise divided by the bound on one record's
	// contribution.
	NoiseMultiplier float64
	// Sensitivities are possible distances by which the protected unit moves the sum. They are in
	// units of the bound on one record's contribution.
	Sensitivities []float64
	// Probabilities has the probability of each distance in Sensitivities.
	Probabilities []float64
}

// String returns text such as "with-replacement(60000, 256, gaussian(1.1))". The arguments are the
// number of records, the number of draws and the event.
func (w WithReplacement) String() string {
	return call("with-replacement", w.Records, w.Batch, w.Event)
}

// String returns text such as "truncated-poisson(0.01, 10000, 150, gaussian(1.1))". The arguments
// are the probability, the maximum number of records, the maximum size of the sample and the event.
func (t TruncatedPoisson) String() string {
	return call("truncated-poisson", t.Probability, t.Records, t.MaxBatch, t.Event)
}

// String returns text such as "adaptive-clipping(1.1, 12.8)". The arguments are the noise
// multiplier and the standard deviation of the noise of the count.
func (a AdaptiveClipping) String() string {
	return call("adaptive-clipping", a.NoiseMultiplier, a.CountNoise)
}

// String returns text such as "jl-clipping(4, 20, 2, 0.01)". The arguments are the noise
// multiplier, the number of projections, the cap and the probability.
func (j JLClipping) String() string {
	return call("jl-clipping", j.NoiseMultiplier, j.Projections, j.Cap, j.Probability)
}

// String returns text such as "mixture-of-gaussians(1, 0, 0.99, 1, 0.01)". The first argument is
// the noise multiplier. Each sensitivity and its probability follow.
func (m MixtureOfGaussians) String() string {
	arguments := []any{m.NoiseMultiplier}
	for i, s := range m.Sensitivities {
		arguments = append(arguments, s)
		if i < len(m.Probabilities) {
			arguments = append(arguments, m.Probabilities[i])
		}
	}
	return call("mixture-of-gaussians", arguments...)
}

func (w WithReplacement) check() error {
	if w.Records < 1 {
		return wrong("number of records", w, w.Records, "at least 1")
	}
	if w.Batch < 1 {
		return wrong("batch", w, w.Batch, "at least 1")
	}
	return checkJoined(w, w.Event)
}

func (t TruncatedPoisson) check() error {
	if !(t.Probability > 0 && t.Probability < 1) {
		return wrong("sampling probability", t, t.Probability, "more than 0 and less than 1")
	}
	if t.Records < 1 {
		return wrong("number of records", t, t.Records, "at least 1")
	}
	if t.MaxBatch < 1 {
		return wrong("largest batch", t, t.MaxBatch, "at least 1")
	}
	if _, open := t.Event.(NonPrivate); open {
		return nil
	}
	return checkJoined(t, t.Event)
}

func (a AdaptiveClipping) check() error {
	if err := checkPositive("noise multiplier", a, a.NoiseMultiplier); err != nil {
		return err
	}
	return checkPositive("count noise", a, a.CountNoise)
}

func (j JLClipping) check() error {
	if err := checkPositive("noise multiplier", j, j.NoiseMultiplier); err != nil {
		return err
	}
	if j.Projections < 1 || j.Projections > 1<<20 {
		return wrong("number of projections", j, j.Projections, "1 to 2^20")
	}
	if !(j.Probability > 0 && j.Probability <= 1) {
		return wrong("sampling probability", j, j.Probability, "more than 0 and at most 1")
	}
	return checkPositive("cap", j, j.Cap)
}

func (m MixtureOfGaussians) check() error {
	if err := checkPositive("noise multiplier", m, m.NoiseMultiplier); err != nil {
		return err
	}
	if len(m.Sensitivities) == 0 || len(m.Probabilities) != len(m.Sensitivities) {
		return wrong("number of sensitivities", m, len(m.Sensitivities), "at least 1, each with a probability")
	}
	total := 0.0
	for i, s := range m.Sensitivities {
		if !(s >= 0) || s > 1e9 {
			return wrong("sensitivity", m, s, "0 to 1e9")
		}
		if p := m.Probabilities[i]; !(p >= 0 && p <= 1) {
			return wrong("probability", m, p, "0 to 1")
		}
		total += m.Probabilities[i]
	}
	if !(total > 1-1e-9 && total < 1+1e-9) {
		return wrong("sum of probabilities", m, total, "1")
	}
	return nil
}

func (WithReplacement) unproved(n privacy.Neighboring) string {
	return onlyUnder(n, privacy.ReplaceOne)
}
func (AdaptiveClipping) unproved(privacy.Neighboring) string { return "" }

func (TruncatedPoisson) unproved(privacy.Neighboring) string { return "" }

func (JLClipping) unproved(n privacy.Neighboring) string {
	return onlyUnder(n, privacy.AddOrRemoveOne, privacy.ZeroOut)
}

func (MixtureOfGaussians) unproved(n privacy.Neighboring) string {
	return onlyUnder(n, privacy.AddOrRemoveOne, privacy.ZeroOut)
}

func (w WithReplacement) parts() []Event  { return []Event{w.Event} }
func (t TruncatedPoisson) parts() []Event { return []Event{t.Event} }
func (AdaptiveClipping) parts() []Event   { return nil }
func (JLClipping) parts() []Event         { return nil }
func (MixtureOfGaussians) parts() []Event { return nil }
