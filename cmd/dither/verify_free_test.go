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
	{"certificate.json/epsilon-asked", "it may be absent, or any finite number of at least epsilon; no other file contains the epsilon that was asked for", false},
	{"certificate.json/declared/public-test-table", "it may be declared or not, since the folder has no test table; the assumptions must agree", true},
	{"certificate.json/declared/records", "any table or query; the assumptions must agree", true},
	{"certificate.json/plan/related/**", "an answer or a private evaluation: any statement about related rows; the assumptions must agree", true},
	{"certificate.json/declared/scored-on", "any name of public records; the assumptions must agree", true},
	{"certificate.json/declared/frozen-layers/**", "any statement about the other model; the assumptions must agree", true},
	{"certificate.json/declared/owner", "any printable line, or none; it says whose records they are, and no file can show it", false},
	{"certificate.json/declared/purpose", "any printable line, or none; it says what the release is for, and no file can show it", false},
	{"certificate.json/plan/clipping/norm", "together with `bound`; noise is measured in units of the bound, so the price does not depend on it", true},
	{"certificate.json/plan/clipping/bound", "together with `norm`; noise is measured in units of the bound, so the price does not depend on it", true},
	{"certificate.json/plan/clipping/mode", "in every mode `bound` limits the gradient of a record; if the mode derives `bound` from the bounds of rows, it must fit them", false},
	{"certificate.json/plan/clipping/rule", "network: any other rule with the same numbers; every rule bounds gradients by the norm", false},
	{"certificate.json/plan/clipping/groups/*/norm", "network: noise is measured in units of this norm, so the price does not depend on it", false},
	{"certificate.json/plan/class-weights/**", "declared; gradients are clipped after they are multiplied by the weights. The largest weight must be 1, or there are no weights", false},
	{"certificate.json/plan/clipping/threshold", "network: it scales gradients, which are then bounded by the norm", false},
	{"certificate.json/plan/clipping/stability", "network: it scales gradients, which are then bounded by the norm", false},
	{"certificate.json/plan/clipping/adaptive/quantile", "network: the quantile that the norm approaches; noise is measured in units of the norm", false},
	{"certificate.json/plan/clipping/adaptive/rate", "network: the speed at which the norm changes; noise is measured in units of the norm", false},
	{"certificate.json/plan/clipping/adaptive/least", "network: the least norm; noise is measured in units of the norm", false},
	{"certificate.json/plan/clipping/adaptive/most", "network: the largest norm; noise is measured in units of the norm", false},
	{"certificate.json/plan/clipping/micro-batch/**", "network: the number of records whose mean gradient is clipped, or no such means; noise is measured in units of the distance that one record moves the sum", false},
	{"certificate.json/plan/correlated-noise/coefficients/**", "network: how noise of different steps cancels; the noise is scaled by the norm of the coefficients", false},
	{"certificate.json/plan/sample-weights/**", "declared; gradients are clipped after they are multiplied by the weights. The section is complete or absent", false},
	{"certificate.json/plan/sampling/kind", "network: parts that are divided anew in each round, or fixed parts; both have the same price", false},
	{"certificate.json/plan/output-perturbation/noise", "l1 or l-infinity; noise is measured in units of the distance that one record moves the result, in this norm", false},
	{"certificate.json/plan/exponential/loss-bound", "losses are clipped at this number, and scores are measured in units of it, so the price does not depend on it", false},
	{"certificate.json/plan/exponential/points", "the number of points of the declared grid; the price of a choice does not depend on it", false},
	{"certificate.json/plan/exponential/reach", "the extent of the declared grid; the price of a choice does not depend on it", false},
	{"certificate.json/plan/zeroth-order/clipping-norm", "noise is measured in units of this norm, so the price does not depend on it", false},
	{"certificate.json/plan/zeroth-order/directions", "with Laplace noise only; its price does not depend on the number of directions", false},
	{"certificate.json/plan/zeroth-order/radius", "the distance of the weights whose losses are compared; the differences are clipped, so the price does not depend on it", false},
	{"certificate.json/plan/zeroth-order/rate", "it only multiplies released numbers, so the price does not depend on it", false},
	{"certificate.json/plan/frank-wolfe/clipping-norm", "scores are measured in units of this norm, so the price does not depend on it", false},
	{"certificate.json/plan/frank-wolfe/radius", "it only multiplies released numbers, so the price does not depend on it", false},
	{"certificate.json/plan/linear/ridge", "it is only added to released numbers, so the price does not depend on it", false},
	{"certificate.json/plan/newton/ridge", "declared; the noise of a step is large enough for every ridge, so the price does not depend on it", false},
	{"certificate.json/plan/reference/sum-ridge", "it belongs to a baseline without a guarantee", false},
	{"certificate.json/plan/preparation/*/kind", "`frequencies` may be called `variances` and the reverse if both have the same bound; noise, bound and event of the plan are the same", true},
	{"certificate.json/plan/preparation/*/lower", "together with `upper`: any range whose candidates include the learned bounds", true},
	{"certificate.json/plan/preparation/*/upper", "together with `lower`, or alone: any range whose candidates include the learned bounds", true},
	{"certificate.json/plan/configurations", "private choice: the number of configurations; every run has the same price, whichever configuration it has", false},
	{"model.json/threshold", "declared, if no records are held out; probabilities do not depend on it", false},
	{"model.json/loss/**", "gradient descent: declared; gradients of every loss are clipped. If the price depends on the loss, the plan must fit the loss", false},
	{"model.json/weights/*/*", "released numbers; no file can show that training computed them", false},
	{"model.json/feature-map/center/*", "released numbers", false},
	{"model.json/feature-map/evidence/*", "shares from 0 to 1 that follow from released numbers; states that were declared keep 1", false},
	{"model.json/feature-map/means/*", "from 0 to 1, from released numbers", false},
	{"model.json/feature-map/whitening", "released numbers", false},
	{"model.json/feature-map/whitening-scales", "released numbers", false},
	{"model.json/feature-map/whitening-channels", "released numbers", false},
	{"model.json/feature-map/whitening-places", "released numbers", false},
	{"model.json/feature-map/radius", "a released number, if the plan pays for it; a declared radius must fit the plan", false},
	{"model.json/feature-map/row-normalization", "declared; the bounds of rows in the plan must fit it", false},
	{"model.json/feature-map/intercept", "declared, for rows scaled to norm 1; for other rows, the bound of rows in the plan must fit it", false},
	{"model.json/schema", "declared: names, bounds, levels, treatments, and what was copied from the records; plan and assumptions must fit it", false},
	{"network.safetensors", "released numbers", false},
	{"answer.json/rows/**", "released numbers, names of groups, and intervals; the lower end of an interval must not exceed the upper end", false},
	{"report.html", "a page for readers; its hash is checked, and it may be absent together with its hash", false},
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
