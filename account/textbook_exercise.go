package account

import (
	"math"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/account/internal/pld"
)

// The exercise: 1000 runs of a (0.4, 1e-6)-differentially private algorithm, first on all data,
// then each on a fresh sample of 1 % of them.
const (
	exerciseRuns    = 1000
	exerciseEpsilon = 0.4
	exerciseDelta   = 1e-6
	exerciseSample  = 0.01
	// The part of δ that the runs spend in full and on samples, and the δ that (e) allows.
	exerciseFull    = exerciseRuns * exerciseDelta
	exerciseSampled = exerciseFull * exerciseSample
	exerciseTotal   = exerciseSampled + 1e-6
)

// TextbookExercise returns the lines of a common exercise: the cost of T = 1000 runs of a (0.4,
// δ)-private algorithm, where δ is 1e-6. In lines (c) to (e) each run uses a fresh sample that
// contains a record with probability q = 0.01. The lines are:
//
//   - (a) sequential composition
//   - (b) strong composition
//   - (c) strong composition with amplification by sampling
//   - (d) the moments accountant
//   - (e) the cost that may be claimed: amplification in its exact form and optimal composition, at
//     the delta qTδ + 1e-6
//
// Lines (a) to (d) follow the solution of a course, which takes logarithms to base 10. The field
// Exact is the cost of the worst algorithm that is (0.4, 1e-6)-private. In line (d) Exact is +Inf:
// the worst algorithm discloses a record in some run with a probability larger than the δ of that
// line.
func TextbookExercise() []TextbookLine {
	const runs, epsilon, delta, q = float64(exerciseRuns), exerciseEpsilon, exerciseDelta, exerciseSample
	root := math.Sqrt(runs * math.Log10(1/delta))
	worst := kovOptimal(epsilon, delta, exerciseRuns, exerciseFull)
	full := Interval{worst * (1 - 1e-8), worst, worst}
	claim := kovOptimal(sampleEpsilon(epsilon, q), q*delta, exerciseRuns, exerciseTotal)
	return []TextbookLine{
		formula{name: "(a) sequential composition", text: "(Tε, Tδ)", epsilon: runs * epsilon, proved: true, source: courseSource}.judge(exerciseFull, full),
		formula{name: "(b) strong composition", text: "(ε·√(T·log10(1/δ)), Tδ)", epsilon: epsilon * root, source: courseSource}.judge(exerciseFull, full),
		formula{name: "(c) strong composition with amplification", text: "(qε·√(T·log10(1/δ)), qTδ)", epsilon: q * epsilon * root, source: courseSource}.judge(exerciseSampled, worstSampled(exerciseSampled)),
		formula{name: "(d) moments accountant", text: "(qε·√T, δ)", epsilon: q * epsilon * math.Sqrt(runs), source: courseSource}.judge(delta, worstSampled(delta)),
		formula{
			name: "(e) amplification and optimal composition", text: "log(1+q(e^ε-1)) at qδ, composed; at qTδ + 1e-6", epsilon: claim, proved: true,
			source: "Balle, Barthe & Gaboardi 2018, theorem 8; Kairouz, Oh & Viswanath 2015, theorem 3.3",
		}.judge(exerciseTotal, worstSampled(exerciseTotal)),
	}
}

// worstSampled returns bounds on the cost of the runs on samples for the worst algorithm of that
// privacy. The worst algorithm discloses the record with probability δ and otherwise answers with a
// loss of ±ε. A sample of probability q mixes that with the answer to the data without the record.
func worstSampled(delta float64) Interval {
	if disclosedBy(exerciseSample*exerciseDelta, exerciseRuns) > delta {
		return Interval{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	atoms := approximate(exerciseEpsilon, exerciseDelta)
	for i, a := range atoms {
		atoms[i].P = exerciseSample*a.P + (1-exerciseSample)*a.Q
	}
	v, err := pld.EpsilonBoth([]pld.Term{{Pair: pair.Atoms(atoms), Count: exerciseRuns}}, delta, pld.Options{})
	if err != nil {
		return Interval{0, math.Inf(1), math.Inf(1)}
	}
	return between(v, math.NaN(), nil)
}
