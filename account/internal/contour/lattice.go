package contour

import (
	"math"
	"slices"

	"github.com/ditherml/dither/internal/special"
)

// maxLattice is the largest number of total losses of atoms that a lattice lists.
const maxLattice = 1 << 17

// lattice is the total losses of a composition in which every release falls on an atom, and their
// probabilities under P. The characteristic function of this part never decays, so it is summed
// separately and taken out of the integrand.
type lattice struct{ loss, logMass []float64 }

// newLattice returns the lattice of terms that have one or two atoms each. It is nil where a term
// has none or more than two, or where the lattice would be too large.
func newLattice(terms []*term) *lattice {
	all := &lattice{[]float64{0}, []float64{0}}
	if len(terms) == 0 {
		return nil
	}
	for _, r := range terms {
		loss, mass := r.atoms()
		if len(loss) == 0 || len(loss) > 2 {
			return nil
		}
		points := 1.0
		if len(loss) == 2 {
			points += r.count
		}
		if points*float64(len(all.loss)) > maxLattice {
			return nil
		}
		all = all.plus(repeat(loss, mass, r.count))
	}
	return all
}

// atoms returns the losses of the atoms of one release and their probabilities. It stops at the
// third loss, since a lattice takes at most two.
func (r *term) atoms() (loss, mass []float64) {
	first, _, err := r.rules(0)
	if err != nil {
		return nil, nil
	}
	for j, point := range first.point {
		if !point {
			continue
		}
		if k := slices.Index(loss, first.loss[j]); k >= 0 {
			mass[k] += math.Exp(first.logMass[j])
			continue
		}
		if loss, mass = append(loss, first.loss[j]), append(mass, math.Exp(first.logMass[j])); len(loss) > 2 {
			break
		}
	}
	return loss, mass
}

// repeat returns the lattice of count releases with one or two atoms. Its binomial weights follow
// by ratios from the largest probability, which keeps the digits that factorials lose.
func repeat(loss, mass []float64, count float64) *lattice {
	if len(loss) == 1 {
		return &lattice{[]float64{count * loss[0]}, []float64{count * special.Log(mass[0])}}
	}
	n := int(count)
	l := &lattice{make([]float64, n+1), make([]float64, n+1)}
	ratio := logRatio(mass[1], mass[0])
	mode := min(n, int(float64(n+1)*mass[1]/(mass[0]+mass[1])))
	for k := mode + 1; k <= n; k++ {
		l.logMass[k] = l.logMass[k-1] + math.Log(float64(n-k+1)/float64(k)) + ratio
	}
	for k := mode - 1; k >= 0; k-- {
		l.logMass[k] = l.logMass[k+1] - math.Log(float64(n-k)/float64(k+1)) - ratio
	}
	shift := count*special.Log(mass[0]+mass[1]) - logSumExp(l.logMass)
	for k := range l.loss {
		l.loss[k] = float64(n-k)*loss[0] + float64(k)*loss[1]
		l.logMass[k] += shift
	}
	return l
}

// plus returns the lattice of sums of independent losses.
func (l *lattice) plus(o *lattice) *lattice {
	sum := new(lattice)
	for j, a := range l.loss {
		for k, b := range o.loss {
			sum.loss = append(sum.loss, a+b)
			sum.logMass = append(sum.logMass, l.logMass[j]+o.logMass[k])
		}
	}
	return sum
}

// delta returns the part of δ(ε) that falls on the lattice and its negated derivative, both over
// e^base.
func (l *lattice) delta(epsilon, base float64) (value, slope float64) {
	if l == nil {
		return 0, 0
	}
	var sum, fall special.Total
	for j, loss := range l.loss {
		if loss > epsilon {
			mass := math.Exp(l.logMass[j] - base)
			sum.Add(mass * -math.Expm1(epsilon-loss))
			fall.Add(mass * math.Exp(epsilon-loss))
		}
	}
	return sum.Value(), fall.Value()
}

// atomic returns log Σ w·e^{iuL} over the atoms of a distribution, with L measured from its mean.
func (l *law) atomic(u float64) (logModulus, phase float64) {
	var re, im float64
	for _, j := range l.points {
		s, c := math.Sincos(u * l.loss[j])
		re += l.weight[j] * c
		im += l.weight[j] * s
	}
	return math.Log(math.Hypot(re, im)), math.Atan2(im, re)
}

// smooth returns a bound on u times the modulus of the part of the characteristic function that is
// not due to atoms: 1.5 times the largest at a few places below u. From there on that part falls at
// least like 1/u, as for every density with jumps.
func (l *law) smooth(u float64) float64 {
	most := 0.0
	for _, part := range [...]float64{0.51, 0.57, 0.63, 0.68, 0.74, 0.79, 0.83, 0.87, 0.91, 0.94, 0.97, 1} {
		re, im := l.withoutAtoms(u * part)
		most = max(most, u*part*math.Hypot(re, im))
	}
	return 1.5 * most
}

// withoutAtoms returns Σ w·e^{iuL} over the nodes that are no atoms.
func (l *law) withoutAtoms(u float64) (re, im float64) {
	if l.closed.serves(u) {
		re, im = l.closed.value(u)
		logModulus, phase := l.atomic(u)
		s, c := math.Sincos(phase)
		return 1 + re - math.Exp(logModulus)*c, im - math.Exp(logModulus)*s
	}
	next := 0
	for j, w := range l.weight {
		if next < len(l.points) && l.points[next] == j {
			next++
			continue
		}
		s, c := math.Sincos(u * l.loss[j])
		re += w * c
		im += w * s
	}
	return re, im
}
