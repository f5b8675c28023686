package evaluate

import (
	"math"

	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// fullForm is the form of a release with fourth moments, or with sums over pairs.
const fullForm = 2

// form returns the Form that a plan must have.
func (p Plan) form() int {
	if p.regression() || p.paired() {
		return fullForm
	}
	return 0
}

// regression reports whether the target is a number.
func (p Plan) regression() bool { return len(p.Levels) == 0 }

// paired reports whether a record may have several rows, so that sums over their pairs are
// released.
func (p Plan) paired() bool { return p.maxRows() > 1 }

// groups returns the number of groups that the release is split into.
func (p Plan) groups() int {
	if p.GroupColumn == "" {
		return 1
	}
	return len(p.Groups) + 1
}

// bins is the number of score bins.
func (p Plan) bins() int { return len(p.Edges) - 1 }

// perGroup returns the number of released sums over rows of one group.
func (p Plan) perGroup() int {
	k := len(p.Levels)
	switch {
	case p.regression():
		return p.momentNumbers()
	case k == 2:
		return k * p.bins()
	}
	return k * k * p.bins()
}

// rowNumbers returns the number of released sums over rows. They come first.
func (p Plan) rowNumbers() int { return p.groups() * p.perGroup() }

// Numbers returns the number of noisy numbers that the plan releases.
func (p Plan) Numbers() int {
	if !p.paired() {
		return p.rowNumbers()
	}
	return p.rowNumbers() + p.pairBlocks()*p.perBlock()
}

// maxRows returns the largest number of rows of one record.
func (p Plan) maxRows() int {
	if p.Person == nil {
		return 1
	}
	return p.Person.MaxRows
}

// rowBound returns the largest norm of one row's contribution to the sums over rows.
func (p Plan) rowBound() float64 {
	if p.regression() && p.Noise == noiseGaussian {
		return math.Sqrt(3 + 1.25*(crossWeight*crossWeight+targetWeight*targetWeight))
	}
	return 1
}

// bound returns the largest norm (L1 under Laplace noise, else L2) of one record's contribution. A
// record of at most k rows adds at most k times the bound of a row to the sums over rows. It adds
// at most k·pairShare to the sums over pairs.
func (p Plan) bound() float64 {
	rows, pairs := p.rowBound(), p.pairShare()
	if p.Noise == noiseLaplace {
		return (rows + pairs) * float64(p.maxRows())
	}
	return math.Hypot(rows, pairs) * float64(p.maxRows())
}

// norm returns the norm that bound is measured in.
func (p Plan) norm() release.Norm {
	if p.Noise == noiseLaplace {
		return release.L1()
	}
	return release.L2()
}

func (p Plan) noise() mechanism.Noise {
	if p.Noise == noiseLaplace {
		return mechanism.KNorm{NoiseMultiplier: p.NoiseMultiplier}
	}
	return mechanism.Gaussian{NoiseMultiplier: p.NoiseMultiplier}
}

// Event returns the event of the plan's release. It is mechanism.KNorm with the L1 norm for Laplace
// noise, and mechanism.Gaussian for Gaussian noise.
func (p Plan) Event() mechanism.Event { return p.noise() }

// variance returns the variance of the noise on each released number. It is 2·s² for Laplace noise
// of scale s, and s² for normal noise of standard deviation s, where s is NoiseMultiplier times
// bound. Discrete Laplace noise has a variance below that of the continuous one; the grid's step
// makes the difference negligible.
func (p Plan) variance() float64 {
	s := p.NoiseMultiplier * p.bound()
	if p.Noise == noiseLaplace {
		return 2 * s * s
	}
	return s * s
}
