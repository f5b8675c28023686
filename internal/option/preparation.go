package option

// These are the statistics of the records that are learned before descent, in plans.
const (
	// BoundsStatistic is two quantiles of a numeric column without declared bounds, each chosen by
	// the exponential mechanism.
	BoundsStatistic = "bounds"
	// BinsStatistic is the quantiles of a numeric column that divide its records into equal bins,
	// each chosen by the exponential mechanism.
	BinsStatistic = "bins"
	// LevelsStatistic is the texts of a column without declared levels whose noisy number of
	// records is above a threshold.
	LevelsStatistic = "levels"
	// CountStatistic is the number of records.
	CountStatistic = "count"
	// LabelsStatistic is the number of rows of each level of the target.
	LabelsStatistic = "labels"
	// RadiusStatistic is a histogram of the norms of rows, for its median.
	RadiusStatistic = "radius"
	// MeanStatistic is the sum of the normalized rows.
	MeanStatistic = "mean"
	// FrequencyStatistic is the sum of the normalized rows, by which features are scaled. It takes
	// the place of MeanStatistic.
	FrequencyStatistic = "frequencies"
	// CovarianceStatistic is the sum of x·xᵀ of the centered rows.
	CovarianceStatistic = "covariance"
	// VarianceStatistic is the sum of the squares of each coordinate of the centered rows.
	VarianceStatistic = "variances"
	// ChannelStatistic is the sum of X·Xᵀ, where a centered row is a matrix X of channels×places.
	ChannelStatistic = "channel-covariance"
	// PlaceStatistic is the sum of Xᵀ·X.
	PlaceStatistic = "place-covariance"
	// CalibrationStatistic is sums of the errors and of the variances of a model's probabilities. It
	// is released after the descent, and so is not one of Statistics.
	CalibrationStatistic = "calibration"
	// NumberCalibrationStatistic is sums of the errors of predicted numbers and of the predictions. It takes
	// the place of CalibrationStatistic.
	NumberCalibrationStatistic = "number-calibration"
)

// Statistics lists the statistics, in the order in which a plan releases them.
func Statistics() []string {
	return []string{BoundsStatistic, BinsStatistic, LevelsStatistic, CountStatistic, LabelsStatistic, RadiusStatistic,
		MeanStatistic, FrequencyStatistic, CovarianceStatistic, VarianceStatistic, ChannelStatistic, PlaceStatistic}
}

// These are parts of the budget for columns whose bounds, bins or levels are learned.
const (
	// BoundsShare is the part of the budget, as a fraction of μ², that all learned bounds together
	// take.
	BoundsShare = 0.02
	// BinsShare is the part that all learned bins together take.
	BinsShare = 0.05
	// LevelsShare is the part that all learned levels together take.
	LevelsShare = 0.02
	// ThresholdShare is the part of delta that the thresholds of all learned levels take.
	ThresholdShare = 0.05
	// BoundsOutside is the share of the records that learned bounds leave outside, half of it
	// beyond each end.
	BoundsOutside = 0.05
)

// These are the assumed forms of the covariance that whitens rows.
const (
	// StructureFull is any covariance: dim² numbers.
	StructureFull = "full"
	// StructureKronecker is the product of a covariance of channels and one of places. The
	// transforms must state the shape of features (feature.Pipeline.Shape).
	StructureKronecker = "kronecker"
	// StructureDiagonal treats features as uncorrelated: dim numbers.
	StructureDiagonal = "diagonal"
	// StructureFrequencies treats features as uncorrelated indicators, whose variances follow from
	// their means: dim numbers.
	StructureFrequencies = "frequencies"
)

// Structures lists the forms of the covariance.
func Structures() []string {
	return []string{StructureFull, StructureKronecker, StructureDiagonal, StructureFrequencies}
}

// These are the default values of the constant feature.
const (
	// DefaultIntercept is the value of the constant feature with rows of norm 1.
	DefaultIntercept = 0.5
	// TextIntercept is its value if a column is text. Its direction is the strongest of such rows.
	// A small value prevents it from bounding the learning rate of all others.
	TextIntercept = 0.2
	// WhitenedIntercept is its value with whitened rows, which have no strong direction. A larger
	// intercept would be the one direction that limits the learning rate.
	WhitenedIntercept = 0.25
)
