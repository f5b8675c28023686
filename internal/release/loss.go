package release

import (
	"fmt"
	"math"
)

// Loss is a convex loss of a record's scores and label. This package contains its constants,
// because sensitivities depend on them. Only functions of this package return valid losses; the
// zero value is invalid. A label is a class index. For the Huber and the quantile loss it is the
// target instead, clipped to [-1, 1].
type Loss struct {
	kind     lossKind
	width    float64
	quantile float64
}

type lossKind uint8

const (
	lossLogistic lossKind = iota + 1
	lossOneVsRest
	lossSoftmax
	lossHuber
	lossQuantile
	lossHinge
)

// LogisticLoss returns the loss log(1 + exp(-y·z)) of one score z, where y is -1 for label 0 and +1
// for label 1.
func LogisticLoss() Loss { return Loss{kind: lossLogistic} }

// OneVsRestLoss returns the sum of one logistic loss for each score. The loss of score k separates
// label k from all other labels.
func OneVsRestLoss() Loss { return Loss{kind: lossOneVsRest} }

// SoftmaxLoss returns the loss log Σ exp(z_k) - z_y, where z_k is the score of class k and y is the
// label.
func SoftmaxLoss() Loss { return Loss{kind: lossSoftmax} }

// HuberLoss returns the Huber loss of the residual r = z - y, where z is the score and y the
// target. It is r²/2 for |r| up to width, and grows linearly for larger |r|.
func HuberLoss(width float64) Loss { return Loss{kind: lossHuber, width: width} }

// QuantileLoss returns the smoothed pinball loss of u = z - y, where z is the score and y the
// target. It is (1-quantile)·u if u is above width, and -quantile·u if u is below -width. Otherwise
// it is (u + width)²/(4·width) - quantile·u.
func QuantileLoss(quantile, width float64) Loss { return Loss{lossQuantile, width, quantile} }

// HingeLoss returns the huberized hinge loss. Let m = y·z, where z is the score, and y is -1 for
// label 0 and +1 for label 1. The loss is 1 - m if m is below 1 - width, and 0 if m is above 1 +
// width. Otherwise it is (1 + width - m)²/(4·width).
func HingeLoss(width float64) Loss { return Loss{kind: lossHinge, width: width} }

// String returns the name of the loss.
func (l Loss) String() string {
	switch l.kind {
	case lossLogistic:
		return "logistic"
	case lossOneVsRest:
		return "one-vs-rest"
	case lossSoftmax:
		return "softmax"
	case lossHuber:
		return fmt.Sprintf("huber(%v)", l.width)
	case lossQuantile:
		return fmt.Sprintf("quantile(%v, %v)", l.quantile, l.width)
	case lossHinge:
		return fmt.Sprintf("hinge(%v)", l.width)
	}
	return "invalid-loss"
}

// check refuses a loss that has not this number of scores.
func (l Loss) check(columns int) error {
	many := l.kind == lossOneVsRest || l.kind == lossSoftmax
	if l.kind < lossLogistic || l.kind > lossHinge || columns < 1 || many == (columns == 1) {
		return fmt.Errorf("release: loss is %v of %d scores, want one made by this package's functions, with 2 or more scores for softmax and one-vs-rest and 1 for others", l, columns)
	}
	if l.kind >= lossHuber && !ordinary(l.width) || l.kind == lossQuantile && !(l.quantile > 0 && l.quantile < 1) {
		return fmt.Errorf("release: loss is %v, want a positive width between 2^-300 and 2^300 and a quantile between 0 and 1", l)
	}
	return nil
}

// Lipschitz returns the largest L2 norm of the derivative of the loss with respect to the scores,
// for this number of scores. The derivative by one score has a magnitude of at most 1, or of at
// most the width. The derivative of the softmax loss has a norm of at most √2.
func (l Loss) Lipschitz(columns int) float64 {
	switch l.kind {
	case lossOneVsRest:
		return math.Sqrt(float64(columns)) * (1 + 0x1p-52)
	case lossSoftmax:
		return math.Sqrt2 * (1 + 0x1p-52)
	case lossHuber:
		return l.width
	case lossQuantile:
		return max(l.quantile, 1-l.quantile)
	}
	return 1
}

