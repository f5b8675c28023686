// Package model contains losses and linear models. It computes predictions, and the gradients of
// single records. Other packages sum these gradients with noise. It reads and writes model.json,
// the file of a linear model or of a network of package network. The package knows nothing of
// privacy. Other packages bound the gradients, so a mistake here costs accuracy but not the
// guarantee.
package model
