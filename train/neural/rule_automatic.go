package neural

// automaticS scales every gradient to C·‖g‖/(‖g‖ + γ), γ being the stability. Short gradients stay
// shorter than long ones (Bu, Wang, Zha & Karypis, "Automatic Clipping: Differentially Private Deep
// Learning Made Easier and Stronger", NeurIPS 2023, AUTO-S, https://arxiv.org/abs/2206.07136).
type automaticS struct{}

// automaticV scales every gradient to the clipping norm, and a zero gradient to zero (AUTO-V of the
// source of automaticS).
type automaticV struct{}

var (
	_ rule = automaticS{}
	_ rule = automaticV{}
)

func (automaticS) name() string { return "auto-s" }

func (automaticS) needs() parameters { return parameters{stability: true} }

func (automaticS) weight(norm float64, l level) float64 { return l.norm / (norm + l.stability) }

func (automaticV) name() string { return "auto-v" }

func (automaticV) needs() parameters { return parameters{} }

func (automaticV) weight(norm float64, l level) float64 {
	if norm == 0 {
		return 0
	}
	return l.norm / norm
}
