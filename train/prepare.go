package train

import (
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// prepared is the result of the preparation, all of it released.
type prepared struct {
	setup    Setup   // with bounds in units of the rows
	divisor  float64 // declared or noisy number of records
	features *feature.Map
	moments  map[string]moment
	// frequencies are the released frequencies of features, if they scale rows.
	frequencies moment
	whitened    spread
	// centered are the rows of the covariance with their limit, or nil. The whitening of these rows
	// is whole.
	centered      *release.Rows
	centeredLimit int64
	whole         *release.IntMatrix
	framed        bool // rows are whitened by a frame
	// classWeights multiply the gradients of each level's records. They are at most 1, and nil for
	// no weights.
	classWeights []float64
	// rowWeights multiply the gradient of each row. They are at most 1, and nil for no weights.
	// They are private.
	rowWeights []float64
	// meanWeight is the mean of the weights over the records. It is 0 if it was not learned.
	meanWeight float64
}

// forget drops everything that descent does not use.
func (ready *prepared) forget() {
	ready.centered, ready.whole, ready.moments = nil, nil, nil
}

// gridStep returns the smallest power of two on which coordinates of this bound fit in 16 bits.
func gridStep(bound float64) float64 {
	return math.Ldexp(1, int(math.Ceil(math.Log2(bound/math.MaxInt16))))
}

// mapped returns the fill function of release.NewRows for a map over the features of the table.
// Places beyond the records hold zeros.
func (t table) mapped(m *feature.Map) func(dst []float64, first, n int) {
	type room struct {
		scratch *feature.Scratch
		x       []float64
	}
	d := m.Pipeline.Dim()
	rooms := sync.Pool{New: func() any { return &room{} }}
	return func(dst []float64, first, n int) {
		there, out := max(0, min(n, t.records-first)), len(dst)/n
		r := rooms.Get().(*room)
		defer rooms.Put(r)
		if len(r.x) < n*d {
			*r = room{m.NewScratch(n), make([]float64, n*d)}
		}
		clear(dst[there*out:])
		t.features(r.x[:there*d], first, there)
		m.ApplyFeatures(dst[:there*out], r.x[:there*d], there, r.scratch)
	}
}

// features writes the features of rows to x, one row after the other. An error is noted.
func (t table) features(x []float64, first, n int) {
	block, err := t.rows.Load(first, n, release.Block{})
	if err != nil || n == 0 {
		t.file.note(err)
		clear(x)
		return
	}
	putFeatures(x, make([]int16, len(x)/n), block, 0, t.rows.Step())
}

// prepare pays for the plan's statistics in order and applies them to the map.
func (s Setup) prepare(payer mechanism.Payer, t table) (prepared, error) {
	m := *s.Features
	out := prepared{setup: s, divisor: float64(s.Plan.Records) * s.Plan.trained(), features: &m, framed: s.framed(), classWeights: s.Plan.ClassWeights, moments: map[string]moment{}}
	var err error
	if out.rowWeights, err = s.Plan.SampleWeights.of(t.data); err != nil {
		return prepared{}, err
	}
	for i := range s.Plan.Preparation {
		statistic := out.setup.Plan.Preparation[i]
		if ofColumn(statistic.Kind) { // learned before rows were encoded
			continue
		}
		terms := pass.Settings{Payer: payer, Noise: s.Plan.noise(statistic.NoiseMultiplier), MaxRecords: s.Plan.MaxRecords}
		if statistic.Kind == option.LabelsStatistic {
			if err := statistic.learnLabels(terms, t, &out); err != nil {
				return prepared{}, err
			}
			continue
		}
		learn := statistic.learn
		if s.Plan.Person != nil {
			learn = statistic.learnOfPersons
		}
		if err := learn(terms, &t, &out); err != nil {
			return prepared{}, err
		}
	}
	if err := out.whiten(t); err != nil {
		return prepared{}, err
	}
	return out, m.Validate()
}

// learn pays for a statistic of the records and puts it into out.
func (statistic PreparationStep) learn(terms pass.Settings, t *table, out *prepared) (err error) {
	m := out.features
	switch {
	case statistic.Kind == option.CountStatistic:
		out.divisor, err = pass.Count(terms, t.records)
		out.divisor = max(1, min(float64(terms.MaxRecords), out.divisor))
	case statistic.Kind == option.RadiusStatistic:
		err = statistic.learnRadius(terms, t, out)
	case statistic.Kind == option.MeanStatistic:
		m.Center, err = mean(terms, t.rows, statistic.Bound, out.divisor)
	case statistic.Kind == option.FrequencyStatistic:
		err = statistic.learnFrequencies(terms, t, out)
	case isWhitening(statistic.Kind):
		err = statistic.learnProducts(terms, t, out)
	default:
		err = statistic.unknown()
	}
	return err
}

func (statistic PreparationStep) unknown() error {
	return fmt.Errorf("train: statistic is %q, want one of %v", statistic.Kind, option.Statistics())
}

// before returns the map up to the normalization that follows centering.
func before(m *feature.Map) *feature.Map {
	return &feature.Map{Pipeline: m.Pipeline, Norm: m.Norm, Radius: m.Radius, Center: m.Center}
}

func mean(t pass.Settings, rows *release.Rows, bound, divisor float64) ([]float64, error) {
	center, err := pass.Sum(t, rows, rows.Len(), bound)
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
