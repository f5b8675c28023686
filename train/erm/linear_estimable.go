package erm

import (
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/kernel"
)

// Empty returns the indices of the features whose sum of squares is indistinguishable from noise,
// in ascending order. Such a feature is 0 in all or nearly all records, so its coefficient cannot
// be estimated. Empty never returns the constant feature. The result depends only on released
// numbers.
//
// Use Keep for least squares on the other features. Their coefficients then have a different
// meaning.
func (m *Moments) Empty() []int {
	var out []int
	least := m.least()
	for j := range m.features {
		if !m.constant(j) && !(m.sums.At(j, j) > least) {
			out = append(out, j)
		}
	}
	return out
}

// Doubtful returns the indices of features that the noise makes indistinguishable from linear
// combinations of other features. It returns at most one feature for each eigenvalue of the second
// moment that is too small for Infer. It never returns the constant feature. The result depends
// only on released numbers.
//
// The features are selected from the eigenvectors of these eigenvalues, by subset selection with
// pivoting (Golub, Klema & Stewart, "Rank Degeneracy and Least Squares Problems", Stanford
// STAN-CS-76-559, 1976).
func (m *Moments) Doubtful() ([]int, error) {
	eigen, err := dense.NewEigen(m.secondMoment())
	if err != nil {
		return nil, errNotConverged
	}
	values, vectors := eigen.Ascending()
	small := 0
	for small < len(values) && !m.passes(values[small], values[len(values)-1]) {
		small++
	}
	if small == 0 {
		return nil, nil
	}
	rows := make([][]float64, m.features)
	for j := range rows {
		if m.constant(j) {
			continue
		}
		for k := range small {
			rows[j] = append(rows[j], vectors.At(k, j))
		}
	}
	var out []int
	for range small {
		if j := longest(rows); j >= 0 {
			out = append(out, j)
			project(rows, j)
		}
	}
	return out, nil
}

// passes reports whether an eigenvalue is large enough for intervals.
func (m *Moments) passes(value, largest float64) bool {
	return value > minSpectralRatio*m.noiseNorm() && value > rankTolerance*largest
}

// least returns the threshold on a feature's sum of squares. It is the threshold on eigenvalues,
// because the least eigenvalue is at most the sum of squares of any feature.
func (m *Moments) least() float64 {
	largest := 0.0
	for j := range m.features {
		largest = max(largest, m.sums.At(j, j))
	}
	return max(minSpectralRatio*m.noiseNorm(), rankTolerance*largest)
}

// constant reports whether feature j is the constant coordinate.
func (m *Moments) constant(j int) bool { return m.intercept > 0 && j == m.features-1 }

// longest returns the index of the longest row, or -1 if there is none.
func longest(rows [][]float64) int {
	best := -1
	for j, row := range rows {
		if row != nil && (best < 0 || kernel.Norm(row) > kernel.Norm(rows[best])) {
			best = j
		}
	}
	return best
}

// project removes row j from rows, and subtracts from each other row its component along row j.
func project(rows [][]float64, j int) {
	pivot := rows[j]
	rows[j] = nil
	square := kernel.Dot(pivot, pivot)
	if square == 0 {
		return
	}
	for _, row := range rows {
		if row != nil {
			along := kernel.Dot(row, pivot) / square
			for k, v := range pivot {
				row[k] -= along * v
			}
		}
	}
}
