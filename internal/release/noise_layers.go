package release

import "github.com/ditherml/dither/internal/release/internal/sample"

// NoiseLayers returns the widths of the layers that Gaussian noise is drawn from, in units of 2^-54
// standard deviations. They are public. Whoever attacks the noise looks for two numbers that one
// random word made: such numbers have the ratio of two widths.
func NoiseLayers() []uint64 { return sample.LayerWidths() }
