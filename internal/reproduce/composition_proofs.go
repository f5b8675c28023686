package reproduce

import (
	"math"
	"slices"
)

// proofs adds the theorems of exercises 1 and 2 as numbers. It composes mechanisms with two answers
// by writing down every sequence of answers. Each has its probability on both of two neighboring
// data sets.
func (t *table) proofs() {
	const runs, epsilon, delta = 12, 0.3, 1e-3
	adaptive := adaptiveSequences(runs, epsilon)
	t.golden("exercise 1, 12 adaptive runs of randomized response at ε = 0.3: largest privacy loss of all 4096 sequences of answers", "12·ε", adaptive.largestLoss(), 10, within(runs*epsilon, 1e-9), "no difference: the theorem holds with equality, although each question depends on the answers before")
	exact := adaptive.epsilonAt(delta)
	t.golden("exercise 1, 12 adaptive runs of randomized response at ε = 0.3: exact ε at δ = 0.001", "", exact, 6, within(optimalComposition(epsilon, 0, runs, delta), 1e-6), "not in the exercise; equal to optimal composition, which randomized response attains")
	parallel := parallelSequences(runs, epsilon)
	t.golden("exercise 2, randomized response at ε = 0.3 on each of 12 disjoint parts: largest privacy loss", "ε", parallel.largestLoss(), 10, within(epsilon, 1e-9), "no difference: a record is in one part, and the answers about other parts have the same distribution without this record")
}

// outcomes are the probabilities of every sequence of answers on two neighboring data sets.
type outcomes struct{ p, q []float64 }

// largestLoss returns the largest |log p/q|.
func (o outcomes) largestLoss() float64 {
	largest := 0.0
	for i, p := range o.p {
		largest = max(largest, math.Abs(math.Log(p/o.q[i])))
	}
	return largest
}

// delta returns the largest of Σ max(0, p - e^ε·q) and the same with p and q exchanged.
func (o outcomes) delta(epsilon float64) float64 {
	forward, backward := 0.0, 0.0
	for i, p := range o.p {
		forward += max(0, p-math.Exp(epsilon)*o.q[i])
		backward += max(0, o.q[i]-math.Exp(epsilon)*p)
	}
	return max(forward, backward)
}

// epsilonAt returns the least ε ≥ 0 at which delta is no larger than the given one.
func (o outcomes) epsilonAt(delta float64) float64 {
	low, high := 0.0, o.largestLoss()
	for range 60 {
		if middle := (low + high) / 2; o.delta(middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// adaptiveSequences composes randomized response with adaptive questions. Earlier answers decide
// whether the true answer to the next question is the same on both data sets, and what it is. Every
// question distinguishes the data sets.
func adaptiveSequences(runs int, epsilon float64) outcomes {
	o := outcomes{[]float64{1}, []float64{1}}
	truth := 1 / (1 + math.Exp(-epsilon))
	for range runs {
		var next outcomes
		for i := range o.p {
			yes, no := truth, 1-truth
			if i%3 == 0 { // the answers decide which data set says yes
				yes, no = no, yes
			}
			next.p = append(next.p, o.p[i]*yes, o.p[i]*no)
			next.q = append(next.q, o.q[i]*no, o.q[i]*yes)
		}
		o = next
	}
	return o
}

// parallelSequences asks once about each of several parts. One of them differs.
func parallelSequences(parts int, epsilon float64) outcomes {
	o := outcomes{[]float64{1}, []float64{1}}
	truth := 1 / (1 + math.Exp(-epsilon))
	for part := range parts {
		other := []float64{truth, 1 - truth}
		if part == parts/2 {
			slices.Reverse(other)
		}
		var next outcomes
		for i := range o.p {
			next.p = append(next.p, o.p[i]*truth, o.p[i]*(1-truth))
			next.q = append(next.q, o.q[i]*other[0], o.q[i]*other[1])
		}
		o = next
	}
	return o
}
