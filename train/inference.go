package train

// Estimate is an estimated number with its standard error and an interval.
type Estimate struct {
	// Name says what is estimated.
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// StandardError counts that the records are a sample, and the noise; NoiseError the noise alone.
	StandardError float64 `json:"standard-error"`
	NoiseError    float64 `json:"noise-error"`
	// Lower and Upper are the interval's ends.
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// Omission is a feature without an estimate.
type Omission struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Inference is what a method that releases sums of products says about the coefficients of linear regression
// in the units of the table. It follows from released numbers.
type Inference struct {
	// Level is the share of intervals that hold the number that they are for.
	Level float64 `json:"level"`
	// Estimates are the intercept, then the coefficient of each feature: the value at which all numbers
	// are 0 and every level is the first of its column, and what one unit adds, or another level. They are those of least squares without a
	// ridge, on the features that are not omitted, so they differ from the weights of the model. Nil where Refusal
	// is not empty.
	Estimates []Estimate `json:"estimates,omitempty"`
	// Omitted are features whose coefficients the released numbers do not determine.
	Omitted []Omission `json:"not-estimable,omitempty"`
	// Refusal says why there are no intervals.
	Refusal string `json:"refusal,omitempty"`
	// Records is the number of records with its noise; Determination R² of the model's weights over
	// the training records, as the released sums have it. They are 0 where they are not known.
	Records       float64 `json:"records,omitempty"`
	Determination float64 `json:"determination,omitempty"`
}
