package release

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/release/internal/estimate"
	"github.com/ditherml/dither/mechanism"
)

// SeriesOptions are the public parameters of a Series.
type SeriesOptions struct {
	// Coefficients are the first column of a banded matrix, from the diagonal down. There are at
	// most Bands integers with a sum of at most 2^20. The first is at least 1, and none is negative
	// or larger than the previous one. They affect how the noise is correlated, but not the cost.
	// For a tree Coefficients is nil.
	Coefficients []int64
	// NoiseMultipliers are the noise multipliers of the sums that one step releases together, in
	// order. Nil means one sum with the noise multiplier of the event. The sum of 1/m² over these
	// multipliers m must be at most 1/NoiseMultiplier² of the event, so that they cost no more than
	// the event. A relative excess of up to 1e-9 is allowed, and is compensated by that much more
	// noise.
	NoiseMultipliers []float64
	// MaxRecords is the declared public upper bound on the number of records.
	MaxRecords int
}

// CheckSeries returns the error that OpenSeries would return for the event and the options before
// it pays.
func CheckSeries(e mechanism.Event, o SeriesOptions) error {
	_, err := planSeries(e, o)
	return err
}

// OpenSeries pays for the event, which is a mechanism.BandedMatrix or a mechanism.TreeAggregation.
// It returns the series of this event over this number of records. In a tree each record takes part
// in one step only. To use the records again, open another series.
func OpenSeries(p mechanism.Payer, e mechanism.Event, records int, o SeriesOptions) (*Series, error) {
	s, err := planSeries(e, o)
	if err != nil {
		return nil, err
	}
	if b, banded := e.(mechanism.BandedMatrix); banded {
		return s.open(p, b.Bands, b.Probability, records, o.MaxRecords)
	}
	return s.open(p, s.steps, 1, records, o.MaxRecords)
}

// planSeries returns the series of an event before it is paid for.
func planSeries(e mechanism.Event, o SeriesOptions) (*Series, error) {
	switch e := e.(type) {
	case mechanism.BandedMatrix:
		return bandedSeries(e, o)
	case mechanism.TreeAggregation:
		return treeSeries(e, o)
	}
	return nil, fmt.Errorf("release: event is %v, want a banded matrix or tree aggregation; other events are no series", e)
}

// maxSeriesWeight bounds the sum of coefficients.
const maxSeriesWeight = 1 << 20

func bandedSeries(b mechanism.BandedMatrix, o SeriesOptions) (*Series, error) {
	if err := mechanism.CheckEvent(b); err != nil {
		return nil, err
	}
	o.Coefficients = slices.Clone(o.Coefficients) // nobody else can change them
	if err := checkCoefficients(b, o.Coefficients); err != nil {
		return nil, err
	}
	return newSeries(b, b.NoiseMultiplier, b.Steps, o, func() (matrix, estimate.Estimator) {
		return &banded{coefficients: slices.Clone(o.Coefficients)}, estimate.Banded(slices.Clone(o.Coefficients))
	})
}

func checkCoefficients(b mechanism.BandedMatrix, c []int64) error {
	wrong := len(c) < 1 || len(c) > b.Bands || c[0] < 1 || c[0] > maxSeriesWeight
	sum := int64(0)
	for k, v := range c {
		if wrong = wrong || v < 0 || v > c[max(k-1, 0)]; wrong {
			break
		}
		sum += v
	}
	if wrong || sum > maxSeriesWeight {
		return fmt.Errorf("release: %d coefficients of %v are not a column of it, want 1 to %d integers that do not rise or fall below 0, of at most 2^20 in all", len(c), b, b.Bands)
	}
	return nil
}

func treeSeries(t mechanism.TreeAggregation, o SeriesOptions) (*Series, error) {
	if err := mechanism.CheckEvent(t); err != nil {
		return nil, err
	}
	if len(o.Coefficients) != 0 {
		return nil, fmt.Errorf("release: %v has %d coefficients, want none; its matrix is a tree", t, len(o.Coefficients))
	}
	return newSeries(t, t.NoiseMultiplier, t.Steps, o, func() (matrix, estimate.Estimator) { return &tree{}, estimate.Tree() })
}

// newSeries returns a series before it is paid for, unless it has no steps or there is no grid for
// it.
func newSeries(e mechanism.Event, multiplier float64, steps int, o SeriesOptions, kind func() (matrix, estimate.Estimator)) (*Series, error) {
	if steps < 1 {
		return nil, fmt.Errorf("release: number of steps of %v is %d, want at least 1", e, steps)
	}
	multipliers, err := shareOut(multiplier, o.NoiseMultipliers)
	if err != nil {
		return nil, err
	}
	s := &Series{event: e, steps: steps}
	for k, m := range multipliers {
		c, estimates := kind()
		s.parts = append(s.parts, &seriesPart{multiplier: m, matrix: c, estimate: estimates})
		if _, err = fitNoise(s.Noise(k), fit{maxRecords: o.MaxRecords, norm: L2(), dim: 1}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// shareOut returns the multipliers of the sums of a step, raised so that they cost no more than one
// of this multiplier.
func shareOut(multiplier float64, multipliers []float64) ([]float64, error) {
	if multipliers == nil {
		return []float64{multiplier}, nil
	}
	square := 0.0 // of what one record moves all sums by, in noise of the multiplier
	for _, m := range multipliers {
		square += (multiplier / m) * (multiplier / m)
	}
	if !(square > 0 && square <= 1+1e-9) || slices.Min(multipliers) <= 0 || len(multipliers) > maxSeriesSums {
		return nil, fmt.Errorf("release: noise multipliers %v cost %v of one of %v, want 1 to %d positive ones and at most all of it", multipliers, square, multiplier, maxSeriesSums)
	}
	raised := make([]float64, len(multipliers))
	for k, m := range multipliers {
		raised[k] = m * max(1, math.Sqrt(square)) * (1 + 1e-12) // which the rounding of at most 2^10 terms stays below
	}
	return raised, nil
}

// maxSeriesSums bounds the sums of a step.
const maxSeriesSums = 1 << 10

// open pays, then divides the records into parts.
func (s *Series) open(p mechanism.Payer, parts int, q float64, records, maxRecords int) (*Series, error) {
	if records < 0 {
		return nil, errNegative
	}
	if records > maxRecords {
		return nil, fmt.Errorf("release: there are more records than max records %d; raise the declared bound", maxRecords)
	}
	sampling, err := Cyclic(parts, q)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("release: the series has no payer, want a grant of a ledger")
	}
	if err = p.Pay(s.event); err != nil {
		return nil, err
	}
	if s.rotation, err = Rotate(sampling, records); err != nil {
		return nil, err
	}
	s.rotation.series, s.rotation.steps = true, s.steps
	return s, nil
}
