package neural

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
)

// Clipping states how one record's gradient is bounded: by which rule, in which groups of
// parameters, and to which norms. Package internal/release verifies the bound of every group,
// whatever the rule proposes.
type Clipping struct {
	// Rule is the name of the clipping rule, such as "flat".
	Rule string `json:"rule"`
	// Groups are the parts of the gradient that are clipped and released separately, on the same
	// sample of records. A single group is the whole gradient.
	Groups []group `json:"groups"`
	// Stability is the constant in the denominator of rules that divide by norms. It has the unit
	// of a norm. It is 0 for other rules.
	Stability float64 `json:"stability,omitempty"`
	// Threshold is a parameter of the rules "global" and "global-adaptive". Gradients with a norm
	// up to the threshold are all scaled by the same factor. For the adaptive rule it is the
	// initial threshold. It is 0 for other rules.
	Threshold float64 `json:"threshold,omitempty"`
	refinements
}

// refinements holds the sections of the rules that adapt, estimate or average.
type refinements struct {
	// Adaptive describes how the level of adaptive rules follows from counts.
	Adaptive *adaptivity `json:"adaptive,omitempty"`
	// Projection describes how the rule "projected" estimates norms.
	Projection *projection `json:"projection,omitempty"`
	// MicroBatch, if not nil, makes means of several gradients the vectors that are clipped.
	MicroBatch *microBatch `json:"micro-batch,omitempty"`
}

// group is a part of the gradient: consecutive blocks of the network.
type group struct {
	// Blocks is the number of the network's blocks in the group.
	Blocks int `json:"blocks"`
	// Norm is the clipping norm. Under the rule that adapts it, it is the first norm.
	Norm float64 `json:"norm"`
	// Share is the share of 1/NoiseMultiplier² that the group's noise takes. All shares add up to
	// 1.
	Share float64 `json:"share"`
}

// adaptivity is the rule by which a norm follows a quantile of the norms of gradients (Andrew,
// Thakkar, McMahan & Ramaswamy, "Differentially Private Learning with Adaptive Clipping", NeurIPS
// 2021, https://arxiv.org/abs/1905.03871).
type adaptivity struct {
	// Quantile is the target share of gradients within the norm. Rate is the speed: every step
	// multiplies the norm by exp(-Rate·(share - Quantile)).
	Quantile float64 `json:"quantile"`
	Rate     float64 `json:"rate"`
	// Least and Most bound the norm.
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	// CountNoise is the standard deviation of the noise on each sum of b - ½ over the records. Here
	// b is 1 if a gradient is within the norm, else 0.
	CountNoise float64 `json:"count-noise"`
}

// microBatch describes clipping of means. The records of a step are dealt to Count groups, each
// record independently. The sum of a group's gradients divided by Size is clipped.
//
// One record moves the clipped vector of its group between any two points of the ball, so the bound
// is 2·Norm. Under replace-one, with labels that belong to places, one vector changes as well.
// Accountants double the bound under that relation and so charge twice the true movement.
//
// A bound of Norm would have a proof under that relation alone, which an event does not name. For
// samples it has no proof. The vector without the record may be at the edge of the ball, and the
// two records may be 0 and 2·Norm away from it. That differs from two steps of Norm from the
// middle.
//
// Size is declared, because the number of records in a group is private. With one group this is
// clipping after averaging.
type microBatch struct {
	Count int     `json:"count"`
	Size  float64 `json:"size"`
}

// bound returns the distance by which one record moves the sum of a group with this clipping norm.
func (c Clipping) bound(norm float64) float64 {
	if c.MicroBatch != nil {
		return 2 * norm
	}
	return norm
}

// noises returns the noise of each group, then the noise of the counts if there are any. The step
// costs as much as one Gaussian release of this multiplier, because 1/multiplier² adds up over
// joint releases (Dong, Roth & Su, "Gaussian Differential Privacy", JRSS-B 2022, corollary 3.3,
// https://arxiv.org/abs/1905.02383). It returns an error if the counts alone cost more.
func (c Clipping) noises(multiplier float64) ([]mechanism.Gaussian, error) {
	left := 1.0 // the rest of 1/multiplier² without the counts
	if c.Adaptive != nil {
		count := c.countNoise()
		left -= (multiplier / count) * (multiplier / count)
		if !(left > 0) {
			return nil, fmt.Errorf("neural: noise on counts is %v beside a noise multiplier of %.4g, want more than %.4g; the counts alone would cost more", c.Adaptive.CountNoise, multiplier, multiplier*c.countRadius())
		}
	}
	var out []mechanism.Gaussian
	for _, g := range c.Groups {
		z := multiplier
		if share := g.Share * left; share != 1 {
			z /= math.Sqrt(share)
		}
		out = append(out, mechanism.Gaussian{NoiseMultiplier: z})
	}
	if c.Adaptive != nil {
		out = append(out, mechanism.Gaussian{NoiseMultiplier: c.countNoise()})
	}
	return out, nil
}

