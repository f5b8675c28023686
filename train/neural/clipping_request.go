package neural

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/network"
)

// ClippingRequest contains the user's choices for clipping. The zero value clips the whole gradient
// to norm 1 by the rule "flat".
type ClippingRequest struct {
	// Rule is the name of a clipping rule, such as "auto-s" or "quantile". "" means "flat".
	Rule string
	// Norm is the largest L2 norm of the whole clipped gradient. 0 means 1.
	Norm float64
	// Groups divides the network's blocks of parameters into groups that are clipped separately. It
	// has the number of blocks in each group, in order. Nil means one group of all blocks.
	Groups []int
	// PerLayer makes one group for each layer. The group has all blocks of the layer.
	PerLayer bool
	// Norms are the clipping norms of the groups. Nil means Norm/√k for each of k groups.
	Norms []float64
	// Allocation selects how the noise is divided among the groups, at the same total cost. "even"
	// gives all groups the same noise multiplier. "isotropic" gives all parameters noise of the
	// same standard deviation. "dimension" minimizes the total variance of the noise. "" means
	// "even".
	Allocation string
	// Stability is the constant in the denominator of rules that divide by norms. 0 means 0.01
	// times the clipping norm, or 0.1 times the clipping norm for the rule "psac".
	Stability float64
	// Threshold is the threshold of the rules "global" and "global-adaptive". 0 means 10 times the
	// clipping norm.
	Threshold float64
	// Quantile, Rate and CountNoise are parameters of the adaptive rules. In these rules the
	// clipping norm or the threshold follows a quantile of the gradients' norms. Quantile selects
	// the quantile; 0 means 0.95 for the rule "global-adaptive" and otherwise 0.5. Rate is the
	// speed with which the quantile is followed; 0 means 0.2. CountNoise is the standard deviation
	// of the noise on counts of gradients. 0 means 1/20 of the expected batch size, but at least
	// twice the smallest valid value.
	Quantile, Rate, CountNoise float64
	// Projections is the number of random projections in the rule "projected". 0 means 20.
	Projections int
	// Cap bounds the norm of a clipped gradient in the rule "projected", as a multiple of the
	// clipping norm. 0 means 2.
	Cap float64
	// MicroBatch, if not 0, clips means of about this many gradients instead of single gradients.
	MicroBatch int
	// AfterAveraging clips the mean gradient of the whole batch instead of single gradients. It is
	// for demonstration only. One record can reverse the clipped mean, so the noise that protects a
	// record hides the whole mean.
	AfterAveraging bool
}

const (
	// defaultClippingNorm is the clipping norm of the whole gradient.
	defaultClippingNorm = 1.0
	// defaultStability is the stability of auto-s that its authors propose. defaultDamping is the
	// stability of psac.
	defaultStability, defaultDamping = 0.01, 0.1
	// defaultThreshold is the threshold of the global rules in units of the clipping norm.
	defaultThreshold = 10.0
	// defaultQuantile is the quantile that authors of adaptive clipping propose. A threshold should
	// cover nearly all gradients.
	defaultQuantile, defaultThresholdQuantile = 0.5, 0.95
	// adaptiveReach is the largest ratio of an adaptive norm to the first norm, in both directions.
	adaptiveReach = 1e6
)

// shareOf returns a number proportional to the share of 1/NoiseMultiplier² of a group with this
// norm and dimension. The noise of a group of norm C and share s has variance proportional to C²/s.
func shareOf(allocation string, norm float64, numbers int) (float64, error) {
	switch allocation {
	case option.AllocationEven, "":
		return 1, nil
	case option.AllocationIsotropic:
		return norm * norm, nil
	case option.AllocationDimension:
		return norm * math.Sqrt(float64(numbers)), nil
	}
	return 0, fmt.Errorf("neural: allocation is %q, want one of %v", allocation, option.Allocations())
}

// clipping returns the requested clipping for a network and an expected batch.
func (r ClippingRequest) clipping(n *network.Network, batch float64) (Clipping, error) {
	c := Clipping{Rule: r.Rule}
	if c.Rule == "" {
		c.Rule = flat{}.name()
	}
	used, err := ruleOf(c.Rule)
	if err != nil {
		return c, err
	}
	if c.Groups, err = r.groups(n.Blocks()); err != nil {
		return c, err
	}
	norm, needs := c.norm(), used.needs()
	c.Stability, c.Threshold = r.Stability, r.Threshold
	if needs.stability && c.Stability == 0 {
		c.Stability = defaultStability * norm
		if c.Rule == (psac{}).name() {
			c.Stability = defaultDamping * norm
		}
	}
	if needs.threshold && c.Threshold == 0 {
		c.Threshold = defaultThreshold * norm
	}
	if needs.adaptive {
		c.Adaptive = r.adaptive(c, batch)
	} else if r.Quantile != 0 || r.Rate != 0 || r.CountNoise != 0 {
		return c, fmt.Errorf("neural: quantile is %v, rate %v and noise on counts %v with clipping rule %s, want none; they belong to adaptive rules", r.Quantile, r.Rate, r.CountNoise, c.Rule)
	}
	if needs.projection {
		c.Projection = r.projection()
	} else if r.Projections != 0 || r.Cap != 0 {
		return c, fmt.Errorf("neural: projections are %d and the cap %v with clipping rule %s, want none; they belong to rule %s", r.Projections, r.Cap, c.Rule, projected{}.name())
	}
	c.MicroBatch, err = r.microBatch(batch)
	return c, err
}

