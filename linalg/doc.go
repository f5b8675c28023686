// Package linalg holds the dense kernels of training: exact integer sums of outer
// products, dot products of narrow rows with parameters, and small matrix helpers.
// It knows nothing of privacy.
package linalg

//go:generate go -C internal/asm run . ../..