// Smoothness returns an upper bound on the eigenvalues of the second derivative of the loss with
// respect to the scores.
func (l Loss) Smoothness() float64 {
	switch l.kind {
	case lossSoftmax:
		return 0.5
	case lossHuber:
		return 1
	case lossQuantile, lossHinge:
		return 1 / (2 * l.width) * (1 + 0x1p-52)
	}
	return 0.25
}

// atZero is the largest loss where all scores are 0.
func (l Loss) atZero(columns int) float64 {
	switch l.kind {
	case lossOneVsRest:
		return float64(columns) * math.Ln2
	case lossSoftmax:
		return math.Log(float64(columns))
	case lossHuber:
		return l.width
	case lossQuantile, lossHinge: // smoothing adds at most a quarter of the width
		return 1 + l.width/4
	}
	return math.Ln2
}

// residuals overwrites scores by the derivative of the loss, correct to residualError in every
// entry when the scores are exact. A label that is none gives zeros.
func (l Loss) residuals(z []float64, label float32) {
	y := float64(label)
	if l.kind == lossHuber || l.kind == lossQuantile {
		if y != y {
			clear(z)
			return
		}
		z[0] = l.slope(z[0] - max(-1, min(1, y)))
		return
	}
	if !(y >= 0 && y < float64(max(2, len(z)))) || y != math.Trunc(y) {
		clear(z)
		return
	}
	switch l.kind {
	case lossLogistic:
		z[0] = logistic(z[0]) - y
		return
	case lossHinge:
		z[0] = l.slope((2*y-1)*z[0]-1) * (2*y - 1)
		return
	case lossSoftmax:
		softmaxOf(z)
	case lossOneVsRest:
		for k, v := range z {
			z[k] = logistic(v)
		}
	}
	z[int(y)]--
}

// slope is the derivative of the loss by u, which is the residual of Huber and quantile, and m - 1
// of the hinge.
func (l Loss) slope(u float64) float64 {
	if l.kind == lossHuber {
		return max(-l.width, min(l.width, u))
	}
	inside := max(0, min(1, (u+l.width)/(2*l.width)))
	if l.kind == lossHinge {
		return inside - 1
	}
	return inside - l.quantile
}

// residualError bounds the absolute error of an entry that residuals writes: logistic has at most
// four steps with correct or nearly correct rounding of numbers up to 1. The sum of softmax has up
// to columns more. The exponential is correct to two ulps.
func residualError(columns int) float64 { return float64(columns+16) * 0x1p-53 }

// curve overwrites v, a direction in the scores, by the second derivative at the scores z times v.
// It shapes steps and decides nothing. z is overwritten too.
func (l Loss) curve(v, z []float64, label float32) {
	switch l.kind {
	case lossHuber, lossQuantile:
		v[0] *= l.bend(z[0] - float64(label))
	case lossHinge:
		v[0] *= l.bend((2*float64(label)-1)*z[0] - 1)
	case lossSoftmax:
		softmaxOf(z)
		mean := 0.0
		for k, p := range z {
			mean += p * v[k]
		}
		for k, p := range z {
			v[k] = p * (v[k] - mean)
		}
	default:
		for k, s := range z {
			p := logistic(s)
			v[k] *= p * (1 - p)
		}
	}
}

// bend is the derivative of slope.
func (l Loss) bend(u float64) float64 {
	switch {
	case !(math.Abs(u) < l.width):
		return 0
	case l.kind == lossHuber:
		return 1
	}
	return 1 / (2 * l.width)
}

// logistic is 1/(1+exp(-z)) without overflow.
func logistic(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// softmaxOf replaces scores by exp(z_k) over their sum.
func softmaxOf(z []float64) {
	top, sum := math.Inf(-1), 0.0
	for _, v := range z {
		top = max(top, v)
	}
	for k, v := range z {
		z[k] = math.Exp(v - top)
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
}
