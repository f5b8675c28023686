package mechanism

import (
	"fmt"

	"github.com/ditherml/dither/mechanism/internal/sample"
)

// PoissonUpTo takes a Poisson sample with probability q, and of more than maxBatch records a uniformly random
// maxBatch of them: batches of a size that is fixed in advance. There may be at most this many records.
// It costs more than Poisson unless maxBatch is some five standard deviations above the mean.
func PoissonUpTo(q float64, maxBatch, records int) (Sampling, error) {
	s, err := Poisson(q)
	if err != nil {
		return Sampling{}, err
	}
	s.kind, s.batch, s.records = samplingTruncated, maxBatch, records
	_, err = s.Price(Gaussian{1})
	return s, err
}

// drawTruncated draws a sample of at most this many records.
func (s Sampling) drawTruncated(d *drawn) error {
	if d.records > s.records {
		return fmt.Errorf("mechanism: there are more records than the declared %d of %v; raise the declared bound", s.records, s)
	}
	stream := sample.NewStream()
	taken := stream.Poisson(nil, d.records, s.threshold)
	d.take(at(taken, stream.Subset(len(taken), min(len(taken), s.batch))))
	return nil
}
