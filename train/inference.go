package train

// Estimate is an estimated number with its standard error and a confidence interval.
type Estimate struct {
	// Name names the estimated number.
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// StandardError allows for the sampling of the records and for the noise. NoiseError allows for
	// the noise only.
	StandardError float64 `json:"standard-error"`
	NoiseError    float64 `json:"noise-error"`
	// Lower and Upper are the ends of the interval.
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// Omission is a feature without an estimate.
type Omission struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Inference contains estimates of the coefficients of linear regression, in the units of the table.
// Methods that release sums of products compute it from released numbers.
type Inference struct {
	// Level is the confidence level of the intervals.
	Level float64 `json:"level"`
	// Estimates are the intercept, then the coefficient of each feature. The intercept is the value
	// if all numbers are 0 and every column has its first level. A coefficient is the change for
	// one more unit, or for another level. The estimates come from least squares without a ridge,
	// on the features that are not omitted. So they differ from the weights of the model. Estimates
	// is nil if Refusal is not empty.
	Estimates []Estimate `json:"estimates,omitempty"`
	// Omitted lists the features whose coefficients cannot be estimated from the released numbers.
	Omitted []Omission `json:"not-estimable,omitempty"`
	// Refusal is the reason for missing intervals. It is empty if there are intervals.
	Refusal string `json:"refusal,omitempty"`
	// Records is the noisy number of records. Determination is R² of the model's weights over the
	// training records, computed from the released sums. Both are 0 if they are unknown.
	Records       float64 `json:"records,omitempty"`
	Determination float64 `json:"determination,omitempty"`
}
