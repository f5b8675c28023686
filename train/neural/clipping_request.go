package neural

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/network"
)

// ClippingRequest asks for a clipping. The zero value is flat clipping of the whole gradient to
// DefaultClippingNorm.
type ClippingRequest struct {
	// Rule is one of Rules; "" means flat.
	Rule string
	// Norm is the clipping norm of the whole gradient; 0 means DefaultClippingNorm.
	Norm float64
	// Groups is the number of blocks of the network in each group, in order; nil is one group of all. PerLayer
	// makes a group of the blocks of each layer.
	Groups   []int
	PerLayer bool
	// Norms are the clipping norms of the groups; nil divides Norm evenly: Norm/√groups each.
	Norms []float64
	// Allocation divides the noise among groups; "" means AllocationEven.
	Allocation Allocation
	// Stability of the rules that have it; 0 means DefaultStability times the norm, or for psac DefaultDamping
	// times it.
	Stability float64
	// Threshold of the global rules; 0 means DefaultThreshold times the norm.
	Threshold float64
	// Quantile, Rate and CountNoise of the adaptive rules. For Quantile 0 means DefaultQuantile, or
	// DefaultThresholdQuantile for a threshold; for Rate it means DefaultRate. For CountNoise it
	// means a twentieth of the expected batch, but at least twice what the counts need.
	Quantile, Rate, CountNoise float64
	// Projections and Cap are those of the rule projected; 0 means DefaultProjections and DefaultCap.
	Projections int
	Cap         float64
	// MicroBatch, if not 0, clips means of about this many records instead of each record's
	// gradient.
	MicroBatch int
	// AfterAveraging clips the mean over the whole batch: one micro-batch. It is here to be seen: its noise hides
	// everything, because one record can turn the clipped mean around.
	AfterAveraging bool
}

const (
	// defaultClippingNorm is the clipping norm of the whole gradient.
	defaultClippingNorm = 1.0
	// defaultStability is the stability of auto-s, as its authors propose, defaultDamping that of psac.
	defaultStability, defaultDamping = 0.01, 0.1
	// defaultThreshold is the threshold of the global rules in units of the clipping norm.
	defaultThreshold = 10.0
	// defaultQuantile is what authors of adaptive clipping propose; a threshold is to hold nearly all.
	defaultQuantile, defaultThresholdQuantile = 0.5, 0.95
	// DefaultRate is how fast an adaptive norm moves, as its authors propose.
	DefaultRate = 0.2
	// DefaultProjections and DefaultCap are how the rule projected estimates norms, and how many clipping norms a
	// clipped gradient may have.
	DefaultProjections, DefaultCap = 20, 2.0
	// adaptiveReach is how far an adaptive norm may go from the first one, to both sides.
	adaptiveReach = 1e6
)

// Allocation names a way to divide the noise among groups of parameters, at the same cost.
type Allocation string

const (
	// AllocationEven takes the same noise multiplier for every group: each has the same share of the cost.
	AllocationEven Allocation = "even"
	// AllocationIsotropic takes the same noise on every number.
	AllocationIsotropic Allocation = "isotropic"
	// AllocationDimension takes the least noise in all numbers together: the variance of each of the d_k numbers of
	// group k is proportional to C_k/√d_k. (Minimize Σ d_k·ν_k² where Σ C_k²/ν_k² is fixed.)
	AllocationDimension Allocation = "dimension"
)

// Allocations lists the ways to divide noise.
func Allocations() []Allocation {
	return []Allocation{AllocationEven, AllocationIsotropic, AllocationDimension}
}

// share is proportional to the share of 1/NoiseMultiplier² of a group with this norm and this many
// numbers. The noise of a group of norm C and share s has variance proportional to C²/s.
func (a Allocation) share(norm float64, numbers int) (float64, error) {
	switch a {
	case AllocationEven, "":
		return 1, nil
	case AllocationIsotropic:
		return norm * norm, nil
	case AllocationDimension:
		return norm * math.Sqrt(float64(numbers)), nil
	}
	return 0, fmt.Errorf("neural: allocation is %q, want one of %v", a, Allocations())
}

// clipping is what a request asks for, for a network and an expected batch.
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

// groups are the groups of blocks with their norms and shares.
func (r ClippingRequest) groups(blocks []network.Block) ([]Group, error) {
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
	groups, total := make([]Group, len(counts)), 0.0
	for k, count := range counts {
		if count > len(blocks) {
			return nil, fmt.Errorf("neural: groups have %v blocks, want those of the network", counts)
		}
		g := Group{Blocks: count, Norm: norm / math.Sqrt(float64(len(counts)))}
		if r.Norms != nil {
			g.Norm = r.Norms[k]
		}
		var err error
		if g.Share, err = r.Allocation.share(g.Norm, numbers(blocks[:count])); err != nil {
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

// layers counts the blocks of each layer, which stand together and have names that begin alike.
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

// layerOf is the name of a block's layer: what stands before the last full stop.
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

// adaptive says how the level follows counts out of batches of this expected size.
func (r ClippingRequest) adaptive(c Clipping, batch float64) *Adaptive {
	a := &Adaptive{Quantile: r.Quantile, Rate: r.Rate, CountNoise: r.CountNoise}
	first, quantile := c.Groups[0].Norm, defaultQuantile
	if c.Threshold > 0 {
		first, quantile = c.Threshold, defaultThresholdQuantile
	}
	if a.Quantile == 0 {
		a.Quantile = quantile
	}
	if a.Rate == 0 {
		a.Rate = DefaultRate
	}
	if a.CountNoise == 0 {
		a.CountNoise = max(1, batch/20)
	}
	a.Least, a.Most = first/adaptiveReach, first*adaptiveReach
	return a
}

// projection is how norms are estimated.
func (r ClippingRequest) projection() *Projection {
	p := &Projection{Directions: r.Projections, Cap: r.Cap}
	if p.Directions == 0 {
		p.Directions = DefaultProjections
	}
	if p.Cap == 0 {
		p.Cap = DefaultCap
	}
	return p
}

// microBatch is the division of batches of this expected size.
func (r ClippingRequest) microBatch(batch float64) (*MicroBatch, error) {
	switch {
	case r.AfterAveraging && r.MicroBatch != 0 || r.MicroBatch < 0:
		return nil, fmt.Errorf("neural: micro-batches are of %d records and clipping is after averaging: %v, want one of them", r.MicroBatch, r.AfterAveraging)
	case r.AfterAveraging:
		return &MicroBatch{Count: 1, Size: batch}, nil
	case r.MicroBatch > 0:
		return &MicroBatch{Count: max(1, int(math.Round(batch/float64(r.MicroBatch)))), Size: float64(r.MicroBatch)}, nil
	}
	return nil, nil
}
