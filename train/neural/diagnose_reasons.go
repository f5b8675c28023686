package neural

import "github.com/ditherml/dither/internal/dynamics"

// Reasons returns in words why measurements differ from the claims in ClippingDiagnosis.Course.
// There is one text for each kind of difference.
func (n *NonPrivateDiagnosis) Reasons() []string {
	var unproved, form, noise, singular, open bool
	for _, c := range n.Clippings {
		m, course := c.Measured, c.Course
		open = open || m.Zero == string(dynamics.UnderWay) || m.ZeroNoisy == string(dynamics.UnderWay)
		if course == nil {
			continue
		}
		form = form || m.Positive == "yes" && m.PositiveForm == "no"
		for _, pair := range [][2]string{{m.Symmetric, course.Symmetric}, {m.Positive, course.Positive}, {m.Monotone, course.Monotone}, {m.Zero, course.Zero}} {
			unproved = unproved || pair == [2]string{"yes", "no"}
			singular = singular || pair == [2]string{"no", "yes"}
		}
		noise = noise || c.Noisy != nil && (m.MonotoneNoisy == "no" && course.MonotoneNoisy == "yes" || m.ZeroNoisy == "no" && course.ZeroNoisy == "yes")
	}
	var out []string
	say := func(is bool, text string) {
		if is {
			out = append(out, text)
		}
	}
	say(unproved, `Where "yes" was measured and the course has "no", the property is not guaranteed but holds on this problem.`)
	say(form, `"Positive" has two meanings. Under flat clipping no eigenvalue of H·diag(s) is negative, since they are the eigenvalues of √diag(s)·H·√diag(s). This is the course's "yes". But the quadratic form of H·diag(s) can be negative, and then the loss can rise.`)
	say(noise, "The course's entries are about gradient flow, where steps are infinitely small and noise averages out. In finite steps noise remains: the loss fluctuates around a level that grows with the learning rate and the square of the noise.")
	say(singular, "The course's \"yes\" needs a kernel with an inverse, a loss whose least value is 0, and small steps. "+n.regularity())
	say(open, `"Under way" means that more steps are needed for an answer.`)
	return out
}

// regularity describes how far the kernel without clipping is from a singular one.
func (n *NonPrivateDiagnosis) regularity() string {
	if len(n.Clippings) > 0 && n.Clippings[0].Kernel.Regular() {
		return "This kernel has an inverse at the first weights."
	}
	return "This kernel has none at the first weights: records cannot all be moved apart."
}
