package neural

// Resumed returns the setup of the run that Resume makes from a checkpoint. Its plan and its event
// count the steps of earlier runs. It returns the error that Resume would return for the
// checkpoint.
func (s Setup) Resumed(from *Checkpoint) (Setup, error) {
	if err := from.check(s); err != nil {
		return Setup{}, err
	}
	s.Plan = from.Plan.interruptedAfter(from.Taken, from.Ahead)
	return s, nil
}
