package mechanism

// Choice is a way to choose one of several candidates by their scores: Exponential or
// PermuteAndFlip. It is the event that the choice costs. The set is closed.
type Choice interface {
	Event
	// choice marks the events by which a candidate is chosen.
	choice()
}

func (Exponential) choice()    {}
func (PermuteAndFlip) choice() {}
