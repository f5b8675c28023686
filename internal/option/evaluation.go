package option

// DefaultScoreBins is the number of score bins for two levels; more levels have one bin, so that the
// release is the confusion matrix.
const DefaultScoreBins = 60

// Metrics that sweeps choose by, as package evaluate defines them.
const (
	MetricAccuracy = "accuracy"
	MetricAUC      = "auc"
	MetricR2       = "r2"
)
