package contour

import "math"

// excess returns e^y - 1 - y, at least 0, to about 1e-15 relative. This holds for small y too,
// where the plain difference has no digits left.
func excess(y float64) float64 {
	if math.Abs(y) > 0.125 {
		return math.Expm1(y) - y
	}
	// The Taylor series, Σ y^k/k! from k = 2; the first term left out is below 1e-17 of it.
	return y * y * (1.0/2 + y*(1.0/6+y*(1.0/24+y*(1.0/120+y*(1.0/720+y*(1.0/5040+y*(1.0/40320+
		y*(1.0/362880+y*(1.0/3628800+y/39916800)))))))))
}

// logOnePlus returns the principal logarithm of 1 + re + i·im. It keeps the relative accuracy of a
// small argument.
func logOnePlus(re, im float64) (logModulus, phase float64) {
	if square := 2*re + re*re + im*im; square < 0.5 && square > -0.5 {
		return 0.5 * math.Log1p(square), math.Atan2(im, 1+re)
	}
	return math.Log(math.Hypot(1+re, im)), math.Atan2(im, 1+re)
}

// logSumExp returns log Σ e^v over a list that is not empty.
func logSumExp(values []float64) float64 {
	top := math.Inf(-1)
	for _, v := range values {
		top = math.Max(top, v)
	}
	if math.IsInf(top, 0) {
		return top
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}
