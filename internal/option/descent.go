package option

// The methods of package train, as certificates name them.
const (
	// MethodGD is gradient descent on all records.
	MethodGD = "dp-gd"
	// MethodSGD is gradient descent on samples.
	MethodSGD = "dp-sgd"
)

// What is clipped.
const (
	// ClipGradient scales each record's gradient down to the clipping norm.
	ClipGradient = "gradient"
	// ClipExample scales each row down once; the loss's Lipschitz constant then bounds the gradient.
	ClipExample = "example"
	// ClipDataAndParameter scales each row down to norm R once and projects the weights on a ball
	// of declared radius ρ after every step. Scores then lie within R·ρ, which bounds the derivative
	// of losses that have no Lipschitz constant, such as the squared loss, whose targets lie within
	// ±1: by R·ρ + 1, and the gradient by R·(R·ρ + 1).
	ClipDataAndParameter = "data-and-parameter"
	// ClipDeclaredLipschitz takes the declared clipping norm for a Lipschitz constant of the loss and
	// scales nothing itself. A record whose gradient is longer breaks the declaration, not the
	// guarantee: its contribution is cut to the bound.
	ClipDeclaredLipschitz = "declared-lipschitz"
)

// ClippingModes lists what can be clipped.
func ClippingModes() []string {
	return []string{ClipGradient, ClipExample, ClipDataAndParameter, ClipDeclaredLipschitz}
}

// What of a run is priced.
const (
	// AccountingComposition prices every released gradient; "" means it.
	AccountingComposition = "composition"
	// AccountingLastIterate prices the last iterate, which alone leaves (release.Recursion).
	AccountingLastIterate = "last-iterate"
	// AccountingAuto takes the one that needs less noise, composition where the last iterate alone has no
	// proof.
	AccountingAuto = "auto"
)

// Accountings lists the ways to price a run.
func Accountings() []string {
	return []string{AccountingComposition, AccountingLastIterate, AccountingAuto}
}

// The weights that a run returns. All iterates are functions of what was released, so that every rule costs the same.
const (
	// OutputLast is the last iterate.
	OutputLast = "last"
	// OutputUniformAverage is the mean of the iterates at which gradients were taken: from the first,
	// which is zero, to the one before the last.
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

// How the learning rate goes over the steps.
const (
	// ScheduleConstant keeps the learning rate; "" means it.
	ScheduleConstant = "constant"
	// ScheduleLinear takes it to zero along a line: times 1 - t/T in step t of T, from 0.
	ScheduleLinear = "linear"
	// ScheduleCosine takes it to zero along half a wave: times (1 + cos(π·t/T))/2 (Loshchilov &
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

// The optimizers of descent.
const (
	// OptimizerMomentum is descent with heavy-ball momentum; "" means it.
	OptimizerMomentum = "momentum"
	// OptimizerNesterov is descent with Nesterov's momentum.
	OptimizerNesterov = "nesterov"
	// OptimizerAdam is Adam as it was proposed.
	OptimizerAdam = "adam"
	// OptimizerAdamCorrected is Adam that takes the known variance of the noise off its squares.
	OptimizerAdamCorrected = "adam-corrected"
	// OptimizerLBFGS is L-BFGS, of baselines only: it ends where it has converged.
	OptimizerLBFGS = "l-bfgs"
)

// Optimizers lists the optimizers of descent.
func Optimizers() []string {
	return []string{OptimizerMomentum, OptimizerNesterov, OptimizerAdam, OptimizerAdamCorrected, OptimizerLBFGS}
}

// The numbers of a descent that asks for no others.
const (
	// DefaultMomentum is the momentum of the tool.
	DefaultMomentum = 0.9
	// DefaultSteps is the number of steps of a private run: in full batch the noise in the
	// result depends on steps·learning rate only, so it need not be tuned.
	DefaultSteps = 60
	// WhitenedSteps is that number where rows are whitened: more of them, each shorter, leave less noise
	// in the strong directions; 240 are no better.
	WhitenedSteps = 120
	// DefaultEpochs is the expected number of times that a sampled run sees each record.
	DefaultEpochs = 20
	// BaselineSteps is the number of steps of a baseline, which may converge further.
	BaselineSteps = 300
	// ConvergedSteps is the largest number of gradients of a baseline by OptimizerLBFGS, which ends where it has
	// converged.
	ConvergedSteps = 2000
	// ConvergedGradient is the largest entry of the gradient of the mean loss where it has.
	ConvergedGradient = 1e-6
)
