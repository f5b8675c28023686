package option

// MethodNetwork is the method of package neural in certificates.
const MethodNetwork = "dp-network"

// These are the ways to choose the records of a step.
const (
	// SamplingFull takes every record in every step.
	SamplingFull = "full"
	// SamplingPoisson takes each record with a probability, independently of everything else.
	SamplingPoisson = "poisson"
	// SamplingTruncated bounds the size of batches. Of a Poisson sample with more than BatchSize
	// records it takes this number, each with equal probability.
	SamplingTruncated = "truncated-poisson"
	// SamplingFixedSize takes batches of one size. It has a proof under replace-one only and costs
	// far more than Poisson samples of the same expected size.
	SamplingFixedSize = "fixed-size"
	// SamplingPartition divides the records once into parts, each record independently, and the
	// steps go round the parts. A record pays for one step of every round.
	SamplingPartition = "partition"
	// SamplingShuffle divides the records anew before every round. It is priced as a partition,
	// because no gain from shuffling is proved.
	SamplingShuffle = "shuffle"
	// SamplingCyclic divides the records as a partition does. Of the current part it takes each
	// record with a probability, independently of everything else.
	SamplingCyclic = "cyclic"
)

// These are the ways to correlate the noise of steps.
const (
	// CorrelatedBanded correlates steps less than a round apart, by a banded matrix. The parts do
	// not change (mechanism.BandedMatrix). Each step may sample from the current part.
	CorrelatedBanded = "banded"
	// CorrelatedTree sums the steps of a round by a binary tree. Every round divides the records
	// anew and begins a new tree (mechanism.TreeAggregation).
	CorrelatedTree = "tree"
)

// These are the ways to divide the noise among groups of parameters, at the same cost.
const (
	// AllocationEven uses the same noise multiplier for every group: each has the same share of the
	// cost.
	AllocationEven = "even"
	// AllocationIsotropic uses the same noise on every number.
	AllocationIsotropic = "isotropic"
	// AllocationDimension uses the least noise in all numbers together. The variance of each of the
	// d_k numbers of group k is proportional to C_k/√d_k. (Minimize Σ d_k·ν_k² at fixed Σ
	// C_k²/ν_k².)
	AllocationDimension = "dimension"
)

// These are the rules for the weights that a run returns. All iterates follow from released
// numbers, so that every rule costs the same.
const (
	// AverageNone returns the last iterate; "" means it.
	AverageNone = "none"
	// AverageExponential returns the moving average that keeps AverageDecay of itself in each step,
	// corrected for its start (De, Berrada, Hayes, Smith & Balle, "Unlocking High-Accuracy
	// Differentially Private Image Classification through Scale", 2022, section 3.5,
	// https://arxiv.org/abs/2204.13650).
	AverageExponential = "exponential"
	// AverageUniform returns the mean of the iterates after each step (Polyak & Juditsky,
	// "Acceleration of Stochastic Approximation by Averaging", SIAM Journal on Control and
	// Optimization 1992).
	AverageUniform = "uniform"
	// AverageTail returns the mean of the last 40 % of the iterates.
	AverageTail = "tail"
)

// These are the default numbers of a training of networks.
const (
	// NetworkProbability is the sampling probability of a request without sampling.
	NetworkProbability = 0.05
	// NetworkEpochs is the expected number of times that a run reads each record.
	NetworkEpochs = 20
	// DefaultAverageDecay is the share of itself that the exponential average keeps in a step.
	DefaultAverageDecay = 0.99
	// DefaultRate is the speed of an adaptive norm that its authors propose.
	DefaultRate = 0.2
	// DefaultProjections and DefaultCap are the defaults of the rule "projected": the number of
	// projections, and the largest clipped gradient in clipping norms.
	DefaultProjections, DefaultCap = 20, 2.0
)

// CorrelatedKinds lists the ways to correlate noise.
func CorrelatedKinds() []string { return []string{CorrelatedBanded, CorrelatedTree} }

// Samplings lists the ways to choose records.
func Samplings() []string {
	return []string{SamplingFull, SamplingPoisson, SamplingTruncated, SamplingFixedSize, SamplingPartition, SamplingShuffle, SamplingCyclic}
}

// Averages lists the rules for the weights of networks.
func Averages() []string {
	return []string{AverageNone, AverageExponential, AverageUniform, AverageTail}
}

// Allocations lists the ways to divide noise.
func Allocations() []string {
	return []string{AllocationEven, AllocationIsotropic, AllocationDimension}
}

// These are the default numbers of a diagnosis of networks.
const (
	// DiagnosisRecords, DiagnosisNormRecords and DiagnosisSteps are the defaults of a diagnosis.
	DiagnosisRecords, DiagnosisNormRecords, DiagnosisSteps = 16, 1000, 2000
	// SmallShare is the small clipping norm as a share of the median norm.
	SmallShare = 0.1
)

// NetworkOptimizers lists the optimizers of networks, the default first.
func NetworkOptimizers() []string {
	return []string{"momentum", "nesterov", "adagrad", "adam", "adamw", "adam-corrected", "scaled-adam"}
}

// ClippingRules returns the name of each clipping rule of networks with a few words on what it
// does, the default rule first.
func ClippingRules() [][2]string {
	return [][2]string{
		{"flat", "longer gradients are scaled down to the clipping norm"},
		{"auto-s", "gradients are divided by their norm plus a constant, so that the clipping norm needs no tuning"},
		{"auto-v", "gradients are divided by their norm"},
		{"psac", "gradients are divided by their norm plus what short ones are damped by"},
		{"global", "all gradients up to a threshold are scaled alike, longer ones dropped"},
		{"global-adaptive", "all gradients up to a threshold are scaled alike, longer ones to the clipping norm; the threshold follows a noisy count"},
		{"quantile", "longer gradients are scaled down to a norm that follows a quantile by noisy counts"},
		{"projected", "norms are estimated by random projections: for comparison, it needs more noise"},
	}
}
