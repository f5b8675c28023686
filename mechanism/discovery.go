package mechanism

import "github.com/ditherml/dither/privacy"

// DiscoveryTerms are the public numbers of a release of names.
type DiscoveryTerms struct {
	// Noise is Gaussian or KNorm, here the exact discrete Laplace distribution on the integer grid.
	Noise Noise
	// Delta bounds the probability that a name of one single record is released, 0 < Delta < 1/2.
	Delta float64
	// RowsPerRecord is how many rows, each with a name, one record has at most, up to 2^20; 0 means one.
	RowsPerRecord int
}

// Events returns what a release costs: the noise of one count for each record, and Delta in
// addition.
//
// Let a record be added. Its rows with names that are there already move the counts of these, by at
// most RowsPerRecord in the L1 and so in the L2 norm: the release of a histogram, followed by a
// threshold. What is released of its new names is nothing, but with a probability of at most Delta.
// The noise of all names is independent. So the whole is the composition of both events, which is
// charged (Korolova, Kenthapadi, Mishra & Ntoulas, "Releasing Search Queries and Clicks Privately",
// WWW 2009, https://doi.org/10.1145/1526709.1526733). It is proved under add-or-remove-one.
func (t DiscoveryTerms) Events() Sequence {
	return Sequence{t.Noise, AssumedDP{Epsilon: 0, Delta: t.Delta, Neighboring: privacy.AddOrRemoveOne}}
}
