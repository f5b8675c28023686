package mechanism

// Noise is the noise of a released sum: Gaussian, KNorm, DiscreteGaussian, DiscreteLaplace,
// JLClipping or NonPrivate. It is also the event of that release without sampling. Sampled events
// wrap it. Other packages cannot implement Noise.
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
