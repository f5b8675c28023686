package kernel

// Contributions are what a model proposes that consecutive records add to a sum:
// record i adds its row times Coefficients[i*Columns : (i+1)*Columns], an outer
// product of shape Columns × dim. A model only fills it; whoever sums verifies it.
type Contributions struct {
	// Columns is the number of coefficients a record has: 1 for one score, the
	// number of classes for softmax.
	Columns int
	// Coefficients has one group of Columns values a record.
	Coefficients []float64
	// Scores is working space of the model.
	Scores []float32
	// Norms is working space of who clips.
	Norms []float64
}

// Records returns the number of records that c speaks of.
func (c Contributions) Records() int {
	if c.Columns < 1 {
		return 0
	}
	return len(c.Coefficients) / c.Columns
}
