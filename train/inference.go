package train

// Estimate is an estimated number with its standard error and a confidence interval.
type Estimate struct {
	// Name is the name of the estimated coefficient.
	Name string `json:"name"`
	// Value is the estimate.
	Value float64 `json:"value"`
	// StandardError is the standard error of Value, due to the sampling of the records and to the
	// noise.
	StandardError float64 `json:"standard-error"`
	// NoiseError is the standard deviation that the noise alone causes in Value.
	NoiseError float64 `json:"noise-error"`
	// Lower is the lower end of the confidence interval.
	Lower float64 `json:"lower"`
	// Upper is the upper end of the confidence interval.
	Upper float64 `json:"upper"`
}

// Omission is a feature whose coefficient is not estimated.
type Omission struct {
	// Name is the name of the feature.
	Name string `json:"name"`
	// Reason states in words why the coefficient is not estimated.
	Reason string `json:"reason"`
}

// Inference contains estimates of the coefficients of a linear regression, in the units of the
// table. It is computed from released sums of products, so it costs nothing more.
type Inference struct {
	// Level is the confidence level of the intervals.
	Level float64 `json:"level"`
	// Estimates are the intercept and then the coefficient of each feature. The intercept is the
	// expected target if all numbers are 0 and every categorical column has its first level. A
	// coefficient of a number is the change in the expected target for one more unit. A coefficient
	// of a level is the change in the expected target for this level instead of the first. The
	// estimates come from least squares without a ridge penalty, on the features that are not in
	// Omitted. So they differ from the weights of the model. Estimates is nil if Refusal is not
	// empty.
	Estimates []Estimate `json:"estimates,omitempty"`
	// Omitted lists the features whose coefficients cannot be estimated from the released numbers.
	Omitted []Omission `json:"not-estimable,omitempty"`
	// Refusal states in words why there are no intervals. It is empty if there are intervals.
	Refusal string `json:"refusal,omitempty"`
	// Records is the noisy number of records. It is 0 if it is unknown.
	Records float64 `json:"records,omitempty"`
	// Determination is R² of the model's weights over the training records, computed from the
	// released sums. It is 0 if it is unknown.
	Determination float64 `json:"determination,omitempty"`
}
