package mechanism

// Choice is the event that selects one of several candidates by their scores. It is Exponential or
// PermuteAndFlip. Other packages cannot implement Choice.
type Choice interface {
	Event
	// choice marks the events by which a candidate is chosen.
	choice()
}

func (Exponential) choice()    {}
func (PermuteAndFlip) choice() {}
