package dynamics

import (
	"math"
	"slices"
	"sort"
)

// Norms are the norms of the records' gradients in one part of the parameters.
type Norms struct {
	// Part is the name of the part.
	Part string `json:"part"`
	// Quantiles holds, for each of NormQuantiles, the least norm that at least this share of the
	// records does not exceed.
	Quantiles []float64 `json:"quantiles"`
	// Edges and Counts are a histogram: Counts[i] norms are from Edges[i] up to Edges[i+1]. There
	// are six edges for each power of 10. The first edge is 0 if some norms are 0 or below a
	// millionth of the largest.
	Edges  []float64 `json:"edges"`
	Counts []int     `json:"counts"`

	sorted []float64
}

// normQuantiles are the shares at which norms are listed.
var normQuantiles = [...]float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1}

// NormQuantiles returns the shares of Norms.Quantiles.
func NormQuantiles() []float64 { return slices.Clone(normQuantiles[:]) }

// NewNorms returns the description of a list of norms without NaN. The list must hold at least one.
func NewNorms(part string, norms []float64) Norms {
	n := Norms{Part: part, sorted: slices.Sorted(slices.Values(norms))}
	for _, share := range normQuantiles {
		n.Quantiles = append(n.Quantiles, n.Quantile(share))
	}
	largest := n.sorted[len(n.sorted)-1]
	first, last := 0, bin(largest)
	for first < len(n.sorted) && n.sorted[first] < largest*1e-6 {
		first++
	}
	if first > 0 || largest == 0 {
		n.Edges = append(n.Edges, 0)
	}
	if largest > 0 {
		for b := bin(n.sorted[first]); b <= last+1; b++ {
			n.Edges = append(n.Edges, edge(b))
		}
	}
	n.Counts = make([]int, max(1, len(n.Edges)-1))
	for _, v := range n.sorted {
		at, exact := slices.BinarySearch(n.Edges, v)
		if !exact {
			at--
		}
		n.Counts[min(at, len(n.Counts)-1)]++
	}
	return n
}

// binsPerDecade is the number of bins between a number and ten times that number.
const binsPerDecade = 6

// edge returns the lower edge of a bin: 10^(b/binsPerDecade).
func edge(b int) float64 { return math.Pow(10, float64(b)/binsPerDecade) }

// bin returns the bin b with edge(b) ≤ v < edge(b+1), for v > 0.
func bin(v float64) int {
	if v == 0 {
		return 0
	}
	b := int(math.Floor(binsPerDecade * math.Log10(v)))
	for edge(b) > v {
		b--
	}
	for edge(b+1) <= v {
		b++
	}
	return b
}

// Quantile returns the least norm that at least a share of the records does not exceed.
func (n Norms) Quantile(share float64) float64 {
	at := int(math.Ceil(share*float64(len(n.sorted)))) - 1
	return n.sorted[min(max(at, 0), len(n.sorted)-1)]
}

// Clipped returns the share of the records whose norm is larger than a clipping norm.
func (n Norms) Clipped(norm float64) float64 {
	at := sort.Search(len(n.sorted), func(i int) bool { return n.sorted[i] > norm })
	return float64(len(n.sorted)-at) / float64(len(n.sorted))
}

// GradientNorms returns the norm of each record's gradient at the problem's weights: first of the
// whole, then of each group. A group has this number of blocks.
func GradientNorms(p Problem, groups []int) ([][]float64, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.checkGroups(groups); err != nil {
		return nil, err
	}
	out := make([][]float64, len(groups)+1)
	in := p.Network.Input().Size()
	for first := 0; first < len(p.Labels); first += normRecords {
		end := min(first+normRecords, len(p.Labels))
		part := p
		part.Inputs, part.Labels = p.Inputs[first*in:end*in], p.Labels[first:end]
		w := newPass(part)
		w.at(p.Weights)
		for i := range part.Labels {
			block := 0
			for r, count := range groups {
				out[r+1] = append(out[r+1], math.Sqrt(w.square(i, block, block+count)))
				block += count
			}
			out[0] = append(out[0], math.Sqrt(w.square(i, 0, block)))
		}
	}
	return out, nil
}

// normRecords is the number of records in one pass.
const normRecords = 64
