package mechanism

import "github.com/ditherml/dither/privacy"

// PoissonSampled is an event on a fresh Poisson sample, which contains each record independently
// with probability at most Probability. Event is one of these: a Gaussian, an AdaptiveClipping, a
// sequence of these two on the same sample, NonPrivate, Laplace, DiscreteGaussian or
// DiscreteLaplace.
type PoissonSampled struct {
	// Probability is an upper bound on the probability that a record is in the sample.
	Probability float64
	// Event is the event on the sample.
	Event Event
}

// WithoutReplacement is an event on a fresh sample without replacement. The sample has exactly
// Batch records, and all samples of this size are equally likely. The cost has a proof only under
// replace-one, where the number of records is public.
type WithoutReplacement struct {
	// Records is the number of records. Batch is the number of records in the sample.
	Records, Batch int
	// Event is the event on the sample.
	Event Event
}

// Partition divides the records into disjoint parts. An event happens once on each part, one part
// after the other. The part of each record is drawn once, uniformly and independently of everything
// else. The draw depends on the record's place in the data set, not on its content. So each record
// pays for only one part. A Repeat of a Partition may keep the parts or draw them anew.
type Partition struct {
	// Parts is the number of parts.
	Parts int
	// Event is the event on one part.
	Event Event
}

// String returns text such as "poisson(0.01, gaussian(1.1))". The arguments are the probability and
// the event.
func (p PoissonSampled) String() string { return call("poisson", p.Probability, p.Event) }

// String returns text such as "without-replacement(60000, 256, gaussian(1.1))". The arguments are
// the number of records, the size of the sample and the event.
func (w WithoutReplacement) String() string {
	return call("without-replacement", w.Records, w.Batch, w.Event)
}

// String returns text such as "partition(100, gaussian(1.1))". The arguments are the number of
// parts and the event.
func (p Partition) String() string { return call("partition", p.Parts, p.Event) }

func (p PoissonSampled) check() error {
	if !(p.Probability > 0 && p.Probability < 1) {
		return wrong("sampling probability", p, p.Probability, "more than 0 and less than 1")
	}
	switch p.Event.(type) {
	case Laplace, DiscreteGaussian, DiscreteLaplace, NonPrivate:
		return nil // CheckEvent looks at its numbers
	}
	return checkJoined(p, p.Event)
}

func (w WithoutReplacement) check() error {
	if w.Records < 1 {
		return wrong("number of records", w, w.Records, "at least 1")
	}
	if w.Batch < 1 || w.Batch > w.Records {
		return wrong("batch", w, w.Batch, "1 to the number of records")
	}
	if _, open := w.Event.(NonPrivate); open {
		return nil
	}
	return checkJoined(w, w.Event)
}

func (p Partition) check() error {
	if p.Parts < 1 {
		return wrong("number of parts", p, p.Parts, "at least 1")
	}
	return nil
}

// checkJoined refuses an event that is not made of Gaussian releases alone.
func checkJoined(e, sampled Event) error {
	if sampled == nil {
		return nil // CheckEvent says so
	}
	switch s := sampled.(type) {
	case Gaussian, AdaptiveClipping:
		return nil
	case Repeat, Sequence:
		for _, part := range s.parts() {
			if err := checkJoined(e, part); err != nil {
				return err
			}
		}
		return nil
	}
	return wrong("sampled event", e, sampled, "gaussian or a sequence of them; a Poisson sample may also have one laplace, discrete-gaussian, discrete-laplace or non-private")
}

func (PoissonSampled) unproved(privacy.Neighboring) string { return "" }

func (WithoutReplacement) unproved(n privacy.Neighboring) string {
	return onlyUnder(n, privacy.ReplaceOne)
}

func (Partition) unproved(privacy.Neighboring) string { return "" }

func (p PoissonSampled) parts() []Event     { return []Event{p.Event} }
func (w WithoutReplacement) parts() []Event { return []Event{w.Event} }
func (p Partition) parts() []Event          { return []Event{p.Event} }
