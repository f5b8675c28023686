package option

// DefaultScoreBins is the number of score bins for two levels. More levels have one bin, so that
// the release is the confusion matrix.
const DefaultScoreBins = 60

// These are the metrics that sweeps choose by, defined in package evaluate.
const (
	MetricAccuracy = "accuracy"
	MetricAUC      = "auc"
	MetricR2       = "r2"
)
