package query

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// moments are the released second moments of several columns. Covariances and correlations follow
// from them without further cost.
type moments struct {
	columns []rowNumbers
	// sums is the symmetric matrix Σ y·yᵀ of y = (1, t_1, …), with t_j the place of column j
	// between -1 and 1.
	sums      []float64
	deviation float64 // of an entry on the diagonal; 1/√2 of it elsewhere
	level     float64
}

// maxMomentColumns bounds the columns of one release.
const maxMomentColumns = 512

// newMoments returns the number of rows, the sums and all sums of products of the columns, released
// together with Gaussian noise. A row that lacks one of the numbers is left out. Let t_j in [-1,
// 1] be the place of column j between its bounds. A row adds y·yᵀ, y = (1, t_1, …, t_d), whose
// Frobenius norm is ‖y‖² ≤ 1+d. The rows of a person add at most their largest number times that.
// Intervals are of first order in the noise, each at the given confidence.
func newMoments(t pass.Settings, r pick.Records, columns []rowNumbers, level float64) (*moments, error) {
	deviation, err := checkMoments(t.Noise, columns, level)
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		return nil, err
	}
	deviation *= float64(r.Most())
	if r.Persons() {
		sums, failure := momentsOfPersons(t, r, columns)
		return &moments{columns, sums, deviation, level}, failure
	}
	dim := 1 + len(columns)
	o, err := release.MomentRows(t.Noise, t.MaxRecords, dim, math.Sqrt(float64(dim)))
	if err != nil {
		return nil, err
	}
	// One on the grid of the rows is an integer number of steps, so counts and columns of two
	// values are exact.
	one := math.Floor(1/o.Step) * o.Step
	rows, err := release.NewRows(r.Size(), o, func(dst []float64, first, n int) {
		for k := range n {
			place(dst[k*dim:(k+1)*dim], columns, first+k, one)
		}
	})
	if err != nil {
		return nil, err
	}
	sums, err := pass.SecondMoment(t, rows, r.Size())
	for k := range sums {
		sums[k] /= one * one
	}
	return &moments{columns, sums, deviation / (one * one), level}, err
}

// momentsOfPersons returns the released matrix where a record is a person. The sum over a person's
// rows is bounded as one vector.
func momentsOfPersons(t pass.Settings, r pick.Records, columns []rowNumbers) ([]float64, error) {
	dim := 1 + len(columns)
	bound := float64(dim * r.Most())
	sums, err := pass.SumVectors(t, r.Size(), dim*dim, bound, func(_ int, dst []float64, records []int) error {
		y := make([]float64, dim)
		for k, person := range records {
			of := dst[k*dim*dim : (k+1)*dim*dim]
			r.Each(person, func(row int) {
				place(y, columns, row, 1)
				for i, u := range y {
					for j, v := range y {
						of[i*dim+j] += u * v
					}
				}
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return pass.Symmetric(sums, dim), nil
}

// checkMoments refuses terms that make no sense. It returns the standard deviation of the noise on
// the diagonal.
func checkMoments(n mechanism.Noise, columns []rowNumbers, level float64) (float64, error) {
	if len(columns) < 1 || len(columns) > maxMomentColumns {
		return 0, fmt.Errorf("query: there are %d columns, want 1 to %d", len(columns), maxMomentColumns)
	}
	for _, v := range columns {
		if err := v.check(); err != nil {
			return 0, err
		}
	}
	switch n := n.(type) {
	case mechanism.Gaussian:
		return n.NoiseMultiplier * float64(1+len(columns)), checkLevel(level)
	case mechanism.NonPrivate:
		return 0, checkLevel(level)
	}
	return 0, fmt.Errorf("query: noise of second moments is %v, want gaussian", n)
}

// place writes one times the y of a row. It writes zeros for a row in which a number is missing.
func place(y []float64, columns []rowNumbers, i int, one float64) {
	y[0] = one
	for j, v := range columns {
		x, ok := v.at(i)
		if !ok {
			clear(y)
			return
		}
		y[1+j] = one * ((x-v.Lower)/(v.Upper-v.Lower)*2 - 1)
	}
}

// count returns the noisy number of rows.
func (m *moments) count() Answer {
	return law{kind: m.kind(), scale: m.deviation}.linear(m.sums[0], m.level)
}

func (m *moments) kind() lawKind {
	if m.deviation > 0 {
		return normalLaw
	}
	return noLaw
}

// trusted reports whether the noisy count is large enough for answers of first order.
func (m *moments) trusted() bool { return m.sums[0] > 0 && m.sums[0] > leastCount*m.deviation }

// clear reports whether the noisy count is so large that it is trusted in nearly all draws.
func (m *moments) clear() bool { return m.sums[0] > clearCount*m.deviation }

// covariance returns the covariance of two columns (divided by the number of records), or the
// variance of a column with itself.
func (m *moments) covariance(i, j int) Answer {
	scale := (m.columns[i].Upper - m.columns[i].Lower) * (m.columns[j].Upper - m.columns[j].Lower) / 4
	least := -1.0
	if i == j {
		least = 0
	}
	a := m.answer(least, 1, func(s []float64) float64 { return m.centered(s, i, j) })
	return Answer{scale * a.Value, scale * a.Deviation, scale * a.Lower, scale * a.Upper, a.Count, a.AtLeast}
}

// correlation returns the correlation of two columns, in [-1, 1].
func (m *moments) correlation(i, j int) Answer {
	return m.answer(-1, 1, func(s []float64) float64 {
		product := m.centered(s, i, i) * m.centered(s, j, j)
		if !(product > 0) {
			return math.NaN()
		}
		return m.centered(s, i, j) / math.Sqrt(product)
	})
}

// centered returns the covariance of the places of two columns.
func (m *moments) centered(s []float64, i, j int) float64 {
	d, n := 1+len(m.columns), s[0]
	return s[(1+i)*d+1+j]/n - s[1+i]/n*s[1+j]/n
}

// answer returns a function of the sums as an answer. The function is NaN where the sums do not
// decide it.
func (m *moments) answer(least, most float64, f func(sums []float64) float64) Answer {
	open := Answer{Value: (least + most) / 2, Deviation: math.Inf(1), Lower: least, Upper: most, Count: m.sums[0], AtLeast: true}
	if !m.trusted() {
		return open
	}
	value, deviation := f(m.sums), m.spread(f)
	if math.IsNaN(value) || math.IsNaN(deviation) {
		return open
	}
	h := deviation * math.Sqrt2 * math.Erfinv(m.level)
	return Answer{min(max(value, least), most), deviation, min(max(value-h, least), most), min(max(value+h, least), most), m.sums[0], !m.clear()}
}

// spread returns the standard deviation of a function of the sums to first order. Derivatives are
// central differences, over the entries on and above the diagonal, which have independent noise.
func (m *moments) spread(f func(sums []float64) float64) float64 {
	d := 1 + len(m.columns)
	s := append([]float64(nil), m.sums...)
	total := 0.0
	for i := range d {
		for j := i; j < d; j++ {
			deviation := m.deviation
			if j > i {
				deviation /= math.Sqrt2
			}
			step := 1e-3 * deviation
			if step == 0 {
				continue
			}
			at := func(move float64) float64 {
				a, b := s[i*d+j], s[j*d+i]
				s[i*d+j], s[j*d+i] = a+move, b+move
				if i == j {
					s[i*d+i] = a + move
				}
				v := f(s)
				s[i*d+j], s[j*d+i] = a, b
				return v
			}
			total = math.Hypot(total, (at(step)-at(-step))/(2*step)*deviation)
		}
	}
	return total
}
