package release

import (
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// PartitionTerms are the public numbers that a release of names depends on.
type PartitionTerms struct {
	// Noise is Gaussian or KNorm; KNorm stands here for the exact discrete Laplace distribution on
	// the integer grid.
	Noise mechanism.Noise
	// Delta bounds the probability that a name that one record alone has is released, 0 < Delta <
	// 1/2.
	Delta float64
	// RowsPerRecord is the largest number of rows of one record, each with a name, up to 2^20; 0
	// means one.
	RowsPerRecord int
}

// Events returns what a release costs: the noise of one count for each record, and Delta in
// addition. It is proved under add-or-remove-one.
//
// Let a record be added. Its rows whose names other records have move the counts of these names.
// They move by at most RowsPerRecord in the L1 norm and so in the L2 norm. This is the release of a
// histogram, followed by a threshold. Its rows whose names are new release nothing, except with a
// probability of at most Delta. The noise of all names is independent. So the price is the
// composition of both events (Korolova, Kenthapadi, Mishra & Ntoulas, "Releasing Search Queries and
// Clicks Privately", WWW 2009, https://doi.org/10.1145/1526709.1526733).
func (t PartitionTerms) Events() mechanism.Sequence {
	return mechanism.Sequence{t.Noise, mechanism.AssumedDP{Epsilon: 0, Delta: t.Delta, Neighboring: privacy.AddOrRemoveOne}}
}
