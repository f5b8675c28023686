package main

import "strings"

// freePart is a part of a folder that follows from nothing that verify could look at: whoever writes all files of the
// folder decides it. It is tied to the rest by hashes alone.
type freePart struct {
	// where is the file and the place in it; * stands for any one name, ** at the end for whatever follows.
	where string
	// why says why nothing decides it, and what it can not change.
	why string
	// pair says that two places must be edited alike, or that it depends on the noise whether an edit of one passes.
	pair bool
}

// freeParts are all parts that verify leaves free. docs/verification.md lists them.
var freeParts = []freePart{
	{"certificate.json/epsilon-asked", "any finite number of at least epsilon, or none: nothing else tells what was asked for", false},
	{"certificate.json/declared/public-test-table", "declared, or not: no test table is in the folder; the assumptions must say the same", true},
	{"certificate.json/declared/scored-on", "the name of public records; the assumptions must say the same", true},
	{"certificate.json/declared/frozen-layers/**", "what is said of another model; the assumptions must say the same", true},
	{"certificate.json/plan/clipping/norm", "with bound: noise is measured in units of it, so no price contains it", true},
	{"certificate.json/plan/clipping/bound", "with norm", true},
	{"certificate.json/plan/clipping/mode", "how gradients are bounded: by one number whichever way; where rows bound them, the number must fit", false},
	{"certificate.json/plan/clipping/rule", "of a network: another rule that needs no other numbers; each bounds gradients by the norm", false},
	{"certificate.json/plan/clipping/groups/*/norm", "of a network: noise is measured in units of it, so no price contains it", false},
	{"certificate.json/plan/class-weights/**", "declared, multiplies gradients before they are clipped; the largest is 1, or there are none", false},
	{"certificate.json/plan/clipping/threshold", "of a network: scales gradients before they are bounded by the norm", false},
	{"certificate.json/plan/clipping/stability", "of a network: scales gradients within the norm", false},
	{"certificate.json/plan/clipping/adaptive/quantile", "of a network: where the norm goes; noise is measured in units of it", false},
	{"certificate.json/plan/clipping/adaptive/rate", "of a network: how fast the norm goes there", false},
	{"certificate.json/plan/clipping/adaptive/least", "of a network: a bound on the norm", false},
	{"certificate.json/plan/clipping/adaptive/most", "of a network: a bound on the norm", false},
	{"certificate.json/plan/clipping/micro-batch/**", "of a network: which means are clipped, or none; noise is measured in units of what one record moves", false},
	{"certificate.json/plan/correlated-noise/coefficients/**", "of a network: which noise cancels; the noise is scaled by the norm that they have", false},
	{"certificate.json/plan/sample-weights/**", "declared, multiplies gradients before they are clipped; all of it or none", false},
	{"certificate.json/plan/sampling/kind", "of a network: parts that are divided anew in each round cost what parts that stay do", false},
	{"certificate.json/plan/output-perturbation/noise", "l1 or l-infinity: noise is measured in units of what one record moves in that norm", false},
	{"certificate.json/plan/exponential/loss-bound", "where losses are cut: scores are measured in units of it", false},
	{"certificate.json/plan/exponential/points", "the declared grid: one point of it has one price, which does not contain their number", false},
	{"certificate.json/plan/exponential/reach", "the declared grid", false},
	{"certificate.json/plan/zeroth-order/clipping-norm", "noise is measured in units of it", false},
	{"certificate.json/plan/zeroth-order/directions", "with Laplace noise, whose price does not contain their number", false},
	{"certificate.json/plan/zeroth-order/radius", "how far apart losses are compared, before differences are clipped", false},
	{"certificate.json/plan/zeroth-order/rate", "multiplies what was released", false},
	{"certificate.json/plan/frank-wolfe/clipping-norm", "scores are measured in units of it", false},
	{"certificate.json/plan/frank-wolfe/radius", "multiplies what was released", false},
	{"certificate.json/plan/linear/ridge", "added to what was released", false},
	{"certificate.json/plan/newton/ridge", "declared; the noise of a step covers every ridge, so no price contains it", false},
	{"certificate.json/plan/reference/sum-ridge", "of a baseline, which has no guarantee", false},
	{"certificate.json/plan/preparation/*/lower", "with upper: another range that has the learned bounds among its candidates", true},
	{"certificate.json/plan/preparation/*/upper", "with lower, or alone where the learned bounds stay among the candidates", true},
	{"certificate.json/plan/configurations", "of a private choice: a run with any of them has one price, which does not contain their number", false},
	{"model.json/threshold", "declared, where nothing is held out; it changes no probability", false},
	{"model.json/loss/**", "of gradient descent: declared; gradients are clipped whatever the loss, and where the price depends on it, the plan must fit", false},
	{"model.json/weights/*/*", "released numbers; nothing can show that training made them", false},
	{"model.json/feature-map/center/*", "released numbers", false},
	{"model.json/feature-map/whitening", "released numbers", false},
	{"model.json/feature-map/whitening-scales", "released numbers", false},
	{"model.json/feature-map/whitening-channels", "released numbers", false},
	{"model.json/feature-map/whitening-places", "released numbers", false},
	{"model.json/feature-map/radius", "a released number where the plan pays for it; one that was declared must fit the plan", false},
	{"model.json/feature-map/row-normalization", "declared; bounds of the plan that rest on rows must fit", false},
	{"model.json/feature-map/intercept", "declared, of rows scaled to norm 1; of other rows their bound must fit", false},
	{"model.json/schema", "declared: names, bounds, levels, treatments, and what was copied out of the records; plan and assumptions must fit", false},
	{"network.safetensors", "released numbers", false},
	{"answer.json/rows/**", "released numbers and names of groups, and intervals about them; ends stand in order", false},
	{"report.html", "a page for people; it is held by its hash, and not computed again; it may be left out with its hash", false},
}

// covers reports whether a place belongs to the part.
func (p freePart) covers(path string) bool {
	pattern, names := strings.Split(p.where, "/"), strings.Split(path, "/")
	for i, want := range pattern {
		switch {
		case want == "**":
			return true
		case i >= len(names) || want != "*" && want != names[i]:
			return false
		}
	}
	return len(pattern) == len(names)
}
