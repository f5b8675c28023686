package feature

import (
	"maps"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

// tokenBound bounds tokens, including -1 for padding. With it the step of a grid of 16 bits is 1,
// so tokens are exact.
const tokenBound = data.MaxTokens

// Pipeline turns a row of a data set into features. It consists of an encoder and of transforms.
// The encoder applies the declared scaling, bins and indicators. Normalization is not part of a
// Pipeline. A Pipeline is immutable.
type Pipeline struct {
	encoder    *encoder.Encoder
	transforms []transform
	specs      []Spec
	files      map[string][]byte // by name
}

// Encoder returns the encoder, which is the first part of the pipeline.
func (c *Pipeline) Encoder() *encoder.Encoder { return c.encoder }

// Specs returns the specifications of the transforms. The caller must not modify the slice.
func (c *Pipeline) Specs() []Spec { return c.specs }

// Transforms reports whether the pipeline has at least one transform after the encoder.
func (c *Pipeline) Transforms() bool { return len(c.transforms) > 0 }

// Dim returns the number of features of a row.
func (c *Pipeline) Dim() int {
	if n := len(c.transforms); n > 0 {
		return c.transforms[n-1].Out()
	}
	return c.encoder.Dim()
}

// Bound returns a public bound on the magnitude of every feature. It also returns whether a feature
// may be negative.
func (c *Pipeline) Bound() (bound float64, signed bool) {
	bound = 1
	if c.encoder.Tokens() > 0 {
		bound = tokenBound
	}
	for _, t := range c.transforms {
		bound = t.Bound(bound)
	}
	return bound, len(c.transforms) > 0 || c.encoder.Signed()
}

// Shape returns the shape of the features as a matrix of channels×places. The features are stored
// one channel after the other. The shape is the output shape of the last transform that has a
// shape. If a later transform does not keep the places, or if no transform has a shape, both
// numbers are 0.
func (c *Pipeline) Shape() (channels, places int) {
	for _, t := range c.transforms {
		if shaped, ok := t.(shaped); ok {
			channels, places = shaped.Shape(channels, places)
		} else {
			channels, places = 0, 0
		}
	}
	if channels*places != c.Dim() {
		return 0, 0
	}
	return channels, places
}

// Names returns a description of each feature, in order.
func (c *Pipeline) Names() []encoder.Name {
	names := c.encoder.Names()
	for _, t := range c.transforms {
		names = namesAfter(t, names)
	}
	return names
}

// PipelineScratch is the working space of Pipeline.FeaturesOf. Each goroutine needs its own.
type PipelineScratch struct {
	a, b   []float64
	many   []float64 // of several rows
	widest int       // row
	parts  []any
}

// NewScratch returns working space for FeaturesOf.
func (c *Pipeline) NewScratch() *PipelineScratch {
	s := &PipelineScratch{}
	widest := c.encoder.Dim()
	for _, t := range c.transforms {
		widest = max(widest, t.Out())
		s.parts = append(s.parts, t.NewScratch())
	}
	s.widest = widest
	if len(c.transforms) > 0 {
		s.a, s.b = make([]float64, widest), make([]float64, widest)
	}
	return s
}

// features writes the features of one row to dst, of length Dim. values are those that Dataset.Row
// returns.
func (c *Pipeline) features(dst []float64, values []float32, s *PipelineScratch) {
	if len(c.transforms) == 0 {
		c.encoder.Encode(dst, values)
		return
	}
	x, y := s.a[:c.encoder.Dim()], s.b
	c.encoder.Encode(x, values)
	for i, t := range c.transforms {
		out := y[:t.Out()]
		if i == len(c.transforms)-1 {
			out = dst[:t.Out()]
		}
		t.Apply(out, x, s.parts[i])
		x, y = out, x[:cap(x)]
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
