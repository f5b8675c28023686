package account

import (
	"math"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

const (
	courseSource = "course notes on private gradient descent"
	abadiSource  = "Abadi and others 2016, theorem 1, for an asymptotic bound, https://arxiv.org/abs/1607.00133"
)

// classic returns the ε of one normal release by √(2·log(1.25/δ))/σ, at sensitivity 1 (Dwork & Roth
// 2014, theorem 3.22, proved for ε < 1).
func classic(noise, delta float64) float64 { return math.Sqrt(2*math.Log(1.25/delta)) / noise }

// formulas returns the formulas for the whole event at delta.
func (b textbook) formulas() []formula {
	list := b.printed()
	switch {
	case b.noise > 0 && b.q == 1:
		list = append(list, b.normal()...)
		list = append(list, b.descent()...)
	case b.noise > 0:
		list = append(list, b.limit()...)
	}
	return append(list, b.asPoisson()...)
}

// printed returns the short forms of composition under sampling. Normal releases enter with the
// classic ε of one release. For strong composition it is at δ/(qT), and composition spends qT times
// that. For the moments accountant it is at δ, which is spent in all. Pure releases enter with
// their ε.
func (b textbook) printed() []formula {
	var strong, moments float64
	switch epsilon, pure := pureEpsilon(b.sampled, b.relation); {
	case b.steps == 1 && b.q == 1:
		return nil
	case b.noise > 0 && b.delta < b.q*b.steps:
		share := b.delta / (b.q * b.steps)
		strong = b.q * classic(b.noise, share) * math.Sqrt(b.steps*-math.Log(share))
		moments = b.q * classic(b.noise, b.delta) * math.Sqrt(b.steps)
	case pure:
		strong = b.q * epsilon * math.Sqrt(b.steps*-math.Log(b.delta))
		moments = b.q * epsilon * math.Sqrt(b.steps)
	default:
		return nil
	}
	return []formula{
		{name: "strong composition as printed", text: "(qε·√(T·log(1/δ)), qTδ)", epsilon: strong, source: courseSource},
		{name: "moments accountant as printed", text: "(qε·√T, δ)", epsilon: moments, source: abadiSource},
	}
}

// normal returns the formulas of the Gaussian mechanism. All releases are one release with noise
// over √T.
func (b textbook) normal() []formula {
	noise, log := b.noise/math.Sqrt(b.steps), math.Log(1.25/b.delta)
	usual := classic(noise, b.delta)
	return []formula{
		{
			name: "classic Gaussian", text: "σ = √(2·log(1.25/δ))/ε", epsilon: usual,
			proved: true, condition: "epsilon below 1", met: usual < 1, source: "Dwork & Roth 2014, theorem 3.22",
		},
		{
			name: "Gaussian without the root", text: "σ = 2·log(1.25/δ)/ε", epsilon: 2 * log / noise,
			proved: true, condition: "epsilon below √(2·log(1.25/δ))", met: usual < 1, source: courseSource,
		},
		{name: "Gaussian without the root, as a variance", text: "σ² = 2·log(1.25/δ)/ε", epsilon: 2 * log / (noise * noise), source: courseSource},
	}
}

// descent returns the theorems on full-batch gradient descent; n·σ/L and n·λ/C are the noise
// multiplier.
func (b textbook) descent() []formula {
	move := b.relation.Movement()
	z, log := b.noise*move, -math.Log(b.delta)
	root := 2 * math.Sqrt(b.steps*log) / z
	sum := 2 * b.steps * math.Sqrt(2*math.Log(2*b.steps/b.delta)) / z
	return []formula{
		{
			name: "gradient descent, one constant", text: "σ = 2L·√(T·log(1/δ))/(nε)", epsilon: root,
			// ρ = ε²/(8·log(1/δ)) and ρ + 2√(ρ·log(1/δ)) ≤ ε (Bun & Steinke 2016, proposition 1.3).
			proved: move == 1, condition: "epsilon up to 2.3·log(1/δ), one record added, removed or zeroed", met: root <= 2.3*log,
			source: courseSource,
		},
		{
			name: "gradient descent by sequential composition", text: "λ = 2CT·√(2·log(2T/δ))/(nε)", epsilon: sum,
			proved: true, condition: "epsilon up to 1", met: sum <= 1, source: courseSource,
		},
	}
}

// limit returns the central limit theorem of Gaussian differential privacy for Poisson samples.
func (b textbook) limit() []formula {
	if _, poisson := b.event.(mechanism.PoissonSampled); !poisson || b.relation == privacy.ReplaceOne {
		return nil
	}
	mu := b.q * math.Sqrt(b.steps*math.Expm1(1/(b.noise*b.noise)))
	return []formula{{
		name: "central limit of Gaussian privacy", text: "μ = q·√(T(e^(1/σ²)-1))", epsilon: epsilonOf(mu, b.delta),
		source: "Bu, Dong, Long & Su 2020, an approximation, https://arxiv.org/abs/1911.11607",
	}}
}

// asPoisson returns the cost that batches of fixed size seem to have when they are taken for
// Poisson samples under add-or-remove-one.
func (b textbook) asPoisson() []formula {
	w, fixed := b.event.(mechanism.WithoutReplacement)
	if !fixed {
		return nil
	}
	e := mechanism.Repeat{Event: mechanism.PoissonSampled{Probability: b.q, Event: w.Event}, Count: int(b.steps)}
	v, err := lossDistributions{}.Epsilon(e, b.delta, privacy.AddOrRemoveOne)
	if err != nil {
		return nil
	}
	return []formula{{name: "fixed batches taken for Poisson samples", text: "exact cost of Poisson samples, one record added or removed", epsilon: v.Upper, source: "common practice"}}
}

// amplification returns the formulas of one sampled release, from its cost without sampling at δ/q.
func (b textbook) amplification() []formula {
	if b.delta >= b.q {
		return nil
	}
	full, err := single(b.sampled, b.delta/b.q, b.relation)
	if err != nil {
		return nil
	}
	return []formula{
		{name: "amplification as printed, one release", text: "(qε, qδ)", epsilon: b.q * full, source: courseSource},
		{
			name: "amplification, one release", text: "(log(1+q(e^ε-1)), qδ)", epsilon: sampleEpsilon(full, b.q) * (1 + 1e-12), proved: true,
			source: "Balle, Barthe & Gaboardi 2018, theorems 8 and 9, https://arxiv.org/abs/1807.01647",
		},
	}
}

// statements appends the printed forms for statements of (ε, δ) with δ > 0. These forms have a
// delta of their own: Tδ for strong composition, δ for the moments accountant.
func (b textbook) statements(lines []TextbookLine, e mechanism.Event, exact func(mechanism.Event, float64) (Interval, error)) ([]TextbookLine, error) {
	d, ok := b.sampled.(mechanism.AssumedDP)
	if !ok || d.Delta == 0 || b.steps == 1 || b.steps*d.Delta >= 1 {
		return lines, nil
	}
	for _, c := range []struct {
		f     formula
		delta float64
	}{
		{formula{name: "strong composition as printed", text: "(ε·√(T·log(1/δ)), Tδ)", epsilon: d.Epsilon * math.Sqrt(b.steps*-math.Log(d.Delta)), source: courseSource}, b.steps * d.Delta},
		{formula{name: "moments accountant as printed", text: "(ε·√T, δ)", epsilon: d.Epsilon * math.Sqrt(b.steps), source: abadiSource}, d.Delta},
	} {
		v, err := exact(e, c.delta)
		if err != nil {
			return nil, err
		}
		lines = append(lines, c.f.judge(c.delta, v))
	}
	return lines, nil
}
