package neural

// flat scales a gradient down to the clipping norm if it is longer (Abadi, Chu, Goodfellow,
// McMahan, Mironov, Talwar & Zhang, "Deep Learning with Differential Privacy", CCS 2016, algorithm
// 1, https://arxiv.org/abs/1607.00133).
type flat struct{}

var _ rule = flat{}

func (flat) name() string { return "flat" }

func (flat) needs() parameters { return parameters{} }

func (flat) weight(norm float64, l level) float64 {
	if norm <= l.norm {
		return 1
	}
	return l.norm / norm
}