// countRadius returns the norm of one record's counts: ½ for each group.
func (c Clipping) countRadius() float64 { return math.Sqrt(float64(len(c.Groups))) / 2 }

// countNoise returns the noise multiplier of the counts.
func (c Clipping) countNoise() float64 { return c.Adaptive.CountNoise / c.countRadius() }

// levels returns the levels of the first step, one for each group. A threshold of the whole
// gradient is shared among groups in proportion to their norms.
func (c Clipping) levels() []level {
	whole := c.norm()
	out := make([]level, len(c.Groups))
	for k, g := range c.Groups {
		out[k] = level{norm: g.Norm, threshold: c.Threshold * g.Norm / whole, stability: c.Stability}
	}
	return out
}

// norm returns the largest norm of a clipped gradient, all groups together.
func (c Clipping) norm() float64 {
	sum := 0.0
	for _, g := range c.Groups {
		sum = math.Hypot(sum, g.Norm)
	}
	return sum
}

// validate returns an error if the numbers of the clipping make no sense for a network with this
// number of blocks.
func (c Clipping) validate(blocks int) error {
	r, err := ruleOf(c.Rule)
	if err != nil {
		return err
	}
	if err = c.validateGroups(blocks); err != nil {
		return err
	}
	for name, p := range map[string]struct {
		needed bool
		value  float64
	}{"stability": {r.needs().stability, c.Stability}, "threshold": {r.needs().threshold, c.Threshold}} {
		if p.needed && !positive(p.value) || !p.needed && p.value != 0 {
			return fmt.Errorf("neural: %s is %v with clipping rule %s, want a positive finite number for a rule that has it and 0 otherwise", name, p.value, c.Rule)
		}
	}
	if r.needs().adaptive != (c.Adaptive != nil) {
		return fmt.Errorf("neural: clipping rule is %s and counts are released: %v, want them with the adaptive rules alone", c.Rule, c.Adaptive != nil)
	}
	if r.needs().projection != (c.Projection != nil) {
		return fmt.Errorf("neural: clipping rule is %s and norms are projected: %v, want that with the rule of this name alone", c.Rule, c.Projection != nil)
	}
	if err = c.Adaptive.validate(); err != nil {
		return err
	}
	if err = c.Projection.validate(c); err != nil {
		return err
	}
	return c.validateMicroBatch()
}

func (c Clipping) validateGroups(blocks int) error {
	covered, shares := 0, 0.0
	for k, g := range c.Groups {
		if g.Blocks < 1 || !positive(g.Norm) || !(g.Share > 0 && g.Share <= 1) {
			return fmt.Errorf("neural: group %d has %d blocks, clipping norm %v and share %v, want at least 1 block, a positive finite norm and a share of more than 0 and at most 1", k+1, g.Blocks, g.Norm, g.Share)
		}
		covered += g.Blocks
		shares += g.Share
	}
	if covered != blocks {
		return fmt.Errorf("neural: groups hold %d blocks, want all %d of the network", covered, blocks)
	}
	if !(math.Abs(shares-1) <= 1e-9) {
		return fmt.Errorf("neural: shares of the groups are %v together, want 1", shares)
	}
	return nil
}

func (a *adaptivity) validate() error {
	switch {
	case a == nil:
		return nil
	case !(a.Quantile > 0 && a.Quantile < 1) || !positive(a.Rate) || !positive(a.CountNoise):
		return fmt.Errorf("neural: quantile is %v, rate %v, noise on counts %v, want a quantile between 0 and 1 and positive finite numbers", a.Quantile, a.Rate, a.CountNoise)
	case !positive(a.Least) || !positive(a.Most) || a.Least > a.Most:
		return fmt.Errorf("neural: adaptive norms lie between %v and %v, want positive finite numbers in this order", a.Least, a.Most)
	}
	return nil
}

// maxMicroBatches bounds the number of clipped vectors of a step.
const maxMicroBatches = 1 << 20

func (c Clipping) validateMicroBatch() error {
	m := c.MicroBatch
	switch {
	case m == nil:
		return nil
	case m.Count < 1 || m.Count > maxMicroBatches || !positive(m.Size):
		return fmt.Errorf("neural: there are %d micro-batches of declared size %v, want 1 to %d and a positive finite size", m.Count, m.Size, maxMicroBatches)
	case len(c.Groups) != 1 || c.Adaptive != nil:
		return fmt.Errorf("neural: micro-batches are clipped in %d groups by rule %s, want the whole gradient by a rule that does not adapt", len(c.Groups), c.Rule)
	}
	return nil
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
