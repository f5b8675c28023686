package release

import (
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// PartitionTerms are the public parameters of a PartitionSelection.
type PartitionTerms struct {
	// Noise is mechanism.Gaussian or mechanism.KNorm. KNorm here means the exact discrete Laplace
	// distribution on the integer grid.
	Noise mechanism.Noise
	// Delta is an upper bound on the probability that a name is released if only one record has the
	// name. It is above 0 and below 1/2.
	Delta float64
	// RowsPerRecord is the maximum number of rows of one record, each with a name, up to 2^20. 0
	// means 1.
	RowsPerRecord int
}

// Events returns the events of a release: the noise on the counts, and an additional Delta. The
// cost is proven under add-or-remove-one.
//
// Suppose that a record is added. Some of its rows have names that other records have too. They
// change the counts of these names by at most RowsPerRecord in the L1 norm, and so in the L2 norm.
// For these names the release is the release of a histogram, followed by a threshold. The other
// rows of the record have new names. New names are released with a probability of at most Delta.
// The noise of all names is independent. So the cost is the composition of both events (Korolova,
// Kenthapadi, Mishra & Ntoulas, "Releasing Search Queries and Clicks Privately", WWW 2009,
// https://doi.org/10.1145/1526709.1526733).
func (t PartitionTerms) Events() mechanism.Sequence {
	return mechanism.Sequence{t.Noise, mechanism.AssumedDP{Epsilon: 0, Delta: t.Delta, Neighboring: privacy.AddOrRemoveOne}}
}
