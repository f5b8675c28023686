package neural

// psac scales a gradient to C·‖g‖/(‖g‖ + r/(‖g‖ + r)), r being the stability. Long gradients are
// scaled to the clipping norm, and short gradients stay short (Xia, Shen, Yao, Fu, Xu, Xu & Fu,
// "Differentially Private Learning with Per-Sample Adaptive Clipping", AAAI 2023, equation 6,
// https://arxiv.org/abs/2212.00328).
type psac struct{}

var _ rule = psac{}

func (psac) name() string { return "psac" }

func (psac) needs() parameters { return parameters{stability: true} }

func (psac) weight(norm float64, l level) float64 {
	return l.norm / (norm + l.stability/(norm+l.stability))
}
