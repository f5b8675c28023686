package neural

import (
	"math"

	"github.com/ditherml/dither/internal/dynamics"
)

// Convergence describes gradient descent under one kind of clipping. Some fields describe a matrix
// M. With infinitely small steps, the vector f of the network's outputs for all records changes at
// the rate -M·∂L/∂f, where L is the loss (docs/networks-diagnostics.md). Each field answers one
// question. A field is "yes", "no", "under way" if more steps are needed, or "" if nothing was
// measured or claimed.
type Convergence struct {
	// Symmetric states whether the matrix M (see Convergence) is symmetric.
	Symmetric string `json:"symmetric,omitempty"`
	// Positive states whether all eigenvalues of the matrix M (see Convergence) are positive.
	Positive string `json:"positive-eigenvalues,omitempty"`
	// PositiveForm states whether xᵀMx is positive for every x that is not 0, where M is the matrix
	// of Convergence. If M is symmetric, PositiveForm equals Positive.
	PositiveForm string `json:"positive-form,omitempty"`
	// Monotone states whether the loss falls in every step of the descent without noise.
	Monotone string `json:"monotone-loss,omitempty"`
	// Zero states whether the loss reaches zero in the descent without noise.
	Zero string `json:"to-zero-loss,omitempty"`
	// MonotoneNoisy states whether the loss falls in every step of the descent with noise.
	MonotoneNoisy string `json:"monotone-loss-with-noise,omitempty"`
	// ZeroNoisy states whether the loss reaches zero in the descent with noise.
	ZeroNoisy string `json:"to-zero-loss-with-noise,omitempty"`
}

// comparison is a clipping with the claims of lecture notes about it.
type comparison struct {
	clipping dynamics.Clipping
	course   *Convergence
}

// compared returns the clippings of a table of lecture notes on the convergence of private
// learning. The table follows Z. Bu, H. Wang, Z. Dai and Q. Long, "On the convergence and
// calibration of deep learning with differential privacy", TMLR 2023, section 4
// (https://arxiv.org/abs/2106.07830). There "no" means "not guaranteed". Global clipping of the
// same paper and AUTO-S follow. The notes give the same answers with noise.
func (n *NonPrivateDiagnosis) compared(perLayer []int) []comparison {
	blocks := 0
	for _, count := range perLayer {
		blocks += count
	}
	whole := []int{blocks}
	small, large := level{norm: n.SmallNorm}, level{norm: n.LargeNorm}
	part := level{norm: n.SmallNorm / math.Sqrt(float64(len(perLayer)))}
	globally := level{norm: n.SmallNorm, threshold: n.LargeNorm}
	// The stability is the norm, so that no weight exceeds 1. A hundredth of it needs steps a
	// hundred times shorter.
	stable := level{norm: n.SmallNorm, stability: n.SmallNorm}
	says := func(symmetric, positive, monotone, zero string) *Convergence {
		return &Convergence{Symmetric: symmetric, Positive: positive, Monotone: monotone, Zero: zero, MonotoneNoisy: monotone, ZeroNoisy: zero}
	}
	with := func(name string, groups []int, r rule, l level, most float64) dynamics.Clipping {
		return dynamics.Clipping{Name: name, Groups: groups, Most: most, Bound: l.norm * math.Sqrt(float64(len(groups))),
			Weight: func(_ int, norm float64) float64 { return weighted(r, norm, l) }}
	}
	return []comparison{
		{dynamics.Clipping{Name: "no clipping", Groups: whole, Bound: n.LargeNorm}, says("yes", "yes", "yes", "yes")},
		{with("flat", whole, flat{}, small, 1), says("no", "yes", "no", "yes")},
		{with("layerwise", perLayer, flat{}, part, 1), says("no", "no", "no", "no")},
		{with("large threshold", whole, flat{}, large, 1), says("yes", "yes", "yes", "yes")},
		{with("global", whole, global{}, globally, globally.norm/globally.threshold), nil},
		{with("automatic", whole, automaticS{}, stable, 1), nil},
	}
}

// measured returns the row that follows from the kernels and descents of a clipping. Of the kernels
// it takes the worst.
func measured(d ClippingDiagnosis) Convergence {
	symmetric, positive, form := d.Kernel.Symmetric(), d.Kernel.Positive(), d.Kernel.PositiveForm()
	out := Convergence{}
	if d.Flow != nil {
		for _, c := range d.Flow.Characters {
			symmetric, positive, form = symmetric && c.Symmetric(), positive && c.Positive(), form && c.PositiveForm()
		}
		out.Monotone, out.Zero = answer(d.Flow.Monotone()), string(d.Flow.Verdict())
	}
	if d.Noisy != nil {
		out.MonotoneNoisy, out.ZeroNoisy = answer(d.Noisy.Monotone()), string(d.Noisy.Verdict())
	}
	out.Symmetric, out.Positive, out.PositiveForm = answer(symmetric), answer(positive), answer(form)
	return out
}

func answer(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}
