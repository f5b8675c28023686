package mechanism

// Noise is the noise of a released sum: Gaussian, KNorm, DiscreteGaussian, DiscreteLaplace,
// JLClipping or NonPrivate. A Noise is also the event of a release of the sum over all records. For
// a release on a sample, the event of the sample contains the Noise. Other packages cannot
// implement Noise.
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
