package neural

import "github.com/ditherml/dither/internal/dynamics"

// Reasons returns in words why measurements differ from the claims of the lecture notes. There is
// one text for each kind of difference.
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
	say(unproved, `Where "yes" was measured and the course has "no": its "no" means that nothing is guaranteed. On this problem it went well.`)
	say(form, `Positive is said of two things. H·diag(s) has the eigenvalues of √diag(s)·H·√diag(s), none of which is negative, and that is the course's "yes". Its quadratic form is another matter, and where that is negative the loss can rise.`)
	say(noise, "The course's rows are about gradient flow, in which steps are infinitely small and noise averages out. Steps of a size keep it: the loss goes up and down, about a floor that grows with the learning rate and the square of the noise.")
	say(singular, "The course's \"yes\" needs a kernel with an inverse, a loss whose least value is 0, and small steps. "+n.regularity())
	say(open, `"Under way" means that more steps would tell.`)
	return out
}

// regularity describes how far the kernel without clipping is from a singular one.
func (n *NonPrivateDiagnosis) regularity() string {
	if len(n.Clippings) > 0 && n.Clippings[0].Kernel.Regular() {
		return "This kernel has an inverse at the first weights."
	}
	return "This kernel has none at the first weights: records cannot all be moved apart."
}