// groups returns the groups of blocks with their norms and shares.
func (r ClippingRequest) groups(blocks []network.Block) ([]group, error) {
	counts, norm := r.Groups, r.Norm
	switch {
	case r.PerLayer && counts != nil:
		return nil, fmt.Errorf("neural: groups are %v and one for each layer as well, want one of them", counts)
	case r.PerLayer:
		counts = layers(blocks)
	case counts == nil:
		counts = []int{len(blocks)}
	}
	if norm == 0 {
		norm = defaultClippingNorm
	}
	if r.Norms != nil && (len(r.Norms) != len(counts) || r.Norm != 0) {
		return nil, fmt.Errorf("neural: there are %d norms for %d groups and a norm of all of %v, want a norm for each group and none of all", len(r.Norms), len(counts), r.Norm)
	}
	if !positive(norm) || slices.Min(append(slices.Clone(counts), 1)) < 1 {
		return nil, fmt.Errorf("neural: clipping norm is %v and groups have %v blocks, want a positive finite norm and at least 1 block each", norm, counts)
	}
	groups, total := make([]group, len(counts)), 0.0
	for k, count := range counts {
		if count > len(blocks) {
			return nil, fmt.Errorf("neural: groups have %v blocks, want those of the network", counts)
		}
		g := group{Blocks: count, Norm: norm / math.Sqrt(float64(len(counts)))}
		if r.Norms != nil {
			g.Norm = r.Norms[k]
		}
		var err error
		if g.Share, err = shareOf(r.Allocation, g.Norm, numbers(blocks[:count])); err != nil {
			return nil, err
		}
		blocks = blocks[count:]
		total += g.Share
		groups[k] = g
	}
	for k := range groups {
		groups[k].Share /= total
	}
	return groups, nil
}

// layers counts the blocks of each layer. Blocks of a layer are consecutive and share a prefix of
// their names.
func layers(blocks []network.Block) []int {
	var counts []int
	for i, b := range blocks {
		if i > 0 && layerOf(b) == layerOf(blocks[i-1]) {
			counts[len(counts)-1]++
			continue
		}
		counts = append(counts, 1)
	}
	return counts
}

// layerOf returns the name of a block's layer: the part before the last full stop.
func layerOf(b network.Block) string {
	for i := len(b.Name) - 1; i >= 0; i-- {
		if b.Name[i] == '.' {
			return b.Name[:i]
		}
	}
	return b.Name
}

func numbers(blocks []network.Block) int {
	sum := 0
	for _, b := range blocks {
		sum += b.Numbers()
	}
	return sum
}

// adaptive returns the rule by which the level follows counts out of batches of this expected size.
func (r ClippingRequest) adaptive(c Clipping, batch float64) *adaptivity {
	a := &adaptivity{Quantile: r.Quantile, Rate: r.Rate, CountNoise: r.CountNoise}
	first, quantile := c.Groups[0].Norm, defaultQuantile
	if c.Threshold > 0 {
		first, quantile = c.Threshold, defaultThresholdQuantile
	}
	if a.Quantile == 0 {
		a.Quantile = quantile
	}
	if a.Rate == 0 {
		a.Rate = option.DefaultRate
	}
	if a.CountNoise == 0 {
		a.CountNoise = max(1, batch/20)
	}
	a.Least, a.Most = first/adaptiveReach, first*adaptiveReach
	return a
}

// projection returns the numbers by which norms are estimated.
func (r ClippingRequest) projection() *projection {
	p := &projection{Directions: r.Projections, Cap: r.Cap}
	if p.Directions == 0 {
		p.Directions = option.DefaultProjections
	}
	if p.Cap == 0 {
		p.Cap = option.DefaultCap
	}
	return p
}

// microBatch returns the division of batches of this expected size.
func (r ClippingRequest) microBatch(batch float64) (*microBatch, error) {
	switch {
	case r.AfterAveraging && r.MicroBatch != 0 || r.MicroBatch < 0:
		return nil, fmt.Errorf("neural: micro-batches are of %d records and clipping is after averaging: %v, want one of them", r.MicroBatch, r.AfterAveraging)
	case r.AfterAveraging:
		return &microBatch{Count: 1, Size: batch}, nil
	case r.MicroBatch > 0:
		return &microBatch{Count: max(1, int(math.Round(batch/float64(r.MicroBatch)))), Size: float64(r.MicroBatch)}, nil
	}
	return nil, nil
}
