package kernel

// Contributions are a model's proposals for the contributions of consecutive records to a sum.
// Record i adds its row times Coefficients[i*Columns : (i+1)*Columns], an outer product of shape
// Columns × dim. A model only fills it; the code that sums verifies it.
type Contributions struct {
	// Columns is the number of coefficients of a record: 1 for one score, the number of classes for
	// softmax.
	Columns int
	// Coefficients has one group of Columns values for each record.
	Coefficients []float64
	// Scores is scratch of the model.
	Scores []float32
	// Norms is scratch of the code that clips.
	Norms []float64
}

// Records returns the number of records in c.
func (c Contributions) Records() int {
	if c.Columns < 1 {
		return 0
	}
	return len(c.Coefficients) / c.Columns
}
