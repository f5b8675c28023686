package feature

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/encoder"
)

// standard is a transform that subtracts a declared mean from every number of a row and divides by
// a declared deviation. Both are public constants that nobody took from the records of the table.
type standard struct {
	in              int
	mean, deviation float64
}

var (
	_ transform = standard{}
	_ shaped    = standard{}
)

type standardParameters struct {
	Mean      *float64 `json:"mean"`
	Deviation *float64 `json:"deviation,omitempty"`
}

// maxConstant bounds the constants, so that rows stay on their grid.
const maxConstant = 1e6

// newStandard returns the transform of parameters {"mean": m, "deviation": d}; d is 1 where it is
// left out.
func newStandard(parameters json.RawMessage, in int) (transform, error) {
	var p standardParameters
	if err := decodeParameters(parameters, &p); err != nil {
		return nil, err
	}
	deviation := 1.0
	if p.Deviation != nil {
		deviation = *p.Deviation
	}
	switch {
	case p.Mean == nil:
		return nil, fmt.Errorf("mean is missing, want a public constant, such as 0.5; numbers and pixels lie between 0 and 1")
	case !(math.Abs(*p.Mean) <= maxConstant):
		return nil, fmt.Errorf("mean is %v, want at most %v in magnitude", *p.Mean, maxConstant)
	case !(deviation >= 1/maxConstant && deviation <= maxConstant):
		return nil, fmt.Errorf("deviation is %v, want %v to %v", deviation, 1/maxConstant, maxConstant)
	}
	return standard{in, *p.Mean, deviation}, nil
}

func (s standard) In() int { return s.in }

func (s standard) Out() int { return s.in }

// Bound returns (in + |mean|)/deviation.
func (s standard) Bound(in float64) float64 { return (in + math.Abs(s.mean)) / s.deviation }

func (s standard) NewScratch() any { return nil }

// Name returns the name of the number at the same place.
func (s standard) Name(j int, before func(int) encoder.Name) encoder.Name { return before(j) }

// Shape returns the shape before the transform.
func (standard) Shape(channels, places int) (int, int) { return channels, places }

func (s standard) Apply(dst, x []float64, _ any) {
	for j, v := range x {
		dst[j] = (v - s.mean) / s.deviation
	}
}
