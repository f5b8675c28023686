package train

import (
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/model"
)

// Encoding returns the feature map and the linear model that a request means for a schema. The map
// contains no learned numbers yet. Encoding uses only these parts of the request: the transforms,
// the normalization, the radius, the intercept and the loss.
func (r Request) Encoding(s *data.Schema) (*feature.Map, model.Linear, error) {
	loss, err := model.LossFor(s.Target, r.Loss)
	if err != nil {
		return nil, model.Linear{}, err
	}
	chain, err := feature.NewPipeline(feature.ReadFile, s, r.Transforms...)
	if err != nil {
		return nil, model.Linear{}, err
	}
	features := r.features(chain)
	if err = features.Validate(); err != nil {
		return nil, model.Linear{}, err
	}
	linear, err := model.NewLinear(loss, len(s.Target.Levels), features.Dim())
	return features, linear, err
}

// Encode returns the records of a data set as rows of integers, mapped by m without whitening. Row
// i is record i. The labels are class indices, or targets scaled to [-1, 1]. The argument
// featureBits has the meaning of Options.FeatureBits.
func Encode(m *feature.Map, s *data.Schema, d *data.Dataset, featureBits int) (*release.Rows, error) {
	if m.Whitening != nil {
		return nil, fmt.Errorf("train: the feature map whitens rows, want one without whitening")
	}
	if private := s.Private(); len(private) > 0 {
		return nil, fmt.Errorf("train: column %q has private bounds or levels, want them declared; gradient descent alone learns them", private[0].Name)
	}
	if err := checkFeatureBits(featureBits); err != nil {
		return nil, err
	}
	setup := Setup{Schema: s, Features: m}
	rows, err := setup.encodeRows(d, d.Records(), setup.rowType(d, featureBits))
	if err != nil {
		return nil, err
	}
	return rows.Standardized(frame(m))
}

// Center releases a noisy mean of the given rows, and pays for the release. It returns a copy of
// the map m with this mean as its Center, and the rows mapped by this copy. The rows must come from
// Encode, normalized and without an intercept. The bound is the largest L2 norm of such a row. The
// divisor is a public or released number of records.
func Center(t pass.Settings, m *feature.Map, rows *release.Rows, bound, divisor float64) (*feature.Map, *release.Rows, error) {
	plain, err := rows.Standardized(frame(before(m)))
	if err != nil {
		return nil, nil, err
	}
	centered := *m
	if centered.Center, err = mean(t, plain, bound, divisor); err != nil {
		return nil, nil, err
	}
	seen, err := rows.Standardized(frame(&centered))
	return &centered, seen, err
}
