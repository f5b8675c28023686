package neural

// Resumed returns the setup of the run that Resume makes from a checkpoint. Its plan, and so its
// event, counts the steps of earlier runs. It returns the error with which Resume would refuse the
// checkpoint.
func (s Setup) Resumed(from *Checkpoint) (Setup, error) {
	if err := from.check(s); err != nil {
		return Setup{}, err
	}
	s.Plan = from.Plan.interruptedAfter(from.Taken, from.Ahead)
	return s, nil
}
