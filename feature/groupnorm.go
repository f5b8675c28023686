package feature

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/encoder"
)

// groupNormVariance is added to the variance of a group, so that a constant group becomes zeros.
const groupNormVariance = 1e-5

// groupNorm is a transform that divides a row into adjacent groups of equal length. It gives each
// group the mean 0 and the variance 1, by that row alone.
//
// Source: Y. Wu and K. He, "Group normalization", ECCV 2018, equation 1 and section 3,
// https://arxiv.org/abs/1803.08494, without its learned scale and shift. It stands before a private
// linear model as in F. Tramèr and D. Boneh, "Differentially private learning needs better features
// (or much more data)", ICLR 2021, section 2, https://arxiv.org/abs/2011.11660.
type groupNorm struct{ in, groups int }

var _ transform = groupNorm{}

type groupNormParameters struct {
	Groups int `json:"groups"`
}

// newGroupNorm returns the transform of parameters {"groups": n}.
func newGroupNorm(parameters json.RawMessage, in int) (transform, error) {
	var p groupNormParameters
	if err := decodeParameters(parameters, &p); err != nil {
		return nil, err
	}
	if p.Groups < 1 || in%p.Groups != 0 || in/p.Groups < 2 {
		return nil, fmt.Errorf("groups is %d, want a divisor of the %d numbers of a row, with 2 numbers or more in a group", p.Groups, in)
	}
	return groupNorm{in, p.Groups}, nil
}

func (g groupNorm) In() int { return g.in }

func (g groupNorm) Out() int { return g.in }

// Bound returns √(m-1) for groups of m numbers. It does not depend on the bound on the row. The
// square of one deviation from the mean is at most (m-1)/m of the sum of all squares (P. Samuelson,
// "How deviant can you be?", Journal of the American Statistical Association 63, 1968).
func (g groupNorm) Bound(float64) float64 { return math.Sqrt(float64(g.in/g.groups - 1)) }

func (g groupNorm) NewScratch() any { return nil }

// Name returns the name of the number at the same place.
func (g groupNorm) Name(j int, before func(int) encoder.Name) encoder.Name { return before(j) }

func (g groupNorm) Apply(dst, x []float64, _ any) {
	m := g.in / g.groups
	for at := 0; at < g.in; at += m {
		standardize(dst[at:at+m], x[at:at+m])
	}
}

// standardize writes (x-mean)/√(variance+groupNormVariance) to dst.
func standardize(dst, x []float64) {
	sum, squares, n := 0.0, 0.0, float64(len(x))
	for _, v := range x {
		sum += v
	}
	mean := sum / n
	for j, v := range x {
		dst[j] = v - mean
		squares += dst[j] * dst[j]
	}
	scale := 1 / math.Sqrt(squares/n+groupNormVariance)
	for j := range dst[:len(x)] {
		dst[j] *= scale
	}
}
