package release

import (
	"fmt"
	"math"
)

// Loss is a convex loss of the scores of one record and its label. This package knows its
// constants, which sensitivities rest on. The set is closed; the zero value is invalid. A label is
// a class index, or for Huber and quantile the target, moved into [-1, 1].
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

// LogisticLoss is log(1 + exp(-y·z)) of one score, y = -1 for label 0 and +1 for label 1.
func LogisticLoss() Loss { return Loss{kind: lossLogistic} }

// OneVsRestLoss is the sum of one logistic loss a score: that of the label against all others.
func OneVsRestLoss() Loss { return Loss{kind: lossOneVsRest} }

// SoftmaxLoss is log Σ exp(z_k) - z_y.
func SoftmaxLoss() Loss { return Loss{kind: lossSoftmax} }

// HuberLoss is half the squared residual z - y up to width, and linear beyond.
func HuberLoss(width float64) Loss { return Loss{kind: lossHuber, width: width} }

// QuantileLoss is (1-quantile)·u for u = z - y above width, -quantile·u below -width, and (u +
// width)²/(4·width) - quantile·u between.
func QuantileLoss(quantile, width float64) Loss { return Loss{lossQuantile, width, quantile} }

// HingeLoss is 1 - m for m = y·z below 1 - width, y = ±1 as in LogisticLoss, 0 above 1 + width, and
// (1 + width - m)²/(4·width) between.
func HingeLoss(width float64) Loss { return Loss{kind: lossHinge, width: width} }

// String returns the loss's name.
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
	if l.kind >= lossHuber && !positive(l.width) || l.kind == lossQuantile && !(l.quantile > 0 && l.quantile < 1) {
		return fmt.Errorf("release: loss is %v, want a positive finite width and a quantile between 0 and 1", l)
	}
	return nil
}

// Lipschitz returns the largest L2 norm of the derivative with respect to the scores: one score is
// wrong by at most 1 (or the width); softmax has p - e_y, of norm at most √2.
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

// Smoothness returns a bound on the eigenvalues of the second derivative with respect to the
// scores.
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
// to columns more. The exponential is correct to an ulp.
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
