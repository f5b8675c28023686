//go:build !long

package dense

// The sides of the largest matrices of TestCholesky and TestEigen, and of TestGeneralEigenvalues.
const largeSide, largeGeneral = 300, 150
