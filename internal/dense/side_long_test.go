//go:build long

package dense

// The sides of the largest matrices of TestCholesky and TestEigen, and of TestGeneralEigenvalues: 784 is the number of
// pixels of an image of 28 by 28.
const largeSide, largeGeneral = 784, 300
