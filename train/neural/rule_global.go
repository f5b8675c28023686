package neural

import "math"

// global multiplies every gradient up to the threshold Z by C/Z and drops longer ones. So the sum
// keeps the direction of the mean of the kept gradients (Bu, Wang, Dai & Long, "On the Convergence
// and Calibration of Deep Learning with Differential Privacy", TMLR 2023, section 4,
// https://arxiv.org/abs/2106.07830). Z is public.
type global struct{}

// globalAdaptive is global, except that it scales longer gradients down to C instead of dropping
// them. Its threshold follows the released share of the gradients within it (Esipova, Atashin
// Ghomi, Luo & Cresswell, "Disparate Impact in Differential Privacy from Gradient Misalignment",
// ICLR 2023, algorithm 2, https://arxiv.org/abs/2206.07737). The threshold moves as the norm of
// adaptive clipping does.
type globalAdaptive struct{}

var (
	_ rule     = global{}
	_ adapting = globalAdaptive{}
)

func (global) name() string { return "global" }

func (global) needs() parameters { return parameters{threshold: true} }

func (global) weight(norm float64, l level) float64 {
	if norm > l.threshold {
		return 0
	}
	return l.norm / l.threshold
}

func (globalAdaptive) name() string { return "global-adaptive" }

func (globalAdaptive) needs() parameters { return parameters{threshold: true, adaptive: true} }

func (globalAdaptive) weight(norm float64, l level) float64 {
	return l.norm / max(norm, l.threshold)
}

func (globalAdaptive) within(norm float64, l level) bool { return norm <= l.threshold }

func (globalAdaptive) adapt(l level, share float64, a adaptivity) level {
	l.threshold = a.follow(l.threshold, share)
	return l
}

// follow moves a norm toward the quantile. It multiplies the norm by exp(-Rate·(share - Quantile)),
// within its limits.
func (a adaptivity) follow(norm, share float64) float64 {
	share = max(0, min(1, share))
	return max(a.Least, min(a.Most, norm*math.Exp(-a.Rate*(share-a.Quantile))))
}
