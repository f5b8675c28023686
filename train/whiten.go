package train

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Whitening floors: γ in (Σ + γI)^(-1/2), for rows of norm at most 1.
const whiteningGamma = 0.01

// whitening returns (Σ₊ + γ·scale·I)^(-1/2) of a symmetric d×d matrix, Σ₊ being Σ with
// negative eigenvalues replaced by 0, and the eigenvalues of Σ₊. The input was released,
// so this is post-processing. Only directions that the released matrix shows are shortened
// or stretched; nothing is projected away.
func whitening(sigma []float64, d int, gamma float64) (p, eigenvalues []float64, err error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(d, append([]float64(nil), sigma...)), true) {
		return nil, nil, fmt.Errorf("train: the eigenvalues of the released covariance did not converge")
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	scaled := mat.NewDense(d, d, nil)
	for j := range values {
		values[j] = max(0, values[j])
		f := 1 / math.Sqrt(values[j]+gamma)
		for i := range d {
			scaled.Set(i, j, vectors.At(i, j)*f)
		}
	}
	var product mat.Dense
	product.Mul(scaled, vectors.T())
	p = make([]float64, d*d)
	for i := range d {
		for j := range d {
			p[i*d+j] = (product.At(i, j) + product.At(j, i)) / 2
		}
	}
	return p, values, nil
}
