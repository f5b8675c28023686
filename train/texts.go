package train

import "github.com/ditherml/dither/feature"

// These are defaults for rows of hashed texts, which have few entries in many features, no two rows
// alike. They are constants. On film reviews and on messages to groups they did
// better than other rows' defaults at every budget from 0.5 to 8. The page docs/features.md has the
// figures.
const (
	// textCurvature is the assumed curvature of rows of norm 1 in their strongest direction. Such
	// rows are not centered unless requested: in this many features the noise of a mean is longer
	// than the mean.
	textCurvature = 0.05
)

// hasTexts reports whether rows are hashed texts. It depends on the schema.
func hasTexts(c *feature.Pipeline) bool { return c.Encoder().Signed() && !c.Transforms() }
