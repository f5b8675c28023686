package train

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/query"
)

// prepared is what the preparation learned, all of it released.
type prepared struct {
	divisor  float64 // declared or noisy number of records
	features *feature.Map
	whitened []float64 // eigenvalues of the released covariance, or nil
}

// gridStep is the smallest power of two on which coordinates of this bound fit 16 bits.
func gridStep(bound float64) float64 {
	return math.Ldexp(1, int(math.Ceil(math.Log2(bound/math.MaxInt16))))
}

// mapRows returns the fill function of mechanism.NewRows for a map over a dataset.
func mapRows(m *feature.Map, d *data.Dataset) func(dst []float64, first, n int) {
	return func(dst []float64, first, n int) {
		values := make([]float32, m.Encoder().Values())
		dim, there := len(dst)/n, max(0, min(n, d.Records()-first))
		clear(dst[there*dim:]) // places without a record
		m.Apply(dst[:there*dim], there, m.NewScratch(there), func(r int) []float32 { return d.Row(values, first+r) })
	}
}

// prepare pays for the plan's statistics in order and applies them to the map.
func (s Setup) prepare(payer mechanism.Payer, t table) (prepared, error) {
	out := prepared{divisor: float64(s.Plan.Records)}
	m := *s.Features
	for _, statistic := range s.Plan.Preparation {
		terms := query.Terms{Payer: payer, Noise: s.Plan.noise(statistic.NoiseMultiplier), MaxRecords: s.Plan.MaxRecords}
		learn := statistic.learn
		if s.Plan.Person != nil {
			learn = statistic.learnOfPersons
		}
		if err := learn(terms, t, &m, &out); err != nil {
			return prepared{}, err
		}
	}
	out.features = &m
	return out, m.Validate()
}

// learn pays for a statistic of the records and puts it into the map, or the divisor.
func (statistic Statistic) learn(terms query.Terms, t table, m *feature.Map, out *prepared) (err error) {
	switch statistic.Kind {
	case CountStatistic:
		out.divisor, err = query.Count(terms, t.records)
		out.divisor = max(1, min(float64(terms.MaxRecords), out.divisor))
	case MeanStatistic:
		m.Center, err = mean(terms, t.rows, statistic.Bound, out.divisor)
	case CovarianceStatistic:
		m.Whitening, out.whitened, err = covariance(terms, m, t.data, statistic.Bound, out.divisor)
	default:
		err = fmt.Errorf("train: statistic is %q, want %s, %s or %s", statistic.Kind, CountStatistic, MeanStatistic, CovarianceStatistic)
	}
	return err
}

// before returns the map up to the normalization that follows centering.
func before(m *feature.Map) *feature.Map {
	return &feature.Map{Chain: m.Chain, Norm: m.Norm, Radius: m.Radius, Center: m.Center}
}

func mean(t query.Terms, rows *mechanism.Rows, bound, divisor float64) ([]float64, error) {
	center, err := query.Sum(t, rows, rows.Len(), bound)
	return divided(center, divisor), err
}

// divided returns released numbers divided by a released number.
func divided(numbers []float64, divisor float64) []float64 {
	out := make([]float64, len(numbers))
	for j, v := range numbers {
		out[j] = v / divisor
	}
	return out
}

func covariance(t query.Terms, m *feature.Map, d *data.Dataset, bound, divisor float64) (p, eigenvalues []float64, err error) {
	if d == nil {
		return nil, nil, errWhitening
	}
	prefix := before(m)
	radius := math.Sqrt(bound)
	o, err := mechanism.MomentRows(t.Noise, t.MaxRecords, prefix.Dim(), radius)
	if err != nil {
		return nil, nil, err
	}
	rows, err := mechanism.NewRows(d.Records(), o, mapRows(prefix, d))
	if err != nil {
		return nil, nil, err
	}
	sigma, err := query.SecondMoment(t, rows, d.Records())
	if err != nil {
		return nil, nil, err
	}
	for j := range sigma {
		sigma[j] /= divisor
	}
	return whitening(sigma, prefix.Dim(), whiteningGamma*bound)
}
