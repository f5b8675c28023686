package train

import "github.com/ditherml/dither/feature"

// Defaults for rows of hashed texts, which have few entries of many features, no two rows alike. They
// are constants: on texts of two kinds (film reviews, and messages to groups) they did better than those
// of other rows at every budget from 0.5 to 8; see docs/features.md.
const (
	// textCurvature is what rows of norm 1 are taken to have in their strongest direction. They are
	// not centered unless that is asked for: in this many features the noise of a mean is longer
	// than the mean.
	textCurvature = 0.05
)

// hasTexts reports whether rows are those of hashed texts. It is a matter of the schema.
func hasTexts(c *feature.Pipeline) bool { return c.Encoder().Signed() && !c.Transforms() }
