package release

import "github.com/ditherml/dither/internal/release/internal/sample"

// NoiseLayers returns the widths of the layers from which Gaussian noise is drawn, in units of
// 2^-54 standard deviations. The widths are public. An audit of the noise uses them to look for two
// numbers that come from the same random word. The ratio of such numbers is the ratio of two
// widths.
func NoiseLayers() []uint64 { return sample.LayerWidths() }
