package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// dworkRoth returns the guarantee of k-fold adaptive composition of (epsilon, delta)-differential
// privacy by advanced composition: (√(2k·log(1/slack))·ε + kε(e^ε-1), kδ + slack). slack is more
// than 0 and below 1. It is for comparison: kovClosed is never more. It is +Inf and 1 where an
// argument makes no sense.
//
// Dwork & Roth, "The Algorithmic Foundations of Differential Privacy", 2014, theorem 3.20,
// https://www.cis.upenn.edu/~aaroth/Papers/privacybook.pdf.
func dworkRoth(epsilon, delta float64, k int, slack float64) (totalEpsilon, totalDelta float64) {
	if !composable(epsilon, delta, k) || !(slack > 0 && slack < 1) {
		return math.Inf(1), 1
	}
	n := float64(k)
	if epsilon > 0 && k > 0 {
		totalEpsilon = math.Sqrt(2*n*-special.Log(slack))*epsilon + n*epsilon*math.Expm1(epsilon)
	}
	return totalEpsilon, min(1, n*delta+slack)
}

// kovClosed returns the guarantee of k-fold adaptive composition of (epsilon, delta)-differential
// privacy in closed form. Let drift be kε(e^ε-1)/(e^ε+1). Epsilon is the least of kε, of drift +
// ε√(2k·log(1/slack)) and of drift + ε√(2k·log(e + √(kε²)/slack)). Delta is 1 - (1-δ)^k(1-slack).
// They are +Inf and 1 where an argument makes no sense.
//
// Kairouz, Oh & Viswanath, "The Composition Theorem for Differential Privacy", ICML 2015, theorem
// 3.4, https://arxiv.org/abs/1311.0776.
func kovClosed(epsilon, delta float64, k int, slack float64) (totalEpsilon, totalDelta float64) {
	if !composable(epsilon, delta, k) || !(slack > 0 && slack < 1) {
		return math.Inf(1), 1
	}
	var s spread
	s.add(epsilon, float64(k))
	disclosed := disclosedBy(delta, float64(k))
	return s.closed(slack), disclosed + slack*(1-disclosed)
}

// kovOptimal returns the smallest ε' for which k-fold adaptive composition of (epsilon,
// delta)-differential privacy is (ε', target)-differentially private. It errs upward, by at most a
// relative 1e-9 and the same share of target. It is +Inf where there is none, or where an argument
// makes no sense.
//
// It holds at every real ε', not only at the multiples of epsilon in the theorem. The worst case is
// k-fold randomized response, apart from the probability 1 - (1-δ)^k of disclosure. Its privacy
// loss is (2J-k)·ε with J binomial. Beyond 2^34 releases it is the closed form.
//
// Kairouz, Oh & Viswanath 2015, theorem 3.3 (see kovClosed).
func kovOptimal(epsilon, delta float64, k int, target float64) float64 {
	if !composable(epsilon, delta, k) || !(target >= 0) {
		return math.Inf(1)
	}
	disclosed := disclosedBy(delta, float64(k))
	switch {
	case disclosed > target:
		return math.Inf(1)
	case target >= 1 || k == 0 || epsilon == 0:
		return 0
	}
	rest := (target - disclosed) / (1 - disclosed)
	all := float64(k) * epsilon
	switch {
	case rest < 1e-280 || epsilon > 700:
		return all
	case k > maxLattice:
		closed, _ := kovClosed(epsilon, 0, k, rest)
		return closed
	}
	return min(all, newLattice(epsilon, k, rest).epsilonAt(rest))
}

// maxLattice is the number of releases up to which the binomial distribution is added up. The work
// grows as the square root.
const maxLattice = 1 << 34

// composable reports whether (epsilon, delta) and a count make sense.
func composable(epsilon, delta float64, k int) bool {
	return epsilon >= 0 && !math.IsInf(epsilon, 1) && delta >= 0 && delta <= 1 && k >= 0
}

// disclosedBy returns 1 - (1-δ)^k, rounded up.
func disclosedBy(delta, k float64) float64 {
	var d pair.Disclosure
	d.Add(delta, k)
	_, upper := d.Bounds()
	return upper
}

// lattice is the distribution of the number J of answers that speak for P, out of count. Each
// answer does so with probability e^ε/(1+e^ε). Weights are relative to the most likely number. They
// follow from each other by ratios, so nothing overflows for any count.
type lattice struct {
	epsilon, count float64
	mode           float64
	top, topWeight float64 // the largest number that matters, and its weight
	beyond         float64 // an upper bound on the weight of all larger numbers
	total          float64 // a lower bound on the weight of all
	steps          float64 // how many ratios were taken
}

// newLattice returns the distribution as far as it matters for a probability rest: to 1e-18 of it.
func newLattice(epsilon float64, k int, rest float64) lattice {
	l := lattice{epsilon: epsilon, count: float64(k)}
	up, down := math.Exp(epsilon), math.Exp(-epsilon)
	l.mode = min(l.count, math.Floor((l.count+1)/(1+down)))
	l.top, l.topWeight, l.total = l.mode, 1, 1
	for l.top < l.count {
		ratio := (l.count - l.top) / (l.top + 1) * up
		if l.topWeight < rest*1e-18 {
			l.beyond = l.topWeight * ratio / (1 - ratio)
			break
		}
		l.topWeight *= ratio
		l.top++
		l.total += l.topWeight
	}
	x := l.mode
	for w := 1.0; x > 0 && w > 1e-18; x-- {
		w *= x / (l.count - x + 1) * down
		l.total += w
	}
	l.steps = l.top - x
	return l
}

// epsilonAt returns the ε' at which Σ P(J = j)·(1 - e^(ε'-L_j)) over the losses L_j > ε' is rest.
// It walks down from the largest loss. At the loss of x, over is that sum and pull is Σ P(J =
// j)·e^(L_x-L_j) over j ≥ x. So s below L_x the sum is over + pull·(1-e^-s). All terms are
// positive.
func (l lattice) epsilonAt(rest float64) float64 {
	down, twice, gain := math.Exp(-l.epsilon), math.Exp(-2*l.epsilon), -math.Expm1(-2*l.epsilon)
	goal := rest * l.total * (1 - 1e-15*(3*l.steps+100))
	over, w := l.beyond, l.topWeight
	pull := w + l.beyond
	for x := l.top; 2*x > l.count; x-- {
		if next := over + pull*gain; next < goal {
			over = next
			w *= x / (l.count - x + 1) * down
			pull = pull*twice + w
			continue
		}
		at := (2*x-l.count)*l.epsilon + math.Log1p(-(goal-over)/pull)
		return max(0, at*(1+1e-15))
	}
	return 0
}

// spread is what the closed form needs to know of releases that are each ε-differentially private.
type spread struct {
	total          total
	squares, drift float64
}

// add adds count releases of one ε.
func (s *spread) add(epsilon, count float64) {
	if count == 0 {
		return
	}
	s.total.add(epsilon, count)
	s.squares += count * epsilon * epsilon
	s.drift += count * epsilon * math.Tanh(epsilon/2) // (e^ε-1)/(e^ε+1)
}

// closed returns the least ε' at a slack by Kairouz, Oh & Viswanath 2015, theorem 3.5, the
// heterogeneous form of theorem 3.4.
func (s spread) closed(slack float64) float64 {
	sum := s.total.value()
	if slack <= 0 {
		return sum
	}
	log := max(0, min(-special.Log(slack), math.Log(math.E+math.Sqrt(s.squares)/slack)))
	if v := s.drift + math.Sqrt(2*s.squares*log)*(1+1e-14); v < sum {
		return v
	}
	return sum
}
