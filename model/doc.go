// Package model contains losses and linear models. It computes predictions, and the gradients of
// single records. It reads and writes model.json, the file of a linear model or of a network of
// package network. The package knows nothing of privacy. Other packages bound the gradients and sum
// them with noise. So a mistake here costs accuracy but not the guarantee.
package model
