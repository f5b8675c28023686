// Package readers lists the readers of file formats and compressions, so that every command reads
// the same files.
package readers

import (
	"slices"

	"github.com/ditherml/dither/internal/columnar"
	"github.com/ditherml/dither/internal/format/arrow"
	"github.com/ditherml/dither/internal/format/compressed"
	"github.com/ditherml/dither/internal/format/parquet"
)

// All returns the readers for data.Source.Formats.
func All() []columnar.Format {
	return slices.Concat(parquet.Formats(), arrow.Formats(), compressed.Formats())
}
