package mechanism

import "github.com/ditherml/dither/privacy"

// WithReplacement is an event on Batch independent uniform draws from Records records. A record
// that is drawn m times moves the sum by up to m times the bound on one record. Event is a Gaussian
// or a sequence of Gaussians. There is a proof under replace-one.
type WithReplacement struct {
	Records, Batch int
	Event          Event
}

// TruncatedPoisson is an event on a Poisson sample of at most MaxBatch records. Each of at most
// Records records is drawn with Probability. If more than MaxBatch are drawn, a uniformly random
// MaxBatch of them are kept. So the size of a batch can be limited in advance. Under
// add-or-remove-one the larger neighbor has at most Records records. Event is a Gaussian or a
// sequence of Gaussians.
type TruncatedPoisson struct {
	Probability       float64
	Records, MaxBatch int
	Event             Event
}

// AdaptiveClipping is the pair of releases in one step of adaptive quantile clipping. The first is
// the sum of clipped gradients, with noise of standard deviation NoiseMultiplier times the clipping
// norm. The second is the sum of b-½ over the records, with noise of standard deviation CountNoise.
// Here b is 1 if the record's gradient is within the clipping norm, else 0. The pair costs as much
// as one Gaussian of multiplier (NoiseMultiplier^-2 + (2·CountNoise)^-2)^(-1/2).
//
// Source: Andrew, Thakkar, McMahan & Ramaswamy, "Differentially Private Learning with Adaptive
// Clipping", NeurIPS 2021, theorem 1, https://arxiv.org/abs/1905.03871.
type AdaptiveClipping struct{ NoiseMultiplier, CountNoise float64 }

// JLClipping is the release of a sum of gradients that are clipped by estimated norms. A norm is
// estimated from r = Projections public normal projections. The noise has a standard deviation of
// NoiseMultiplier times the clipping norm. A clipped gradient may be longer than the clipping norm,
// by a factor distributed as √(r/χ²_r). Cap is a separate bound on that factor; without a cap the
// factor has no bound. Probability is the probability of a record in a Poisson sample; 1 means
// every record.
//
// Source: Bu, Gopi, Kulkarni, Lee, Shen & Tantipongpipat, "Fast and Memory Efficient Differentially
// Private-SGD via JL Projections", NeurIPS 2021, https://arxiv.org/abs/2102.03013.
type JLClipping struct {
	NoiseMultiplier float64
	Projections     int
	Cap             float64
	Probability     float64
}

// MixtureOfGaussians is a Gaussian release with a random sensitivity. The protected unit moves the
// sum by one of Sensitivities, in units of one record's bound, each with its probability. An
// example is a person with several records in a Poisson sample (Ganesh, "Tight Group-Level DP
// Guarantees for DP-SGD with Sampling via Mixture of Gaussians Mechanisms", 2024,
// https://arxiv.org/abs/2401.10294).
type MixtureOfGaussians struct {
	NoiseMultiplier float64
	Sensitivities   []float64
	Probabilities   []float64
}

// String returns text such as "with-replacement(60000, 256, gaussian(1.1))".
func (w WithReplacement) String() string {
	return call("with-replacement", w.Records, w.Batch, w.Event)
}

// String returns text such as "truncated-poisson(0.01, 10000, 150, gaussian(1.1))".
func (t TruncatedPoisson) String() string {
	return call("truncated-poisson", t.Probability, t.Records, t.MaxBatch, t.Event)
}

// String returns text such as "adaptive-clipping(1.1, 12.8)".
func (a AdaptiveClipping) String() string {
	return call("adaptive-clipping", a.NoiseMultiplier, a.CountNoise)
}

// String returns text such as "jl-clipping(4, 20, 2, 0.01)": noise multiplier, projections, cap,
// probability.
func (j JLClipping) String() string {
	return call("jl-clipping", j.NoiseMultiplier, j.Projections, j.Cap, j.Probability)
}

// String returns text such as "mixture-of-gaussians(1, 0, 0.99, 1, 0.01)": noise multiplier, then
// each sensitivity and its probability.
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
