package option

// These are the methods of package train in certificates.
const (
	// MethodGD is gradient descent on all records.
	MethodGD = "dp-gd"
	// MethodSGD is gradient descent on samples.
	MethodSGD = "dp-sgd"
)

// These are the clipped quantities.
const (
	// ClipGradient scales each record's gradient down to the clipping norm.
	ClipGradient = "gradient"
	// ClipExample scales each row down once; the loss's Lipschitz constant then bounds the
	// gradient.
	ClipExample = "example"
	// ClipDataAndParameter scales each row down to norm R once, and projects the weights on a ball
	// of declared radius ρ after every step. Scores then lie within R·ρ. This bounds the derivative
	// of losses without a Lipschitz constant, such as the squared loss with targets within ±1. The
	// derivative is at most R·ρ + 1, and the gradient at most R·(R·ρ + 1).
	ClipDataAndParameter = "data-and-parameter"
	// ClipDeclaredLipschitz uses the declared clipping norm as a Lipschitz constant of the loss and
	// scales nothing itself. A record with a longer gradient violates the declaration, not the
	// guarantee: its contribution is cut to the bound.
	ClipDeclaredLipschitz = "declared-lipschitz"
)

// ClippingModes lists the clipping modes.
func ClippingModes() []string {
	return []string{ClipGradient, ClipExample, ClipDataAndParameter, ClipDeclaredLipschitz}
}

// These are the ways to price a run.
const (
	// AccountingComposition prices every released gradient; "" means it.
	AccountingComposition = "composition"
	// AccountingLastIterate prices the last iterate, which is the only release (release.Recursion).
	AccountingLastIterate = "last-iterate"
	// AccountingAuto takes the one that needs less noise. It takes composition if the last iterate
	// alone has no proof.
	AccountingAuto = "auto"
)

// Accountings lists the ways to price a run.
func Accountings() []string {
	return []string{AccountingComposition, AccountingLastIterate, AccountingAuto}
}

// These are the rules for the weights that a run returns. All iterates are functions of released
// numbers, so that every rule costs the same.
const (
	// OutputLast is the last iterate.
	OutputLast = "last"
	// OutputUniformAverage is the mean of the iterates at which gradients were taken: from the
	// first, which is zero, to the last but one.
	OutputUniformAverage = "uniform-average"
	// OutputTailAverage is the mean of the last 40 % of the iterates.
	OutputTailAverage = "tail-average"
	// OutputAllIterates is the last iterate as the model, and also the iterate after every step.
	OutputAllIterates = "all-iterates"
)

// OutputRules lists the rules for the weights that a run returns.
func OutputRules() []string {
	return []string{OutputLast, OutputUniformAverage, OutputTailAverage, OutputAllIterates}
}

// These are the schedules of the learning rate.
const (
	// ScheduleConstant keeps the learning rate; "" means it.
	ScheduleConstant = "constant"
	// ScheduleLinear lowers it to zero along a line: times 1 - t/T in step t of T, from 0.
	ScheduleLinear = "linear"
	// ScheduleCosine lowers it to zero along half a wave: times (1 + cos(π·t/T))/2 (Loshchilov &
	// Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017, without restarts,
	// https://arxiv.org/abs/1608.03983).
	ScheduleCosine = "cosine"
	// ScheduleInverseSquareRoot divides it by √(t+1).
	ScheduleInverseSquareRoot = "inverse-sqrt"
)

// Schedules lists the schedules of learning rates.
func Schedules() []string {
	return []string{ScheduleConstant, ScheduleLinear, ScheduleCosine, ScheduleInverseSquareRoot}
}

// These are the optimizers of descent.
const (
	// OptimizerMomentum is descent with heavy-ball momentum; "" means it.
	OptimizerMomentum = "momentum"
	// OptimizerNesterov is descent with Nesterov's momentum.
	OptimizerNesterov = "nesterov"
	// OptimizerAdam is the original Adam.
	OptimizerAdam = "adam"
	// OptimizerAdamCorrected is Adam with the known variance of the noise subtracted from its
	// squares.
	OptimizerAdamCorrected = "adam-corrected"
	// OptimizerLBFGS is L-BFGS, for baselines only. It ends at convergence.
	OptimizerLBFGS = "l-bfgs"
)

// Optimizers lists the optimizers of descent.
func Optimizers() []string {
	return []string{OptimizerMomentum, OptimizerNesterov, OptimizerAdam, OptimizerAdamCorrected, OptimizerLBFGS}
}

// These are the default numbers of a descent.
const (
	// DefaultMomentum is the momentum of the tool.
	DefaultMomentum = 0.9
	// DefaultSteps is the number of steps of a private run. In full batch the noise in the result
	// depends on steps·learning rate only, so it need not be tuned.
	DefaultSteps = 60
	// WhitenedSteps is the number of steps with whitened rows. More and shorter steps leave less
	// noise in the strong directions; 240 are no better.
	WhitenedSteps = 120
	// FineSteps is the number of steps where a rule on public numbers takes fine pairs of columns. Their
	// many directions learn slowly.
	FineSteps = 300
	// DefaultEpochs is the expected number of times that a sampled run reads each record.
	DefaultEpochs = 20
	// BaselineSteps is the number of steps of a baseline, which may converge further.
	BaselineSteps = 300
	// ConvergedSteps is the largest number of gradients of a baseline by OptimizerLBFGS, which ends
	// at convergence.
	ConvergedSteps = 2000
	// ConvergedGradient is the largest entry of the mean loss's gradient at convergence.
	ConvergedGradient = 1e-6
)
