package neural

// quantile is flat clipping with a norm that follows a quantile of the gradients' norms by released
// counts (Andrew, Thakkar, McMahan & Ramaswamy, "Differentially Private Learning with Adaptive
// Clipping", NeurIPS 2021, algorithm 1, https://arxiv.org/abs/1905.03871). The noise stays the same
// multiple of the norm. A step keeps its length while the norm moves: the learning rate is for
// gradients of the first norm.
type quantile struct{ flat }

var _ adapting = quantile{}

func (quantile) name() string { return "quantile" }

func (quantile) needs() parameters { return parameters{adaptive: true} }

func (quantile) within(norm float64, l level) bool { return norm <= l.norm }

func (quantile) adapt(l level, share float64, a adaptivity) level {
	l.norm = a.follow(l.norm, share)
	return l
}
