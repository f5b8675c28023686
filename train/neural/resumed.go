package neural

// Resumed returns the setup with which Resume continues from a checkpoint under these options. The plan and the
// event of this setup count the steps of earlier runs. A checkpoint that Resume would refuse is an error.
func (s Setup) Resumed(o Options, from *Checkpoint) (Setup, error) {
	if err := from.check(s, o); err != nil {
		return Setup{}, err
	}
	s.Plan = from.Plan.interruptedAfter(from.Taken, from.Ahead)
	return s, nil
}
