package option

// These are the methods of package erm that other packages name.
const (
	// MethodAuto requests the method that erm.Recommend names.
	MethodAuto = "auto"
	// MethodSufficientStatistics is linear regression from noisy sums of products.
	MethodSufficientStatistics = "sufficient-statistics"
	// MethodOutput is output perturbation: the minimizer of the sum of losses with a ridge, plus
	// noise.
	MethodOutput = "output-perturbation"
	// MethodObjective is objective perturbation: the minimizer of the sum of losses with a ridge
	// and a random linear term.
	MethodObjective = "objective-perturbation"
	// MethodExponential is the exponential mechanism over a declared grid of weights.
	MethodExponential = "exponential"
	// MethodZeroth is descent that uses values of losses only.
	MethodZeroth = "zeroth-order"
	// MethodFrankWolfe is descent within an L1 ball, with one private choice of a coordinate in
	// each step.
	MethodFrankWolfe = "frank-wolfe"
	// MethodLBFGS is the baseline without privacy.
	MethodLBFGS = "l-bfgs"
)

// These are the noises of a released vector of weights. L1 and L∞ noise is exact on the integers
// and has a guarantee at delta 0. L2 noise is within a stated slack of it, so delta must be above
// 0.
const (
	NoiseGaussian  = "gaussian"
	NoiseL1        = "l1"
	NoiseL2        = "l2"
	NoiseLInfinity = "l-infinity"
)

// These are the solvers of output perturbation. One record moves the result of each by at most a
// bound of its own.
const (
	// SolverExact finds the minimizer (Chaudhuri, Monteleoni & Sarwate 2011).
	SolverExact = "exact"
	// SolverGradient is a fixed number of steps of gradient descent (Zhang, Zheng, Mou & Wang
	// 2017).
	SolverGradient = "gradient-descent"
	// SolverPermuted is a fixed number of passes over batches in one random order (Wu, Li, Kumar,
	// Chaudhuri, Jha & Naughton 2017), under replace-one.
	SolverPermuted = "permuted-descent"
)

// These are the ways to choose a point of a grid, or a coordinate.
const (
	// ChoiceFlip is permute-and-flip, whose expected loss is at most that of the exponential
	// mechanism.
	ChoiceFlip = "permute-and-flip"
	// ChoiceExponential is the exponential mechanism.
	ChoiceExponential = "exponential"
)

const (
	// DefaultZerothSteps and DefaultDirections are the numbers of steps of zeroth-order descent,
	// and of directions in a step.
	DefaultZerothSteps, DefaultDirections = 400, 8
	// DiagnosisRidge is the ridge, added to the sum of losses, with which a diagnosis finds the
	// minimizer. A problem need not have a minimizer otherwise.
	DiagnosisRidge = 1e-2
)

// HasBaseline reports whether a method of package erm also runs without privacy. Without noise it
// must differ from every other method. Methods whose noise is the method (objective perturbation,
// the exponential mechanism, private Frank-Wolfe) have no baseline. The result for unknown names is
// true.
func HasBaseline(name string) bool {
	return name != MethodObjective && name != MethodExponential && name != MethodFrankWolfe
}
