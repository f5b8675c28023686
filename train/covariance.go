package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
)

// moment is a released second moment with the standard deviation of its noise. It is the mean of
// products over the records: one number or a symmetric matrix.
type moment struct {
	mean []float64
	// noise is the standard deviation of the noise in one number of the diagonal.
	noise float64
}

// products returns the products that a statistic sums over rows with these features.
func (statistic PreparationStep) products(c *feature.Pipeline) release.Products {
	channels, places := c.Shape()
	switch statistic.Kind {
	case option.VarianceStatistic:
		return release.Squares()
	case option.ChannelStatistic:
		return release.ChannelProducts(channels, places)
	case option.PlaceStatistic:
		return release.PlaceProducts(channels, places)
	}
	return release.AllProducts()
}

// learnProducts pays for a second moment of the centered rows.
func (statistic PreparationStep) learnProducts(terms pass.Settings, t *table, out *prepared) error {
	if out.framed && statistic.Kind == option.CovarianceStatistic {
		return statistic.learnCovariance(terms, t, out)
	}
	if t.file != nil {
		return errWhitening
	}
	rows, err := t.momentRows(terms, before(out.features), math.Sqrt(statistic.Bound))
	if err != nil {
		return err
	}
	sum, err := pass.Products(terms, rows, statistic.products(out.features.Pipeline))
	if err != nil {
		return err
	}
	out.learned(statistic, sum)
	if statistic.Kind == option.CovarianceStatistic {
		out.centered, out.centeredLimit = rows, t.centeredLimit
	}
	return nil
}

// learnCovariance pays for the covariance of centered rows that are not kept.
func (statistic PreparationStep) learnCovariance(terms pass.Settings, t *table, out *prepared) error {
	m := before(out.features)
	o, err := release.MomentRowsOf(terms.Noise, terms.MaxRecords, m.Dim(), math.Sqrt(statistic.Bound))
	if err != nil {
		return err
	}
	sum, err := pass.SecondMomentOf(terms, t.records, o, t.centering(m, o))
	if err = errors.Join(err, t.file.error()); err == nil {
		out.learned(statistic, sum)
	}
	return err
}

// learned keeps a released sum of products.
func (out *prepared) learned(statistic PreparationStep, sum []float64) {
	noise := statistic.NoiseMultiplier * statistic.Bound / out.divisor
	out.moments[statistic.Kind] = moment{divided(sum, out.divisor), noise}
}

// momentRows returns the centered rows on the grid of a second moment. Two statistics of the same
// noise share these rows.
func (t *table) momentRows(terms pass.Settings, m *feature.Map, radius float64) (*release.Rows, error) {
	o, err := release.MomentRows(terms.Noise, terms.MaxRecords, m.Dim(), radius)
	if err != nil {
		return nil, err
	}
	if t.centered != nil && t.centeredLimit == o.Limit && t.centered.Step() == o.Step {
		return t.centered, nil
	}
	t.centered, t.centeredLimit = nil, o.Limit
	t.centered, err = release.NewWholeRows(t.records, o, t.centering(m, o))
	return t.centered, errors.Join(err, t.file.error())
}

// whiten makes the whitening from the learned moments.
func (out *prepared) whiten(t table) error {
	m := out.features
	full, all := out.moments[option.CovarianceStatistic]
	variances, diagonal := out.moments[option.VarianceStatistic]
	frequencies, scaled := out.moments[option.FrequencyStatistic]
	channels, ofChannels := out.moments[option.ChannelStatistic]
	places, ofPlaces := out.moments[option.PlaceStatistic]
	var err error
	switch {
	case all:
		m.Whitening, out.whitened, err = full.full()
	case scaled:
		scales := frequencies.scales()
		if !out.setup.Schema.Target.Regression() { // a numeric target gained nothing
			frequencies.balanceGrids(scales, m.Pipeline.Names())
		}
		m.Whitening, out.whitened, out.frequencies = &feature.Whitening{Scales: scales}, spread{frequent: true}, frequencies
	case diagonal:
		m.Whitening, out.whitened = variances.diagonal()
	case ofChannels != ofPlaces:
		err = fmt.Errorf("train: the plan has the covariance of channels or of places alone, want both")
	case ofChannels:
		m.Whitening, out.whitened, err = kronecker(channels, places)
	}
	if err != nil || m.Whitening == nil {
		return err
	}
	if m.Norm == feature.NormClip && out.whitened.energy > 0 { // rows are clipped again, half of them or so
		rescale(m.Whitening, m.Radius/math.Sqrt(out.whitened.energy))
	}
	switch {
	case out.framed:
		out.whole = roundMatrix(m.Whitening.Matrix, t.rows.LongestSquare())
	case out.centered != nil:
		out.whole = roundMatrix(m.Whitening.Matrix, out.centeredLimit)
	}
	return nil
}
