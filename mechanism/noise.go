package mechanism

// Noise is a way to release a sum: Gaussian, KNorm, DiscreteGaussian, DiscreteLaplace, JLClipping
// or NonPrivate. Its value is also the event of that release from all records, which sampling
// events wrap. The set is closed.
type Noise interface {
	Event
	// noise marks the events that noise is drawn for.
	noise()
}

func (Gaussian) noise()         {}
func (KNorm) noise()            {}
func (DiscreteGaussian) noise() {}
func (DiscreteLaplace) noise()  {}
func (JLClipping) noise()       {}
func (NonPrivate) noise()       {}
